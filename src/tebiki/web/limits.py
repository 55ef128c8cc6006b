"""What one client may do: so many calls in a minute, so many at once.

Calls in a minute are counted in the store, so all workers count together; calls at once are
counted by each worker, because a worker that dies takes its running calls with it.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tebiki.errors import TooManyCalls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.state.store import Store
    from tebiki.web.settings import Allowance

MINUTE = 60


class Limits:
    """Counts the calls of every principal; only used in the loop's own thread."""

    def __init__(self, allowance: Allowance, store: Store) -> None:
        self._allowance = allowance
        self._store = store
        self._running: Counter[str] = Counter()

    @contextmanager
    def call(self, principal: str) -> Iterator[None]:
        """Let one call of a principal run.

        Raises:
            TooManyCalls: it has made too many, or too many are running.
        """
        most_at_once, per_minute = (
            self._allowance.concurrent_calls,
            self._allowance.calls_per_minute,
        )
        if self._running[principal] >= most_at_once:
            raise TooManyCalls(
                f"{most_at_once} calls of this client are already running; wait for some to finish"
            )
        if per_minute and self._store.count("calls", principal, MINUTE) > per_minute:
            raise TooManyCalls(
                f"this client has made {per_minute} calls in this minute; wait for the next one"
            )
        self._running[principal] += 1
        try:
            yield
        finally:
            self._running[principal] -= 1
            if not self._running[principal]:
                del self._running[principal]

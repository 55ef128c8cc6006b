"""What one client may do: so many calls in a minute, so many at once, so much in a day.

All are counted in the store, so all workers count together. A running call is a lease that is
renewed while its worker lives: what a worker that died was running is free again soon after.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tebiki.errors import TooManyCalls
from tebiki.observability.ledger.purse import paid_by
from tebiki.state.store import Lease
from tebiki.web.budget import Purses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.state.store import Store
    from tebiki.web.settings import Allowance

MINUTE = 60

LEASE_SECONDS = 30.0
RENEW_SECONDS = 10.0
"""How long a dead worker's calls still count, and how often a living one says it lives."""


class Limits:
    """Counts the calls of every principal; only used in the loop's own thread."""

    def __init__(
        self,
        allowance: Allowance,
        store: Store,
        *,
        clock: Callable[[], float],
        new_id: Callable[[], str],
    ) -> None:
        self._allowance = allowance
        self._store = store
        self._new_id = new_id
        self._purses = Purses(allowance, store, clock)
        self._running: set[Lease] = set()
        self._renewal: asyncio.TimerHandle | None = None

    @contextmanager
    def call(self, principal: str) -> Iterator[None]:
        """Let one call of a principal run, at that principal's expense.

        Raises:
            TooManyCalls: it has made too many, or too many are running.
        """
        lease = Lease("running", principal, self._new_id())
        most = self._allowance.concurrent_calls
        if self._store.lease(lease, most, LEASE_SECONDS) is None:
            raise TooManyCalls(
                f"{most} calls of this client are already running; wait for some to finish"
            )
        self._begin(lease)
        try:
            self._count(principal)
            with paid_by(self._purses.of(principal)):
                yield
        finally:
            self._end(lease)

    def _count(self, principal: str) -> None:
        most = self._allowance.calls_per_minute
        if most and self._store.count("calls", principal, MINUTE) > most:
            raise TooManyCalls(
                f"this client has made {most} calls in this minute; wait for the next one"
            )

    def _begin(self, lease: Lease) -> None:
        self._running.add(lease)
        if self._renewal is None:
            self._renew_later()

    def _end(self, lease: Lease) -> None:
        self._running.discard(lease)
        if not self._running and self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None
        self._store.release(lease)

    def _renew_later(self) -> None:
        loop = asyncio.get_running_loop()
        self._renewal = loop.call_later(RENEW_SECONDS, self._renew)

    def _renew(self) -> None:
        # The next one first: a store that fails once is asked again.
        self._renew_later()
        self._store.renew(self._running, LEASE_SECONDS)

"""What one client may do: so many calls in a minute, so many at once, so much in a day.

All are counted in the store, so all workers count together. A running call is a lease that is
renewed while its worker lives: what a worker that died was running is free again soon after.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from tebiki.errors import TooManyCalls
from tebiki.observability.ledger.client_budget import charge_calls_to
from tebiki.state.store import Lease
from tebiki.web.budget import Purses
from tebiki.web.leases import LEASE_SECONDS, LeasesInUse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.state.store import StateStore
    from tebiki.web.settings import Allowance

MINUTE = 60


class Limits:
    """Counts the calls of every principal; only used in the loop's own thread."""

    def __init__(
        self,
        allowance: Allowance,
        store: StateStore,
        *,
        clock: Callable[[], float],
        new_id: Callable[[], str],
    ) -> None:
        self._allowance = allowance
        self._store = store
        self._new_id = new_id
        self._purses = Purses(allowance, store, clock)
        self.running = LeasesInUse(store)

    def count(self, principal: str) -> float:
        """Count one call of a principal, whatever becomes of it; gives how many this minute has."""
        if not self._allowance.calls_per_minute:
            return 0
        return self._store.count("calls", principal, MINUTE)

    @contextmanager
    def call(self, principal: str, number: float = 0) -> Iterator[None]:
        """Let one call of a principal run, at that principal's expense; `number` as counted.

        Raises:
            TooManyCalls: it has made too many, or too many are running.
        """
        if number > self._allowance.calls_per_minute:
            raise TooManyCalls(
                f"this client has made {self._allowance.calls_per_minute} calls in this minute; "
                "wait for the next one"
            )
        lease = Lease("running", principal, self._new_id())
        most = self._allowance.concurrent_calls
        if self._store.lease(lease, most, LEASE_SECONDS) is None:
            raise TooManyCalls(
                f"{most} calls of this client are already running; wait for some to finish"
            )
        self.running.begin(lease)
        try:
            with charge_calls_to(self._purses.of(principal)):
                yield
        finally:
            self.running.end(lease)
            self._store.release(lease)

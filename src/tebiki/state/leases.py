"""Leases that are in use: kept alive by the worker that uses them, and free soon after it died."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.state.store import Lease, StateStore

LEASE_SECONDS = 30.0
RENEW_SECONDS = 10.0
"""How long what a dead worker used still counts, and how often a living one says it lives."""


class LeasesInUse:
    """Renews every lease that is in use; only used in the loop's own thread."""

    def __init__(
        self,
        store: StateStore,
        seconds: float = LEASE_SECONDS,
        beside: Callable[[Callable[[], object]], object] = lambda work: work(),
        renew_seconds: float = RENEW_SECONDS,
    ) -> None:
        """`beside` does what the loop itself has no time for."""
        self._store = store
        self._beside = beside
        self._seconds = seconds
        self._renew_seconds = renew_seconds
        self._uses: Counter[Lease] = Counter()
        self._renewal: asyncio.TimerHandle | None = None

    def begin(self, lease: Lease) -> None:
        """Keep a lease that was taken, until as many uses of it have ended as have begun."""
        self._uses[lease] += 1
        if self._renewal is None:
            self._renew_later()

    def end(self, lease: Lease) -> bool:
        """End one use of a lease; tell whether it was the last."""
        self._uses[lease] -= 1
        if self._uses[lease] > 0:
            return False
        del self._uses[lease]
        if not self._uses and self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None
        return True

    def _renew_later(self) -> None:
        loop = asyncio.get_running_loop()
        self._renewal = loop.call_later(self._renew_seconds, self._renew_in_time)

    def _renew_in_time(self) -> None:
        # The next one first: a store that fails once is asked again.
        self._renew_later()
        leases = list(self._uses)
        self._beside(lambda: self._store.renew(leases, self._seconds))

    def renew(self) -> None:
        """Say that this worker lives; it says so by itself while there is something in use."""
        self._store.renew(list(self._uses), self._seconds)

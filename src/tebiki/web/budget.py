"""What one client may spend in a day: money by the ledger's estimates, and paid calls.

Both are kept in the store, so all workers count together. What running calls may cost is held until
they end; a worker that dies leaves it held for the day, since the API bills its calls all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.errors import OverBudget
from tebiki.observability.ledger.budget import duration, next_midnight
from tebiki.observability.ledger.entries import day_of
from tebiki.state.store import Lease

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.state.store import StateStore
    from tebiki.web.settings import Allowance

DAY = 86_400
SPENT, HELD, CALLS = "spent", "held", "paid calls"


class ClientPurse:
    """The budget of one principal."""

    def __init__(
        self, principal: str, allowance: Allowance, store: StateStore, clock: Callable[[], float]
    ) -> None:
        self._principal = principal
        self._allowance = allowance
        self._store = store
        self._clock = clock

    @property
    def priced_by(self) -> str | None:
        """The setting that needs to know what a model costs."""
        return None if self._allowance.daily_usd is None else "http.daily_usd"

    def begin(self, call_id: str, held_usd: float) -> None:
        """Let a paid call begin.

        Raises:
            OverBudget: the day's money or calls are used up.
        """
        lease = Lease(HELD, self._principal, call_id, held_usd)
        if self._allowance.daily_usd is not None:
            self._hold(lease, self._allowance.daily_usd)
        most = self._allowance.daily_calls
        if most and self._store.count(CALLS, self._principal, DAY) > most:
            self._store.release(lease)
            raise self._over(f"{most} paid calls of http.daily_calls = {most} were made")

    def end(self, call_id: str, usd: float) -> None:
        """Note what a call has come to."""
        # In this order: in between it counts twice, and never not at all.
        self._store.count(SPENT, self._principal, DAY, usd)
        self._store.release(Lease(HELD, self._principal, call_id))

    def _hold(self, lease: Lease, most: float) -> None:
        now = self._clock()
        held = self._store.lease(lease, most, next_midnight(now) - now)
        # Asked after the others' holds: a call that ends meanwhile is in both, not in neither.
        spent = self._store.count(SPENT, self._principal, DAY, 0)
        if held is None or spent + held >= most:
            self._store.release(lease)
            running = "" if held == 0 else ", the rest is held for running calls,"
            words = f"an estimated {spent:.2f} USD of http.daily_usd = {most:g} is spent{running}"
            raise self._over(words)

    def _over(self, words: str) -> OverBudget:
        now = self._clock()
        wait = next_midnight(now) - now
        return OverBudget(
            f"This client's daily budget is reached: {words} on {day_of(now)} (UTC). Nothing was "
            f"sent. Paid calls open again at 00:00 UTC, in {duration(wait)}",
            wait,
        )


class Purses:
    """Gives each principal its purse."""

    def __init__(self, allowance: Allowance, store: StateStore, clock: Callable[[], float]) -> None:
        self._allowance = allowance
        self._store = store
        self._clock = clock

    def of(self, principal: str) -> ClientPurse | None:
        """The purse of a principal; none where nothing is limited."""
        if self._allowance.daily_usd is None and not self._allowance.daily_calls:
            return None
        return ClientPurse(principal, self._allowance, self._store, self._clock)

"""Caps that several machines count together: may one more paid call be made, by all of them.

What a call is likely to cost is counted before it is sent and set right when it has ended. Where
the shared store is away nobody knows what the others have spent, so a call that a cap watches over
is refused: money is never guessed. Calls without a cap ask nothing. Only used in one thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.budget.caps import WINDOW_SECONDS, Caps, Standing
from tebiki.budget.paid_calls import day_of
from tebiki.errors import OverBudget
from tebiki.named_tuples import NamedTuple
from tebiki.state.store import Lease, StateAway

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol, TypeVar

    from tebiki.budget.caps import Cap
    from tebiki.budget.paid_calls import CallStart
    from tebiki.state.store import StateStore

    Given = TypeVar("Given")

    class StrictStore(Protocol):
        """A store that says so when it is away, instead of making do."""

        def strictly(self, wanted: Callable[[StateStore], Given]) -> Given:
            """Ask it."""


DAY_SECONDS = 86_400
USD = "paid-usd"
CALLS = "paid-calls"
MINUTE = "paid-minute"

RETRY_SECONDS = 5.0
"""When a client may ask again after nobody could count its call."""

MOST_OWED = 1000
"""Corrections that wait for a store that is away; older ones are dropped, to the safe side."""


class Counted(NamedTuple):
    """One thing that was counted for a call: how to take it back, or set it right."""

    name: str
    owner: str
    amount: float


class Held(NamedTuple):
    """What is counted for a call that runs, and on which day."""

    day: str
    sums: tuple[Counted, ...]


class SharedCaps:
    """Asks the caps of all machines, and tells them what a call came to."""

    def __init__(self, store: StrictStore) -> None:
        self._store = store
        self._held: dict[str, Held] = {}
        self._owed: list[Counted] = []

    def begin(self, start: CallStart, caps: Sequence[Cap]) -> None:
        """Count a call that is about to be sent.

        Raises:
            OverBudget: it may not be, or nobody can tell; then nothing is counted.
        """
        counted: list[Counted] = []
        try:
            self._pay_owed()
            for cap in caps:
                self._count(cap, start, counted)
        except OverBudget:
            self._take_back(start, counted)
            raise
        except StateAway as away:
            self._take_back(start, counted)
            raise OverBudget(
                "Paid calls are limited and the shared state that counts them cannot be reached, "
                "so this one was not sent. Free tools go on; try again in a moment",
                RETRY_SECONDS,
            ) from away
        sums = tuple(one for one in counted if one.name == USD)
        self._held[start.id] = Held(day_of(start.time), sums)

    def end(self, start_id: str, cost_usd: float, now: float) -> None:
        """Set right what was counted for a call; on another day than its own it stays."""
        held = self._held.pop(start_id, None)
        if held is None or held.day != day_of(now):
            return
        for one in held.sums:
            self._settle(one._replace(amount=cost_usd - one.amount))

    def _count(self, cap: Cap, start: CallStart, counted: list[Counted]) -> None:
        if cap.daily_usd is not None:
            spent = self._add(Counted(USD, cap.client, start.held_usd), counted)
            cap.check(Standing(spent_usd=spent), start.time)
        if isinstance(cap, Caps):
            self._count_minute(cap, start, counted)
        elif cap.daily_calls:
            calls = self._add(Counted(CALLS, cap.client, 1), counted)
            cap._replace(daily_usd=None).check(Standing(calls=int(calls)), start.time)

    def _count_minute(self, cap: Caps, start: CallStart, counted: list[Counted]) -> None:
        most = cap.calls_per_minute
        if most is None:
            return
        lease = Lease(MINUTE, cap.client, start.id)
        taken = self._store.strictly(lambda store: store.lease(lease, most, WINDOW_SECONDS))
        if taken is None:
            cap._replace(daily_usd=None).check(Standing(begun=(start.time,) * most), start.time)
        counted.append(Counted(MINUTE, cap.client, 1))

    def _add(self, one: Counted, counted: list[Counted]) -> float:
        """Count something; gives what there was before."""
        after = self._store.strictly(
            lambda store: store.count(one.name, one.owner, DAY_SECONDS, one.amount)
        )
        counted.append(one)
        return after - one.amount

    def _take_back(self, start: CallStart, counted: Sequence[Counted]) -> None:
        for one in counted:
            if one.name == MINUTE:
                self._release(Lease(MINUTE, one.owner, start.id))
            else:
                self._settle(one._replace(amount=-one.amount))

    def _release(self, lease: Lease) -> None:
        try:
            self._store.strictly(lambda store: store.release(lease))
        except StateAway:
            return  # it ends by itself within the minute

    def _settle(self, one: Counted) -> None:
        if one.amount:
            self._owed = [*self._owed, one][-MOST_OWED:]
            try:
                self._pay_owed()
            except StateAway:
                return

    def _pay_owed(self) -> None:
        """Tell what could not be told before; what may have been heard is not told again."""
        while self._owed:
            one = self._owed[0]
            try:
                self._store.strictly(
                    lambda store, one=one: store.count(  # type: ignore[misc]
                        one.name, one.owner, DAY_SECONDS, one.amount
                    )
                )
            except StateAway as away:
                if not away.never_sent:
                    del self._owed[0]
                raise
            del self._owed[0]

"""Paid calls that several machines count together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tebiki.budget.caps import Caps, ClientCaps
from tebiki.budget.paid_calls import CallStart
from tebiki.budget.shared_caps import SharedCaps
from tebiki.errors import OverBudget
from tebiki.state.memory import MemoryStateStore
from tebiki.state.store import StateAway

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.budget.caps import Cap
    from tebiki.state.store import StateStore

NOON = 1_750_000_000.0 // 86_400 * 86_400 + 43_200


class Strict:
    """What machines share, which may be away."""

    def __init__(self) -> None:
        self.now = NOON
        self.store = MemoryStateStore(lambda: self.now)
        self.away: StateAway | None = None

    def strictly(self, wanted: Callable[[StateStore], Any]) -> Any:
        """Ask it."""
        if self.away is not None:
            raise self.away
        return wanted(self.store)


def start(number: int, usd: float = 0.25, now: float = NOON) -> CallStart:
    """A call that is about to be sent."""
    return CallStart(now, f"call-{number}", usd)


def granted(machine: SharedCaps, caps: list[Cap], numbers: range, usd: float = 0.25) -> int:
    """How many of some calls may be sent."""
    passed = 0
    for number in numbers:
        try:
            machine.begin(start(number, usd), caps)
        except OverBudget:
            continue
        passed += 1
    return passed


@pytest.mark.parametrize(
    ("cap", "most"),
    [
        (Caps(calls_per_minute=5), 5),
        (Caps(daily_usd=1.0), 4),
        (ClientCaps("a", daily_calls=3), 3),
        (ClientCaps("a", daily_usd=0.5), 2),
        (ClientCaps("a", daily_usd=1.0, daily_calls=3), 3),
    ],
)
def test_two_machines_count_together(cap: Cap, most: int) -> None:
    """What one lets through the other knows; what is refused is not counted."""
    shared = Strict()
    one, other = SharedCaps(shared), SharedCaps(shared)

    passed = granted(one, [cap], range(2)) + granted(other, [cap], range(2, 20))

    assert passed == most
    with pytest.raises(OverBudget, match="is reached"):
        one.begin(start(99), [cap])


def test_what_one_cap_refuses_the_other_has_not_counted() -> None:
    """A client that is over its own budget takes nothing of everybody's."""
    shared = Strict()
    machine = SharedCaps(shared)
    everybody, alice, bob = Caps(1.0, 10), ClientCaps("a", daily_calls=1), ClientCaps("b")
    machine.begin(start(0), [everybody, alice])
    for number in range(1, 9):
        with pytest.raises(OverBudget):
            machine.begin(start(number), [everybody, alice])

    assert granted(machine, [everybody, bob], range(20, 30)) == 3


def test_a_call_is_counted_at_what_it_came_to() -> None:
    """Presumed while it runs, set right when it has ended; on the next day nothing is."""
    shared = Strict()
    machine = SharedCaps(shared)
    cap = ClientCaps("a", daily_usd=1.0)
    for number in range(4):
        machine.begin(start(number), [cap])
    for number in range(4):
        machine.end(f"call-{number}", 0.125, shared.now)

    assert granted(machine, [cap], range(10, 20)) == 2

    shared.now += 86_400
    machine.end("call-10", 5.0, shared.now)
    assert granted(machine, [cap], range(20, 30)) == 4


@pytest.mark.parametrize("never_sent", [True, False])
def test_money_is_never_guessed(never_sent: bool) -> None:
    """Who has a limit is refused while nobody can count; who has none is not asked."""
    shared = Strict()
    machine = SharedCaps(shared)
    shared.away = StateAway("no route", never_sent=never_sent)

    with pytest.raises(OverBudget, match="cannot be reached, so this one was not sent"):
        machine.begin(start(1), [Caps(daily_usd=1.0)])
    machine.begin(start(2), [])

    shared.away = None
    assert granted(machine, [Caps(daily_usd=1.0)], range(10, 20)) == 4


def test_a_correction_waits_for_a_store_that_was_not_reached() -> None:
    """What may have been heard is not told again: better too much counted than too little."""
    shared = Strict()
    machine = SharedCaps(shared)
    cap = Caps(daily_usd=1.0)
    for number in range(4):
        machine.begin(start(number), [cap])

    shared.away = StateAway("no route", never_sent=True)
    machine.end("call-0", 0.0, shared.now)
    shared.away = StateAway("timed out")
    machine.end("call-1", 0.0, shared.now)
    shared.away = None

    assert granted(machine, [cap], range(10, 20)) == 1

"""The caps: who is let in, who is told to wait and for how long."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tebiki.budget.caps import Caps, duration
from tebiki.budget.paid_calls import CallStart, Spent
from tebiki.errors import ConnectionFailed, MissingPrice, OverBudget, RateLimited, UpstreamTimeout
from tests.support.ledgers import NOON, Clock, Warnings, entry, meter_of, process_ledgers

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.budget.meter import Meter

DAILY = Caps(daily_usd=1.0)
HUGE = Spent("gpt-5.2", input=1_000_000)
"""1.75 USD."""


def test_a_day_opens_again_at_midnight_utc() -> None:
    """The error says what was spent, of what, and when to come back."""
    clock = Clock()
    kept = process_ledgers(clock=clock)
    kept.begin(CallStart(NOON, "a", 0.1), [DAILY])
    kept.end(entry(1, cost=1.25)._replace(id="a"))

    with pytest.raises(OverBudget) as refused:
        kept.begin(CallStart(NOON, "b", 0.1), [DAILY])
    assert refused.value.retry_after_seconds == 12 * 3600
    assert str(refused.value) == (
        "The daily cap is reached: an estimated 1.25 USD of budget.daily_usd = 1 is spent on "
        "2026-11-16 (UTC). Nothing was sent. Paid calls open again at 00:00 UTC, in 12 h 0 min; "
        "to go on now, raise budget.daily_usd"
    )

    clock.now = NOON + 12 * 3600
    kept.begin(CallStart(clock.now, "b", 0.1), [DAILY])


def test_running_calls_count_before_they_have_ended() -> None:
    """And stop counting when they turn out to cost less."""
    kept = process_ledgers()
    kept.begin(CallStart(NOON, "a", 0.6), [DAILY])
    kept.begin(CallStart(NOON, "b", 0.6), [DAILY])

    with pytest.raises(OverBudget, match=r"about 1\.20 more is held for running calls"):
        kept.begin(CallStart(NOON, "c", 0.6), [DAILY])
    kept.end(entry(1, cost=0.01)._replace(id="a"))
    kept.begin(CallStart(NOON, "c", 0.6), [DAILY])


def test_a_minute_slides() -> None:
    """The third call gets in sixty seconds after the first, not at the full minute."""
    clock = Clock()
    caps = Caps(calls_per_minute=2)
    kept = process_ledgers(clock=clock)
    for second in (0, 10):
        clock.now = NOON + second
        kept.begin(CallStart(clock.now, f"call{second}", 0.0), [caps])

    clock.now = NOON + 25
    with pytest.raises(OverBudget, match=r"budget\.calls_per_minute = 2.*in 35 s") as refused:
        kept.begin(CallStart(clock.now, "early", 0.0), [caps])
    assert refused.value.retry_after_seconds == 35

    clock.now = NOON + 60
    kept.begin(CallStart(clock.now, "in time", 0.0), [caps])


def test_a_clock_set_back_by_years_does_not_shut_the_door() -> None:
    """Calls that began in what is now the far future are none of the last minute."""
    clock = Clock(NOON + 5 * 366 * 86_400)
    caps = Caps(daily_usd=1, calls_per_minute=2)
    kept = process_ledgers(clock=clock)
    for number in range(2):
        kept.begin(CallStart(clock.now, f"future{number}", 0.4), [caps])

    clock.now = NOON
    for number in range(2):
        kept.begin(CallStart(clock.now, f"now{number}", 0.4), [caps])
    with pytest.raises(OverBudget, match="in 60 s"):
        kept.begin(CallStart(clock.now, "third", 0.4), [caps])
    clock.now = NOON - 30
    with pytest.raises(OverBudget, match="in 2 min"):
        kept.begin(CallStart(clock.now, "fourth", 0.4), [caps])


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "1 s"),
        (60, "60 s"),
        (60.5, "2 min"),
        (59 * 60, "59 min"),
        (59 * 60 + 1, "1 h 0 min"),
        (3600, "1 h 0 min"),
        (2 * 3600 - 1, "2 h 0 min"),
        (2 * 3600 + 1, "2 h 1 min"),
    ],
)
def test_a_wait_is_rounded_up(seconds: float, words: str) -> None:
    """Through the full hour as well: sixty minutes are one."""
    assert duration(seconds) == words


def test_nothing_at_all_may_be_allowed() -> None:
    """A cap of zero refuses the first call."""
    with pytest.raises(OverBudget):
        process_ledgers().begin(CallStart(NOON, "a", 0.0), [Caps(daily_usd=0)])


def test_two_processes_share_the_caps(tmp_path: Path) -> None:
    """By the file alone; also what only runs."""
    path = tmp_path / "ledger.db"
    first, second = (process_ledgers(path) for _ in range(2))

    first.begin(CallStart(NOON, "a", 0.6), [DAILY])
    second.begin(CallStart(NOON, "b", 0.6), [DAILY])
    with pytest.raises(OverBudget):
        first.begin(CallStart(NOON, "c", 0.6), [DAILY])
    second.end(entry(1, cost=0.1)._replace(id="b"))
    first.begin(CallStart(NOON, "c", 0.6), [DAILY])
    with pytest.raises(OverBudget):
        second.begin(CallStart(NOON, "d", 0.6), [DAILY])


def test_a_ledger_that_cannot_be_written_is_kept_in_memory(tmp_path: Path) -> None:
    """Warned about once; the caps hold for this process all the same."""
    path = tmp_path / "ledger.db"
    path.mkdir()
    warnings = Warnings()
    kept = process_ledgers(path, warn=warnings)

    kept.begin(CallStart(NOON, "a", 0.1), [DAILY])
    kept.end(entry(1, cost=1.5)._replace(id="a"))
    with pytest.raises(OverBudget):
        kept.begin(CallStart(NOON, "b", 0.1), [DAILY])

    assert len(warnings) == 1
    assert "ledger.db cannot be written" in warnings[0]


async def spend(meter: Meter, spent: Spent = HUGE, model: str = "gpt-5.2") -> float | None:
    """Make a call that costs something."""
    async with meter.call("answer", model) as tab:
        await asyncio.sleep(0)
        return tab.settle(spent)


def test_calls_side_by_side_reserve_before_they_are_sent() -> None:
    """Of ten at once only as many start as the cap has room for by an ordinary call's cost."""

    async def ten() -> list[float | BaseException | None]:
        meter = meter_of(Caps(daily_usd=0.15))
        return await asyncio.gather(*(spend(meter) for _ in range(10)), return_exceptions=True)

    results = asyncio.run(ten())

    assert len([cost for cost in results if cost == 1.75]) == 2
    assert len([refused for refused in results if isinstance(refused, OverBudget)]) == 8


def test_a_daily_cap_needs_a_price() -> None:
    """A cap that cannot count is no cap; a cap on calls can."""
    with pytest.raises(MissingPrice, match=r"what made-up costs is not known.*prices_file"):
        asyncio.run(spend(meter_of(DAILY), model="made-up"))

    spent = Spent("made-up", input=1)
    assert asyncio.run(spend(meter_of(), spent, "made-up")) is None
    limited = meter_of(Caps(calls_per_minute=1))
    assert asyncio.run(spend(limited, spent, "made-up")) is None
    with pytest.raises(OverBudget):
        asyncio.run(spend(limited, spent, "made-up"))


async def fail(meter: Meter, failure: BaseException) -> None:
    """Make a call that comes to nothing."""
    async with meter.call("answer", "gpt-5.2"):
        raise failure


@pytest.mark.parametrize(
    ("failure", "counts"),
    [
        (UpstreamTimeout("late"), True),
        (asyncio.CancelledError(), True),
        (RateLimited("later"), False),
        (ConnectionFailed("offline"), False),
    ],
)
def test_what_may_have_been_billed_counts(failure: BaseException, counts: bool) -> None:
    """A loop of calls that time out is stopped; one that never reaches the API need not be."""
    meter = meter_of(Caps(daily_usd=0.05))

    async def twice() -> None:
        with pytest.raises(type(failure)):
            await fail(meter, failure)
        await spend(meter)

    if counts:
        with pytest.raises(OverBudget):
            asyncio.run(twice())
    else:
        asyncio.run(twice())

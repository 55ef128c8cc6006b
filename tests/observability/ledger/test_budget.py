"""The caps: who is let in, who is told to wait and for how long."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import ConnectionFailed, MissingPrice, OverBudget, RateLimited, UpstreamTimeout
from tebiki.observability.ledger.budget import Caps, duration
from tebiki.observability.ledger.entries import Spent, Start
from tebiki.observability.ledger.file import LedgerFile
from tests.support.ledgers import NOON, Clock, Warnings, entry, ledger_writer, meter_in_memory

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.observability.ledger.meter import Meter

DAILY = Caps(daily_usd=1.0)
HUGE = Spent("gpt-5.2", input=1_000_000)
"""1.75 USD."""


def test_a_day_opens_again_at_midnight_utc() -> None:
    """The error says what was spent, of what, and when to come back."""
    clock = Clock()
    kept = ledger_writer(None, DAILY, clock)
    kept.begin(Start(NOON, "a", 0.1))
    kept.write(entry(1, cost=1.25)._replace(id="a"))

    with pytest.raises(OverBudget) as refused:
        kept.begin(Start(NOON, "b", 0.1))
    assert refused.value.retry_after_seconds == 12 * 3600
    assert str(refused.value) == (
        "The daily cap is reached: an estimated 1.25 USD of budget.daily_usd = 1 is spent on "
        "2026-11-16 (UTC). Nothing was sent. Paid calls open again at 00:00 UTC, in 12 h 0 min; "
        "to go on now, raise budget.daily_usd"
    )

    clock.now = NOON + 12 * 3600
    kept.begin(Start(clock.now, "b", 0.1))


def test_running_calls_count_before_they_have_ended() -> None:
    """And stop counting when they turn out to cost less."""
    kept = ledger_writer(None, DAILY)
    kept.begin(Start(NOON, "a", 0.6))
    kept.begin(Start(NOON, "b", 0.6))

    with pytest.raises(OverBudget, match=r"about 1\.20 more is held for running calls"):
        kept.begin(Start(NOON, "c", 0.6))
    kept.write(entry(1, cost=0.01)._replace(id="a"))
    kept.begin(Start(NOON, "c", 0.6))


def test_a_minute_slides() -> None:
    """The third call gets in sixty seconds after the first, not at the full minute."""
    clock = Clock()
    kept = ledger_writer(None, Caps(calls_per_minute=2), clock)
    for second in (0, 10):
        clock.now = NOON + second
        kept.begin(Start(clock.now, f"call{second}", 0.0))

    clock.now = NOON + 25
    with pytest.raises(OverBudget, match=r"budget\.calls_per_minute = 2.*in 35 s") as refused:
        kept.begin(Start(clock.now, "early", 0.0))
    assert refused.value.retry_after_seconds == 35

    clock.now = NOON + 60
    kept.begin(Start(clock.now, "in time", 0.0))


def test_a_clock_set_back_by_years_does_not_shut_the_door() -> None:
    """Calls that began in what is now the far future are none of the last minute."""
    clock = Clock(NOON + 5 * 366 * 86_400)
    kept = ledger_writer(None, Caps(daily_usd=1, calls_per_minute=2), clock)
    for number in range(2):
        kept.begin(Start(clock.now, f"future{number}", 0.4))

    clock.now = NOON
    for number in range(2):
        kept.begin(Start(clock.now, f"now{number}", 0.4))
    with pytest.raises(OverBudget, match="in 60 s"):
        kept.begin(Start(clock.now, "third", 0.4))
    clock.now = NOON - 30
    with pytest.raises(OverBudget, match="in 2 min"):
        kept.begin(Start(clock.now, "fourth", 0.4))


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
        ledger_writer(None, Caps(daily_usd=0)).begin(Start(NOON, "a", 0.0))


def test_two_processes_share_the_caps(tmp_path: Path) -> None:
    """By the file alone; also what only runs."""
    path = str(tmp_path / "ledger.jsonl")
    first, second = (ledger_writer(LedgerFile(path), DAILY) for _ in range(2))

    first.begin(Start(NOON, "a", 0.6))
    second.begin(Start(NOON, "b", 0.6))
    with pytest.raises(OverBudget):
        first.begin(Start(NOON, "c", 0.6))
    second.write(entry(1, cost=0.1)._replace(id="b"))
    first.begin(Start(NOON, "c", 0.6))
    with pytest.raises(OverBudget):
        second.begin(Start(NOON, "d", 0.6))


def test_a_new_file_changes_nothing_for_who_follows(tmp_path: Path) -> None:
    """The sum goes on in the new file, and is not counted twice."""
    path = str(tmp_path / "ledger.jsonl")
    follower = ledger_writer(LedgerFile(path), DAILY)
    follower.begin(Start(NOON, "a", 0.1))
    writer = ledger_writer(LedgerFile(path, largest=1000))
    for number in range(9):
        writer.write(entry(number, cost=0.09))

    follower.begin(Start(NOON, "b", 0.1))
    with pytest.raises(OverBudget, match=r"0\.81 USD"):
        follower.begin(Start(NOON, "c", 0.1))
    assert (tmp_path / "ledger.jsonl.1").exists()


def test_a_ledger_that_cannot_be_written_is_kept_in_memory(tmp_path: Path) -> None:
    """Warned about once; the caps hold for this process all the same."""
    (tmp_path / "ledger.jsonl").mkdir()
    warnings = Warnings()
    kept = ledger_writer(LedgerFile(str(tmp_path / "ledger.jsonl")), DAILY, warn=warnings)

    kept.begin(Start(NOON, "a", 0.1))
    kept.write(entry(1, cost=1.5)._replace(id="a"))
    with pytest.raises(OverBudget):
        kept.begin(Start(NOON, "b", 0.1))

    assert len(warnings) == 1
    assert "ledger.jsonl cannot be written" in warnings[0]


async def spend(meter: Meter, spent: Spent = HUGE, model: str = "gpt-5.2") -> float | None:
    """Make a call that costs something."""
    async with meter.call("answer", model) as tab:
        await asyncio.sleep(0)
        return tab.settle(spent)


def test_calls_side_by_side_reserve_before_they_are_sent() -> None:
    """Of ten at once only as many start as the cap has room for by an ordinary call's cost."""

    async def ten() -> list[float | BaseException | None]:
        meter = meter_in_memory(Caps(daily_usd=0.15))
        return await asyncio.gather(*(spend(meter) for _ in range(10)), return_exceptions=True)

    results = asyncio.run(ten())

    assert len([cost for cost in results if cost == 1.75]) == 2
    assert len([refused for refused in results if isinstance(refused, OverBudget)]) == 8


def test_a_daily_cap_needs_a_price() -> None:
    """A cap that cannot count is no cap; a cap on calls can."""
    with pytest.raises(MissingPrice, match=r"what made-up costs is not known.*prices_file"):
        asyncio.run(spend(meter_in_memory(DAILY), model="made-up"))

    spent = Spent("made-up", input=1)
    assert asyncio.run(spend(meter_in_memory(), spent, "made-up")) is None
    limited = meter_in_memory(Caps(calls_per_minute=1))
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
    meter = meter_in_memory(Caps(daily_usd=0.05))

    async def twice() -> None:
        with pytest.raises(type(failure)):
            await fail(meter, failure)
        await spend(meter)

    if counts:
        with pytest.raises(OverBudget):
            asyncio.run(twice())
    else:
        asyncio.run(twice())

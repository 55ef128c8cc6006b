"""The user's caps: may one more paid call be made, and if not, when again. Pure."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tebiki.errors import OverBudget
from tebiki.named_tuples import NamedTuple
from tebiki.observability.ledger.entries import day_of
from tebiki.observability.ledger.tally import WINDOW_SECONDS

if TYPE_CHECKING:
    from tebiki.observability.ledger.tally import Tally

SECONDS_A_MINUTE, MINUTES_AN_HOUR = 60, 60


class Caps(NamedTuple):
    """What may be spent; None is without limit."""

    daily_usd: float | None = None
    calls_per_minute: int | None = None

    @property
    def any(self) -> bool:
        """Tell whether there is something to watch."""
        return self != Caps()


def check(caps: Caps, tally: Tally, now: float) -> None:
    """Let a call pass that begins now.

    Raises:
        OverBudget: a cap is reached; says which, and when it opens again.
    """
    if caps.daily_usd is not None:
        _check_day(caps.daily_usd, tally, now)
    if caps.calls_per_minute is not None:
        _check_minute(caps.calls_per_minute, tally, now)


def _check_day(most: float, tally: Tally, now: float) -> None:
    day = day_of(now)
    spent, held = tally.spent_on(day), tally.held_on(day)
    if spent + held < most:
        return
    wait = next_midnight(now) - now
    running = f", and about {held:.2f} more is held for running calls" if held else ""
    raise OverBudget(
        f"The daily cap is reached: an estimated {spent:.2f} USD of budget.daily_usd = {most:g} is "
        f"spent on {day} (UTC){running}. Nothing was sent. Paid calls open again at 00:00 UTC, "
        f"in {duration(wait)}; to go on now, raise budget.daily_usd",
        wait,
    )


def _check_minute(most: int, tally: Tally, now: float) -> None:
    # A clock that was set back leaves calls in the future; far ones would shut the door for long.
    soon = now + WINDOW_SECONDS
    begun = [time for time in tally.begun_since(now - WINDOW_SECONDS) if time <= soon]
    if len(begun) < most:
        return
    wait = max(0.0, begun[len(begun) - most] + WINDOW_SECONDS - now)
    raise OverBudget(
        f"The rate cap is reached: {len(begun)} paid calls began in the last minute and "
        f"budget.calls_per_minute = {most}. Nothing was sent. Paid calls open again in "
        f"{duration(wait)}",
        wait,
    )


def next_midnight(now: float) -> float:
    """When the next day begins, in UTC."""
    day = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return (day + timedelta(days=1)).timestamp()


def duration(seconds: float) -> str:
    """A wait in words, rounded up: who waits so long gets in."""
    whole = math.ceil(seconds)
    if whole <= SECONDS_A_MINUTE:
        return f"{whole} s"
    hours, minutes = divmod(math.ceil(whole / SECONDS_A_MINUTE), MINUTES_AN_HOUR)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"

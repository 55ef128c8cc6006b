"""Caps: may one more paid call be made, and if not, when again. Pure.

The user's caps count every call, a client's own only that client's.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from tebiki.budget.paid_calls import day_of
from tebiki.errors import OverBudget
from tebiki.named_tuples import NamedTuple

WINDOW_SECONDS = 60.0
"""What "per minute" looks back on."""

SECONDS_A_MINUTE, MINUTES_AN_HOUR = 60, 60


class Standing(NamedTuple):
    """What a ledger has counted: this day's money and calls, and when the latest calls began."""

    spent_usd: float = 0.0
    held_usd: float = 0.0
    calls: int = 0
    begun: tuple[float, ...] = ()

    def plus(self, other: Standing) -> Standing:
        """Count what two ledgers hold."""
        return Standing(
            self.spent_usd + other.spent_usd,
            self.held_usd + other.held_usd,
            self.calls + other.calls,
            tuple(sorted((*self.begun, *other.begun))),
        )


class Caps(NamedTuple):
    """What the user lets all processes spend together; None is without limit."""

    daily_usd: float | None = None
    calls_per_minute: int | None = None
    unread: str | None = None
    """What is wrong with a cap that somebody set: then nobody knows what may be spent."""

    @property
    def client(self) -> str:
        """Whose calls are counted: everybody's."""
        return ""

    @property
    def priced_by(self) -> str | None:
        """The setting that needs to know what a model costs, if it is set."""
        return None if self.daily_usd is None else "budget.daily_usd"

    @property
    def any(self) -> bool:
        """Tell whether there is something to watch."""
        return self != Caps()

    def check(self, standing: Standing, now: float) -> None:
        """Let a call pass that begins now.

        Raises:
            OverBudget: a cap is reached; says which, and when it opens again.
        """
        if self.daily_usd is not None:
            _check_day(self.daily_usd, standing, now)
        if self.calls_per_minute is not None:
            _check_minute(self.calls_per_minute, standing, now)


class ClientCaps(NamedTuple):
    """What one client of a shared server may spend in a day; None and 0 are without limit."""

    client: str
    daily_usd: float | None = None
    daily_calls: int = 0
    unread: str | None = None
    """What is wrong with a cap that somebody set."""

    @property
    def priced_by(self) -> str | None:
        """The setting that needs to know what a model costs, if it is set."""
        return None if self.daily_usd is None else "http.daily_usd"

    def check(self, standing: Standing, now: float) -> None:
        """Let a call of this client pass that begins now.

        Raises:
            OverBudget: the day's money or calls are used up.
        """
        spent, held, calls, _ = standing
        if self.daily_usd is not None and spent + held >= self.daily_usd:
            running = ", the rest is held for running calls," if held else ""
            most = f"{self.daily_usd:g}"
            words = f"an estimated {spent:.2f} USD of http.daily_usd = {most} is spent{running}"
        elif self.daily_calls and calls >= self.daily_calls:
            most = str(self.daily_calls)
            words = f"{most} paid calls of http.daily_calls = {most} were made"
        else:
            return
        wait = next_midnight(now) - now
        raise OverBudget(
            f"This client's daily budget is reached: {words} on {day_of(now)} (UTC). Nothing was "
            f"sent. Paid calls open again at 00:00 UTC, in {duration(wait)}",
            wait,
        )


Cap = Caps | ClientCaps


def _check_day(most: float, standing: Standing, now: float) -> None:
    spent, held = standing.spent_usd, standing.held_usd
    if spent + held < most:
        return
    wait = next_midnight(now) - now
    running = f", and about {held:.2f} more is held for running calls" if held else ""
    raise OverBudget(
        f"The daily cap is reached: an estimated {spent:.2f} USD of budget.daily_usd = {most:g} is "
        f"spent on {day_of(now)} (UTC){running}. Nothing was sent. Paid calls open again at 00:00 "
        f"UTC, in {duration(wait)}; to go on now, raise budget.daily_usd",
        wait,
    )


def _check_minute(most: int, standing: Standing, now: float) -> None:
    begun = standing.begun
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

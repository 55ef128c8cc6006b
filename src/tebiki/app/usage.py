"""What the ledger holds of the last days, read for people: the command line and the page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tebiki.app.settings import caps, ledger_path
from tebiki.budget.database import LedgerDatabase
from tebiki.budget.paid_calls import day_of
from tebiki.budget.prices import load_prices
from tebiki.budget.summary import add_up, group
from tebiki.errors import ConfigError
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tebiki.budget.paid_calls import PaidCall
    from tebiki.config.sources import Loaded

USUAL_DAYS, MOST_DAYS = 30, 36_500
SECONDS_A_DAY = 86_400.0


class LedgerExtract(NamedTuple):
    """What the ledger holds for the days asked about."""

    path: str
    since: str
    calls: list[PaidCall]
    broken_lines: int
    today: dict[str, Any]
    prices_as_of: str

    def as_json(self, wanted: Iterable[str]) -> dict[str, Any]:
        """The sums as a program reads them, by what is wanted."""
        groups = {
            f"by_{by}": [
                {by: name, **sums.as_json()} for name, sums in group(self.calls, by).items()
            ]
            for by in wanted
        }
        return {
            "since": self.since,
            "total": add_up(self.calls).as_json(),
            **groups,
            "today": self.today,
            "prices_as_of": self.prices_as_of,
            "broken_lines": self.broken_lines,
        }


def read_usage(
    loaded: Loaded, days: int, warn: Callable[[str], None], client: str = ""
) -> LedgerExtract:
    """Read the calls of the last days: of everybody, or of one client of a shared server.

    Raises:
        ConfigError: the ledger cannot be read.
    """
    settings = loaded.settings
    ledger = LedgerDatabase(ledger_path(settings, loaded.state_folder), warn)
    now = time.time()
    since = day_of(now - (days - 1) * SECONDS_A_DAY)
    try:
        calls, broken = ledger.calls_since(since)
        counted_today = ledger.standing(client, now)
    except OSError as refused:
        raise ConfigError(
            f"the ledger {ledger.path} cannot be read ({refused.strerror or refused}); "
            "check the file, or set ledger.path"
        ) from refused
    today = {
        "day": day_of(now),
        "spent_usd": round(counted_today.spent_usd, 6),
        "held_usd": round(counted_today.held_usd, 6),
        "daily_usd": settings["http.daily_usd"] if client else caps(settings).daily_usd,
    }
    if client:
        calls, broken = [call for call in calls if call.client == client], 0
    prices_as_of = load_prices(settings["budget.prices_file"], warn).as_of
    return LedgerExtract(ledger.path, since, calls, broken, today, prices_as_of)

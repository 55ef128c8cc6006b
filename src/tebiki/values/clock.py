"""Days as people in Japan count them; the moment itself is always an argument."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

TOKYO = timezone(timedelta(hours=9), "Asia/Tokyo")
"""Japan has had no daylight saving time since 1951; no time zone database is needed."""


def tokyo_day(timestamp: float) -> date:
    """The day in Tokyo at a moment."""
    return datetime.fromtimestamp(timestamp, TOKYO).date()

"""What headers of a reply tell of time, as numbers; an odd header tells nothing. Pure."""

from __future__ import annotations

import email.utils
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def moment_in(header: str | None) -> float | None:
    """The moment that a date names, in seconds since 1970; None when it names none."""
    found = email.utils.parsedate_tz(header) if header is not None else None
    try:
        return None if found is None else float(email.utils.mktime_tz(found))
    except (ValueError, OverflowError):
        # A year that no calendar has.
        return None


def retry_after_seconds(headers: Mapping[str, str], now: float) -> float | None:
    """How long to wait as the API told: milliseconds, seconds or a date; None when it did not."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    header = headers.get("retry-after")
    seconds = _number(header)
    if seconds is not None:
        return seconds
    moment = moment_in(header)
    return None if moment is None else max(0.0, moment - now)


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else -1.0
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None

"""Days in Tokyo: a day begins there nine hours before it begins in Greenwich."""

from __future__ import annotations

from datetime import date

import pytest

from tebiki.values.clock import tokyo_day

MIDNIGHT_IN_TOKYO = 1_794_754_800
"""2026-11-15T15:00:00Z."""


@pytest.mark.requirement("answers:citations:published-at", "websearch:request:timeframe")
@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (MIDNIGHT_IN_TOKYO - 1, date(2026, 11, 15)),
        (MIDNIGHT_IN_TOKYO, date(2026, 11, 16)),
        (MIDNIGHT_IN_TOKYO + 86_399, date(2026, 11, 16)),
    ],
)
def test_a_day_is_that_of_tokyo(moment: float, day: date) -> None:
    """To the second, whatever the machine's own zone is."""
    assert tokyo_day(moment) == day

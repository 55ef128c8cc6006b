"""What a search asks of the API."""

from __future__ import annotations

from datetime import date

import pytest

from tebiki.tools.search import TIMEFRAMES
from tebiki.websearch.request import DAYS, earliest_day, instructions, search_request

TODAY = date(2026, 11, 16)


@pytest.mark.parametrize(
    ("timeframe", "earliest"),
    [
        ("recent", "2026-11-13"),
        ("past_week", "2026-11-09"),
        ("past_month", "2026-10-16"),
        ("past_year", "2025-11-15"),
    ],
)
def test_a_timeframe_is_an_earliest_day(timeframe: str, earliest: str) -> None:
    """3, 7, 31 and 366 days back."""
    assert earliest_day(timeframe, TODAY).isoformat() == earliest
    assert f"on {earliest} or later" in instructions(10, "auto", timeframe, TODAY)


def test_every_timeframe_of_the_tool_is_known() -> None:
    """The tool names them; the engine knows what they mean."""
    assert tuple(DAYS) == TIMEFRAMES


def test_without_a_timeframe_no_day_is_named() -> None:
    """A page of any age will do."""
    assert "2026" not in instructions(10, "auto", None, TODAY)


def test_language_and_limit_are_asked_for() -> None:
    """`auto` follows the query."""
    assert "at most 7 results" in instructions(7, "auto", None, TODAY)
    assert "language of the query" in instructions(7, "auto", None, TODAY)
    assert "code ko." in instructions(7, "ko", None, TODAY)


def test_a_query_is_trimmed() -> None:
    """Blanks around it come from copying."""
    text = search_request("o3", " 天気\n", "told")["input"][0]["content"][0]["text"]

    assert text == "天気"

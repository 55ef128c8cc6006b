"""Numbers with what they count, in digits, in kanji and in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.planting import kanji_number
from tebiki.manuals.text.amounts import AMOUNTS, kanji_value, whole_amounts
from tebiki.manuals.text.folding import fold


def amounts(text: str) -> list[tuple[float, str]]:
    """The numbers of a sentence and their units."""
    return [(one.value, one.unit) for one in AMOUNTS[fold(text)].every]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("期限は三十日です", [(30, "日")]),
        ("期限は６０日です", [(60, "日")]),
        ("約三十日かかる", [(30, "日")]),
        ("二〇二六年六月十九日", [(2026, "年"), (6, "月"), (19, "日")]),
        ("60 万枚と五億人", [(600_000, "枚"), (500_000_000, "人")]),
        ("**3 日間** 保存", [(3, "日")]),
        ("11か月と十一ヶ月", [(11, "か月"), (11, "か月")]),
        ("五つの部屋", [(5, "つ")]),
        ("十分間待つ", [(10, "分")]),
        ("twenty-four hours or 2 days", [(24, "hour"), (2, "day")]),
        ("1,234円", [(1234, "円")]),
        ("$10 and ¥500", [(10, "$"), (500, "円")]),
        ("到着後十四日、最大五人", [(14, "日"), (5, "人")]),
        ("十分に待つ", []),
        ("一部の人と唯一人", []),
        ("E-1042 on KD-300", []),
        ("第2会議室", []),
        ("第二十三回", []),
    ],
)
def test_numbers_are_read_as_they_are_written(text: str, expected: list[tuple[float, str]]) -> None:
    """With their units in one spelling; words that only look like numbers are none."""
    assert amounts(text) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("2025年3月31日", "二〇二五年三月三十一日", "2025/03/31"), (20250331, "年月日")),
        (("March 31, 2025", "31 March 2025", "mar. 31st 2025", "2025-03-31"), (20250331, "年月日")),
        (("4月10日", "April 10", "10th of April"), (410, "月日")),
        (("17時", "午後5時", "午後五時", "17:00", "5 pm", "5:00 p.m."), (17, "時刻")),
        (("午前9時半", "9:30", "9時30分", "9:30 am"), (9.5, "時刻")),
        (("24時間", "二十四時間"), (24, "時")),
    ],
)
def test_a_date_or_a_time_of_day_is_one_number(
    texts: tuple[str, ...], expected: tuple[float, str]
) -> None:
    """Whatever it is written with."""
    for text in texts:
        (found,) = whole_amounts(fold(text)).every
        assert (found.value, found.unit) == expected, text


@pytest.mark.parametrize("text", ["12:30:45", "16-9", "10-20-30", "may 5 of 10", "1/2/3", "# 3:15"])
def test_numbers_that_only_look_like_a_date_stay_apart(text: str) -> None:
    """Ratios and ranges are none, and a text with such marks of its own is left alone."""
    assert whole_amounts(fold(text)) == AMOUNTS[fold(text)]


@given(st.integers(min_value=1, max_value=9999))
def test_kanji_are_read_as_they_are_written(number: int) -> None:
    """Whatever the number."""
    assert kanji_value(kanji_number(number)) == number
    assert amounts(f"定員は{kanji_number(number)}名です") == [(number, "名")]


@given(st.text(alphabet="〇一二三四五六七八九十百千万億兆0123456789,.日つ年 *~-", max_size=40))
def test_nothing_that_looks_like_a_number_is_too_much(text: str) -> None:
    """Every sentence has some numbers or none, and as many marks as numbers."""
    for found in (AMOUNTS[fold(text)], whole_amounts(fold(text))):
        assert found.rest.count("#") == len(found.every)

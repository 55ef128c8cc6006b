"""Which script a sign is of, and patterns that wait for their first use.

A class of all kanji takes a millisecond to compile, and a find needs few of them: what it asks of
one sign is compared, and what it looks for in a text is compiled when there is such a text.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

HIRAGANA = "\u3041-\u3096"
KATAKANA = "\u30a1-\u30fa\u30fc"
KANJI = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f"
JAPANESE = (
    "\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f"
)
"""Kanji, hiragana and katakana after normalisation, as the inside of a character class."""


def lazy_pattern(pattern: str) -> Callable[[], re.Pattern[str]]:
    """A pattern that is compiled when it is first asked for; twice by two threads does no harm."""
    return cache(lambda: re.compile(pattern))


def is_kanji(sign: str) -> bool:
    """Tell whether a sign is one of `KANJI`; none at all is not."""
    return (
        "\u4e00" <= sign <= "\u9fff"
        or "\u3400" <= sign <= "\u4dbf"
        or "\u3005" <= sign <= "\u3007"
        or "\U00020000" <= sign <= "\U0003134f"
    )


def is_hiragana(sign: str) -> bool:
    """Tell whether a sign is one of `HIRAGANA`."""
    return "\u3041" <= sign <= "\u3096"


def is_katakana(sign: str) -> bool:
    """Tell whether a sign is one of `KATAKANA`."""
    return "\u30a1" <= sign <= "\u30fa" or sign == "\u30fc"


def is_japanese(sign: str) -> bool:
    """Tell whether a sign is one of `JAPANESE`."""
    return is_kanji(sign) or is_hiragana(sign) or is_katakana(sign)

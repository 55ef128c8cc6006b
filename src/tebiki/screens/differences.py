"""What one of two passages that disagree says and the other does not, for marking it. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tebiki.manuals.text.folding import HIRAGANA, KANJI, KATAKANA, lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_PIECES = 4
"""Passages that differ in more have been put in other words: no piece tells them apart."""

SHORTEST_KANA = 2
"""A single one stands in every sentence."""

DIGITS = "0-9\uff10-\uff19"
PIECES = lazy_pattern(
    rf"[{DIGITS}]+(?:[.,:/][{DIGITS}]+)*"
    rf"|[A-Za-z]+(?:'[a-z]+)?|[{KANJI}]+|[{KATAKANA}]+|[{HIRAGANA}]{{{SHORTEST_KANA},}}"
)
NUMBER = re.compile(f"[{DIGITS}]")


def pieces_only_in(text: str, others: Iterable[str]) -> list[str]:
    """The pieces of a passage that none of the others has; numbers alone where it has some.

    None at all where too many differ.
    """
    known = {piece.casefold() for other in others for piece in PIECES().findall(other)}
    new = [one for one in dict.fromkeys(PIECES().findall(text)) if one.casefold() not in known]
    numbers = list(filter(NUMBER.match, new))
    found = numbers or new
    return found if len(found) <= MOST_PIECES else []

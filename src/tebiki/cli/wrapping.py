"""Text broken into lines of a width in columns, Japanese too; pure.

A wide sign takes two columns, and a line may end between two of them, but not before a sign that
ends something nor after one that begins something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.cli.plain import cells

if TYPE_CHECKING:
    from collections.abc import Iterator

NARROWEST = 20
"""Columns; on a narrower terminal lines are broken as on this one."""

NOT_FIRST = frozenset(
    "、。，．・：；？！゛゜ヽヾゝゞ々ー）］｝」』】〉》〕…‥％"
    "ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ"
)
NOT_LAST = frozenset("（［｛「『【〈《〔")
WIDE = 2


def wrap(text: str, width: int) -> list[str]:
    """Break a text into lines; white space of any kind is one blank. There is always a line."""
    width = max(width, NARROWEST)
    lines = [""]
    for has_blank, piece in _pieces(text):
        joined = f"{lines[-1]} {piece}" if has_blank and lines[-1] else lines[-1] + piece
        if cells(joined) <= width:
            lines[-1] = joined
        else:
            lines += _chop(piece, width)
    return lines if lines[0] or len(lines) == 1 else lines[1:]


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """What may not be parted, each with whether a blank stands before it."""
    for word in text.split():
        space, start = True, 0
        for at in range(1, len(word)):
            if _may_part(word[at - 1], word[at]):
                yield space, word[start:at]
                space, start = False, at
        yield space, word[start:]


def _may_part(before: str, after: str) -> bool:
    if after in NOT_FIRST or before in NOT_LAST:
        return False
    # A sign of no width belongs to the one before it.
    return cells(after) > 0 and WIDE in (cells(before), cells(after))


def _chop(piece: str, width: int) -> list[str]:
    """A word that is longer than a line, such as an address, in parts that fit."""
    parts, used = [""], 0
    for sign in piece:
        size = cells(sign)
        if used + size > width:
            parts.append("")
            used = 0
        parts[-1] += sign
        used += size
    return parts

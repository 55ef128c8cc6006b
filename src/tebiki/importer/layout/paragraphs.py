"""Lines into paragraphs: what belongs together is joined, what begins anew stands apart."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from tebiki.importer.joining import FIRST_CJK, join_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tebiki.importer.layout.runs import TextLine

BEGINS_ITEM = re.compile(
    r"^(?:[・•●○◎■□◆◇▲△▼▽★☆※➢➤✓✔►▶–—*\-]\s*\S"
    r"|[\(（]?(?:\d{1,3}|[a-zA-Zア-ン一二三四五六七八九十]|[ivx]{1,4})[\)）]"
    r"|[①-⑳⓪㈠-㈩]|\d{1,3}[.．、](?!\d)\s*\S|\d{1,2}(?:[.．-]\d{1,2})+\s+\S"
    r"|第[\d一二三四五六七八九十]+[章節条項編部]|[注註][)）:：\d])"
)
ENDS_SENTENCE = re.compile(r"[。．.!?！？:：」』）)】]$")
FARTHEST = 1.45
"""Times the usual distance between lines: what is further down is something new."""

SAME_SIZE = 0.12
INDENT = 0.7
SHORT = 2.5
"""In letters: a line that ends so far before the others ends its paragraph."""

FULL_WIDTH_SPACE = "\u3000"
USUAL_LEADING = 1.8


class Paragraph:
    """Lines that are one paragraph."""

    __slots__ = ("lines",)

    def __init__(self, line: TextLine) -> None:
        self.lines = [line]

    @property
    def text(self) -> str:
        """All lines in one."""
        return join_all([line.text for line in self.lines])


def paragraphs_of(lines: Sequence[TextLine], is_title: Iterable[bool]) -> list[Paragraph]:
    """Lines of one column as paragraphs; titles stand alone."""
    if not lines:
        return []
    leading = _leading(lines)
    right = max(line.x1 for line in lines)
    left = min(line.x0 for line in lines)
    found: list[Paragraph] = []
    last: TextLine | None = None
    for line, alone in zip(lines, is_title, strict=True):
        is_new = last is None or alone or _is_new(last, line, leading, (left, right))
        if is_new:
            found.append(Paragraph(line))
        else:
            found[-1].lines.append(line)
        last = None if alone else line
    return found


def _leading(lines: Sequence[TextLine]) -> float:
    """The usual distance from one line to the next, in heights of a line."""
    steps = sorted(
        (low.y1 - up.y1) / up.size
        for up, low in pairwise(lines)
        if up.size and abs(up.size - low.size) < SAME_SIZE * up.size and low.y1 > up.y1
    )
    usual = [step for step in steps if step < 3]  # noqa: PLR2004 -- what is further is a gap
    return usual[len(usual) // 3] if usual else USUAL_LEADING


def _is_new(last: TextLine, line: TextLine, leading: float, edges: tuple[float, float]) -> bool:
    """Tell whether a line begins a paragraph."""
    size = max(last.size, 1)
    if abs(line.size - last.size) > SAME_SIZE * size:
        return True
    step = (line.y1 - last.y1) / size
    if step > FARTHEST * leading or step < 0:
        return True
    text, before = line.text, last.text
    if BEGINS_ITEM.match(text) or _are_centred(last, line, edges):
        return True
    indented = line.x0 - last.x0 > INDENT * size or text.startswith(FULL_WIDTH_SPACE)
    if indented and not BEGINS_ITEM.match(before) and last.x0 - edges[0] < 3 * size:
        return True
    return _is_short(last, before, edges[1], size)


def _are_centred(last: TextLine, line: TextLine, edges: tuple[float, float]) -> bool:
    """Tell lines of a title page, which share a middle and nothing else."""
    middle = (line.x0 + line.x1) / 2 - (last.x0 + last.x1) / 2
    is_inset = min(last.x0, line.x0) - edges[0] > line.size < edges[1] - max(last.x1, line.x1)
    return abs(middle) < line.size / 2 and is_inset and abs(last.x0 - line.x0) > line.size / 2


def _is_short(line: TextLine, text: str, right: float, size: float) -> bool:
    missing = right - line.x1
    if missing > SHORT * size and ENDS_SENTENCE.search(text):
        return True
    # Japanese fills its lines; other text is often ragged.
    limit = 0.4 if text[-1:] >= FIRST_CJK else 0.6
    return missing > limit * max(right - line.x0, size)

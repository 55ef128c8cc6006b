"""Pieces of text with their places on a page: what everything else is made of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tebiki.importer.joining import FIRST_CJK, HYPHEN_AT_END, clean
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LEADERS = re.compile(r"(?:[.．・…‥·][ \u3000]?){4,}")
WORD_GAP = 0.16
"""Of a letter's height: what is further apart is two words; Japanese has no such gaps."""

CJK_GAP = 0.6
SAME_ROW = 0.5
"""Of the lower of two pieces: what overlaps more stands on one line."""


class Run:
    """A piece of a line without a wide gap: its box, its text, and where each character begins."""

    __slots__ = ("is_bold", "size", "starts", "text", "x0", "x1", "y0", "y1")

    def __init__(
        self,
        box: tuple[float, float, float, float],
        text: str,
        starts: list[float],
        size: float,
        *,
        is_bold: bool = False,
    ) -> None:
        self.x0, self.y0, self.x1, self.y1 = box
        self.text = text
        self.starts = starts
        self.size = size
        self.is_bold = is_bold

    @property
    def middle(self) -> float:
        """Half way down."""
        return (self.y0 + self.y1) / 2

    @property
    def centre(self) -> float:
        """Half way along."""
        return (self.x0 + self.x1) / 2

    def cut_at(self, x: float) -> list[Run]:
        """The pieces left and right of a line that goes through it."""
        at = next((n for n, start in enumerate(self.starts) if start >= x - 1), len(self.starts))
        if at in {0, len(self.starts)}:
            return [self]
        left, right = self.text[:at], self.text[at:]
        parts = [
            Run(
                (self.x0, self.y0, x, self.y1),
                left,
                self.starts[:at],
                self.size,
                is_bold=self.is_bold,
            ),
            Run(
                (self.starts[at], self.y0, self.x1, self.y1),
                right,
                self.starts[at:],
                self.size,
                is_bold=self.is_bold,
            ),
        ]
        return [part for part in parts if part.text.strip()]


class TextLine(NamedTuple):
    """What stands on one line of a column: runs from left to right, and the line as one reads it.

    A hyphen at its end may still be one that only divides.
    """

    runs: tuple[Run, ...]
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    text: str

    @property
    def is_bold(self) -> bool:
        """Whether all of it is set in bold type."""
        return all(run.is_bold for run in self.runs)


class Rule(NamedTuple):
    """A line that is drawn: upright ones have one x, level ones one y."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def is_upright(self) -> bool:
        """Whether it goes down, and not along."""
        return self.y1 - self.y0 > self.x1 - self.x0


def line_of(runs: Iterable[Run]) -> TextLine:
    """Make a line of runs that stand on it."""
    ordered = tuple(sorted(runs, key=lambda run: run.x0))
    sizes = sorted(run.size for run in ordered for _ in range(max(1, len(run.text) // 4)))
    return TextLine(
        ordered,
        min(run.x0 for run in ordered),
        min(run.y0 for run in ordered),
        max(run.x1 for run in ordered),
        max(run.y1 for run in ordered),
        sizes[len(sizes) // 2],
        _text(ordered),
    )


def _text(runs: Sequence[Run]) -> str:
    text = join_spaced(runs)
    hyphen = HYPHEN_AT_END.search(text)
    return LEADERS.sub(" … ", clean(text)) + (hyphen[0] if hyphen else "")


def join_spaced(runs: Sequence[Run]) -> str:
    """The texts of runs that stand beside each other, with spaces where a reader sees one."""
    joined = ""
    last: Run | None = None
    for run in runs:
        if last is not None and run.x0 - last.x1 > _gap(last, run):
            joined += " "
        joined += run.text
        last = run
    return joined


def _gap(left: Run, right: Run) -> float:
    is_cjk = left.text[-1] >= FIRST_CJK or right.text[0] >= FIRST_CJK
    return (CJK_GAP if is_cjk else WORD_GAP) * max(left.size, right.size)


def rows_of(runs: Iterable[Run]) -> list[list[Run]]:
    """Runs that stand on the same height, from the top."""
    rows: list[list[Run]] = []
    tops: list[float] = []
    bottoms: list[float] = []
    for run in sorted(runs, key=lambda run: (run.middle, run.x0)):
        for at in range(len(rows) - 1, max(-1, len(rows) - 4), -1):
            shared = min(bottoms[at], run.y1) - max(tops[at], run.y0)
            if shared > SAME_ROW * min(bottoms[at] - tops[at], run.y1 - run.y0):
                rows[at].append(run)
                if run.size >= max(one.size for one in rows[at]):
                    tops[at], bottoms[at] = run.y0, run.y1
                break
        else:
            rows.append([run])
            tops.append(run.y0)
            bottoms.append(run.y1)
    return [sorted(row, key=lambda run: run.x0) for row in rows]

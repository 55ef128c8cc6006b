"""Which lines of a table without upright lines are one row: cells may be of several lines.

Level lines that are drawn part rows. Else rows stand further apart than the lines of a cell, or a
line that goes on has nothing in the first column.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.importer.layout.runs import Run

    Line = list[list[Run]]
    """The pieces of a line, column by column."""

WIDER = 1.18
"""Times the distance of lines in a cell: what is further down is the next row."""

FEWEST_WIDE = 2
MANY_WIDE = 3
SHARE_OF_PARTIAL = 0.25
"""Of the lines that would go on: so many have nothing in some column."""

FEWEST_RULES = 3
"""With more level lines in a table, each row has one below it."""

REACHES = 0.75
"""Of a column's width: what is shorter would not have gone on."""


def rows_of_table(
    lines: Sequence[Line], columns: Sequence[tuple[float, float]], rules: Sequence[float]
) -> list[list[list[list[Run]]]]:
    """The lines as rows of cells, each cell with the pieces of its lines."""
    begins = _begins(lines, columns, rules)
    rows: list[list[list[list[Run]]]] = []
    for line, is_new in zip(lines, begins, strict=True):
        if is_new:
            rows.append([[] for _ in columns])
        for cell, pieces in zip(rows[-1], line, strict=True):
            if pieces:
                cell.append(pieces)
    return rows


def _begins(
    lines: Sequence[Line], columns: Sequence[tuple[float, float]], rules: Sequence[float]
) -> list[bool]:
    """Whether each line begins a row."""
    parted = [_is_between(rules, up, low) for up, low in pairwise(lines)]
    if sum(parted) >= FEWEST_RULES:
        return [True, *parted]
    wide = _wide_steps(lines)
    if wide is not None:
        return [True, *(a or b for a, b in zip(parted, wide, strict=True))]
    return [
        True,
        *(
            is_parted or not _goes_on(up, low, columns)
            for is_parted, (up, low) in zip(parted, pairwise(lines), strict=True)
        ),
    ]


def _is_between(rules: Sequence[float], upper: Line, lower: Line) -> bool:
    return any(_middle(upper) < y < _middle(lower) for y in rules)


def _middle(line: Line) -> float:
    pieces = [run for cell in line for run in cell]
    return sum(run.middle for run in pieces) / len(pieces)


def _wide_steps(lines: Sequence[Line]) -> list[bool] | None:
    """Which steps from line to line are wider than those in cells; None where all are rows."""
    steps = [low - up for up, low in pairwise(_middle(line) for line in lines)]
    if not steps:
        return None
    least = sorted(steps)[len(steps) // 10]
    wide = [step > WIDER * least for step in steps]
    close = [low for low, is_wide in zip(lines[1:], wide, strict=True) if not is_wide]
    partial = sum(not all(line) for line in close)
    if not close or sum(wide) < FEWEST_WIDE:
        return None
    if partial < SHARE_OF_PARTIAL * len(close) or partial == 0:
        return None
    # A head that stands apart says nothing of the rows below it.
    is_spread = sum(wide) >= MANY_WIDE or partial > len(close) / 2
    return wide if is_spread else None


def _goes_on(upper: Line, lower: Line, columns: Sequence[tuple[float, float]]) -> bool:
    """Tell whether a line goes on with the cells above it: nothing in the first column."""
    if lower[0]:
        return False
    for above, cell, (x0, x1) in zip(upper, lower, columns, strict=True):
        if cell and (not above or above[-1].x1 - x0 < REACHES * (x1 - x0)):
            return False
    return True

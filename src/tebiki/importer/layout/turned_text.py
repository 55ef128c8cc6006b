"""Text that runs up or down beside text that runs along: tabs at a page's edge, turned labels.

Each of its characters stands on a line of its own there; among the lines of a page they would be
read one by one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from tebiki.importer.joining import FIRST_CJK
from tebiki.importer.layout.runs import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST = 4
NEAR = 0.3
"""Of a character: how far off a column its middle may be."""

FARTHEST = 1.4
"""Characters from one to the next; marks in the rows of a table are further apart."""

MARGIN = 0.12
"""Of a page's width: Japanese that runs down further in is the cell of a table, or a heading."""

MOST_TOGETHER = 2
WORD_GAP = 0.25


def part_turned(runs: Sequence[Run], width: float) -> tuple[list[Run], list[Run]]:
    """Take what runs up or down out of the runs of a page: what is left, and each such text."""
    if sum(len(run.text) <= MOST_TOGETHER for run in runs) < FEWEST:
        return list(runs), []
    left: list[Run] = []
    turned: list[Run] = []
    held: list[Run] = []
    for run in [*runs, None]:
        if run is not None and (not held or _goes_on(held, run)):
            held.append(run)
            continue
        if _is_turned(held, width):
            turned.append(_as_one(held))
        else:
            left += held
        held = [] if run is None else [run]
    return left, turned


def _goes_on(held: list[Run], run: Run) -> bool:
    last = held[-1]
    if len(run.text) > MOST_TOGETHER or len(last.text) > MOST_TOGETHER:
        return False
    size = max(last.size, run.size)
    step = run.middle - last.middle
    if abs(run.centre - last.centre) > NEAR * size or not 0 < abs(step) < FARTHEST * size:
        return False
    return len(held) < 2 or (step > 0) == (last.middle > held[-2].middle)  # noqa: PLR2004


def _is_turned(held: list[Run], width: float) -> bool:
    if len(held) < FEWEST or all(run.text.isdigit() for run in held):
        return False
    is_up = held[1].middle < held[0].middle
    is_cjk = sum(run.text[0] >= FIRST_CJK for run in held) > len(held) / 2
    at_edge = held[0].x1 < MARGIN * width or held[0].x0 > (1 - MARGIN) * width
    return at_edge if is_cjk and not is_up else True


def _as_one(held: list[Run]) -> Run:
    """Characters one after the other as one run, with a space where they stand apart."""
    steps = sorted(abs(low.middle - up.middle) for up, low in pairwise(held))
    usual = steps[len(steps) // 2]
    text = held[0].text
    for last, run in pairwise(held):
        is_apart = abs(run.middle - last.middle) > usual + WORD_GAP * run.size
        text += f" {run.text}" if is_apart and run.text[0] < FIRST_CJK else run.text
    box = (
        min(run.x0 for run in held),
        min(run.y0 for run in held),
        max(run.x1 for run in held),
        max(run.y1 for run in held),
    )
    return Run(box, text, [box[0]] * len(text), held[0].size, is_bold=held[0].is_bold)

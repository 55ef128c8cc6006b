"""The order in which a page is read: across what spans it, then down one column after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.importer.layout.runs import rows_of
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.importer.layout.runs import Run

NARROWEST_GUTTER = 0.9
"""Between columns of text, in letters."""

FEWEST_LINES = 4
FULL = 0.8
"""Of a column's width: lines that reach so far are running text, and not cells of a table."""

FULL_SHARE = 0.2
FULL_IN_A_ROW = 2
"""Of a paragraph's lines all but the last are full, and follow each other."""

NARROWEST_COLUMN = 8.0
"""In letters."""

NARROWEST_SHARE = 0.6
"""Of the wider of two columns: what is narrower stands beside a text, and is none."""

TABLE = "\ufffc"
"""What stands in a page for a table that was found before."""

DEEPEST = 3
STEP = 4.0


class Region(NamedTuple):
    """Runs that are read together, from top to bottom."""

    runs: list[Run]
    x0: float
    x1: float


def regions_of(runs: Sequence[Run], depth: int = 0) -> list[Region]:
    """Runs in the order of reading, column by column."""
    if not runs:
        return []
    x0, x1 = min(run.x0 for run in runs), max(run.x1 for run in runs)
    gutter = _gutter(runs, x0, x1) if depth < DEEPEST and len(runs) > 2 * FEWEST_LINES else None
    if gutter is None:
        return [Region(list(runs), x0, x1)]
    found: list[Region] = []
    held: list[Run] = []
    for row in rows_of(runs):
        if any(run.x0 < gutter < run.x1 for run in row):
            found += _split(held, gutter, depth)
            held = []
            found += [Region(row, min(run.x0 for run in row), max(run.x1 for run in row))]
        else:
            held += row
    return _joined(found + _split(held, gutter, depth))


def _split(runs: list[Run], gutter: float, depth: int) -> list[Region]:
    left = [run for run in runs if run.centre < gutter]
    right = [run for run in runs if run.centre >= gutter]
    return regions_of(left, depth + 1) + regions_of(right, depth + 1)


def _joined(regions: list[Region]) -> list[Region]:
    """Lines that span the page, one below the other, are one region."""
    joined: list[Region] = []
    for one in regions:
        last = joined[-1] if joined else None
        is_next = last is not None and abs(last.x0 - one.x0) < STEP * 4 and _is_below(last, one)
        if last is not None and is_next:
            joined[-1] = Region(last.runs + one.runs, min(last.x0, one.x0), max(last.x1, one.x1))
        else:
            joined.append(one)
    return joined


def _is_below(upper: Region, lower: Region) -> bool:
    return min(run.middle for run in lower.runs) > max(run.middle for run in upper.runs)


def _gutter(runs: Sequence[Run], x0: float, x1: float) -> float | None:
    """Where two columns of running text part; None where there are none."""
    sizes = sorted(run.size for run in runs if run.text != TABLE)
    size = sizes[len(sizes) // 2] if sizes else 0.0
    if x1 - x0 < 2 * NARROWEST_COLUMN * size:
        return None
    best: tuple[float, float] | None = None
    crossing = _crossings(runs, x0, x1)
    allowed = max(1, len(runs) // 8)
    start: int | None = None
    for at, count in enumerate([*crossing, allowed + 1]):
        if count <= allowed:
            start = at if start is None else start
            continue
        if start is not None and (at - start) * STEP >= NARROWEST_GUTTER * size:
            width, place = _emptiest(crossing[start:at])
            middle = x0 + (start + place) * STEP
            if (best is None or width > best[0]) and _are_columns(runs, middle, size):
                best = (width, middle)
        start = None
    return best[1] if best else None


def _emptiest(strips: list[int]) -> tuple[int, float]:
    """The widest stretch of strips that the fewest runs lie over: its width, and its middle."""
    fewest = min(strips)
    best, length = (0, 0.0), 0
    for at, count in enumerate([*strips, fewest + 1]):
        if count == fewest:
            length += 1
            continue
        best = max(best, (length, at - length / 2))
        length = 0
    return best


def _crossings(runs: Sequence[Run], x0: float, x1: float) -> list[int]:
    """How many runs lie over each narrow strip of the page."""
    changes = [0] * (int((x1 - x0) / STEP) + 2)
    for run in runs:
        changes[int((run.x0 - x0) / STEP)] += 1
        changes[int((run.x1 - x0) / STEP) + 1 if run.x1 < x1 else -1] -= 1
    total = 0
    crossing = []
    for change in changes[:-1]:
        total += change
        crossing.append(total)
    return crossing


def _are_columns(runs: Sequence[Run], middle: float, size: float) -> bool:
    """Tell columns of text from those of a table: as wide, and with lines that go all the way."""
    left = [run for run in runs if run.x1 <= middle]
    right = [run for run in runs if run.x0 >= middle]
    if not left or not right:
        return False
    widths = [max(run.x1 for run in side) - min(run.x0 for run in side) for side in (left, right)]
    if min(widths) < max(NARROWEST_COLUMN * size, NARROWEST_SHARE * max(widths)):
        return False
    return all(_is_text(side) for side in (left, right))


def _is_text(side: list[Run]) -> bool:
    """Tell whether a column has paragraphs in it."""
    x0, x1 = min(run.x0 for run in side), max(run.x1 for run in side)
    rows = rows_of(run for run in side if run.text != TABLE)
    if len(rows) < FEWEST_LINES:
        # A column may be all table.
        return len(rows) < len(side)
    full = [_is_full(row, x1 - x0) for row in rows]
    follows = any(all(full[at : at + FULL_IN_A_ROW]) for at in range(len(full) - 1))
    return follows and sum(full) >= FULL_SHARE * len(rows)


def _is_full(row: list[Run], width: float) -> bool:
    text = sum(run.x1 - run.x0 for run in row)
    return row[-1].x1 - row[0].x0 > FULL * width and text > FULL * (row[-1].x1 - row[0].x0)

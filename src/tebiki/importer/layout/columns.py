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

FEWEST_BESIDE = 2
MANY_LINES = 10
SAME_HEIGHT = 1.2
APART_SHARE = 0.6
"""Cells of a row stand at the same height; lines of two columns do so by chance, or on a grid."""

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


def gutter_of(runs: Sequence[Run]) -> float | None:
    """Where two columns of running text part; None where there are none."""
    if len(runs) <= 2 * FEWEST_LINES:
        return None
    return _gutter(runs, min(run.x0 for run in runs), max(run.x1 for run in runs))


def usual_gutters(pages: Sequence[Sequence[Run]]) -> list[float | None]:
    """For each page where its columns part; one that does not show it is set as most others are."""
    found = [gutter_of(runs) for runs in pages]
    known = sorted(one for one in found if one is not None)
    if 2 * len(known) < sum(map(bool, pages)):
        return found
    usual = known[len(known) // 2] if known else 0.0
    return [
        usual if one is None and _parts_at(runs, usual) else one
        for one, runs in zip(found, pages, strict=True)
    ]


def _parts_at(runs: Sequence[Run], gutter: float) -> bool:
    """Tell whether a page may have its columns there: something on both sides, little across."""
    left = sum(run.x1 <= gutter for run in runs)
    right = sum(run.x0 >= gutter for run in runs)
    across = len(runs) - left - right
    return min(left, right) >= FEWEST_BESIDE and across <= max(1, len(runs) // 8)


def regions_of(runs: Sequence[Run], gutter: float | None = None, depth: int = 0) -> list[Region]:
    """Runs in the order of reading, column by column; the page's columns part at the gutter."""
    if not runs:
        return []
    if gutter is None:
        x0, x1 = min(run.x0 for run in runs), max(run.x1 for run in runs)
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
    return _join(found + _split(held, gutter, depth))


def _split(runs: list[Run], gutter: float, depth: int) -> list[Region]:
    left = [run for run in runs if run.centre < gutter]
    right = [run for run in runs if run.centre >= gutter]
    return _regions_below(left, depth) + _regions_below(right, depth)


def _regions_below(runs: list[Run], depth: int) -> list[Region]:
    """A column may have columns itself."""
    gutter = gutter_of(runs) if depth + 1 < DEEPEST else None
    return regions_of(runs, gutter, depth + 1)


def _join(regions: list[Region]) -> list[Region]:
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
    """As `gutter_of`, of what lies between two edges."""
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
    return all(_is_text(side) for side in (left, right)) or _are_apart(left, right)


def _are_apart(left: list[Run], right: list[Run]) -> bool:
    """Tell whether the lines of two columns stand at heights of their own, as no cells do."""
    heights = [sorted(_heights(side)) for side in (left, right)]
    if min(map(len, heights)) < MANY_LINES:
        return False
    low, high = max(one[0] for one in heights), min(one[-1] for one in heights)
    beside = [y for y in heights[0] if low - 1 <= y <= high + 1]
    apart = sum(all(abs(y - other) > SAME_HEIGHT for other in heights[1]) for y in beside)
    return len(beside) >= MANY_LINES and apart > APART_SHARE * len(beside)


def _heights(side: list[Run]) -> list[float]:
    return [row[0].middle for row in rows_of(run for run in side if run.text != TABLE)]


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

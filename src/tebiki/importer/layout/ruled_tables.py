"""Tables that are drawn: lines that cross make cells, and what stands in a cell stays in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.importer.joining import join_all
from tebiki.importer.layout.runs import Rule, line_of, rows_of
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tebiki.importer.layout.runs import Run

NEAR = 3.0
"""Points between lines that are meant to be one, or to meet."""

SHORTEST = 6.0
MOST_RULES = 3_000
"""Of one page: what has more is a drawing."""

MOST_CELLS = 20_000


class Table(NamedTuple):
    """A table, where it is, the runs in it, and where its columns part if that is drawn."""

    box: tuple[float, float, float, float]
    rows: list[list[str]]
    runs: list[Run]
    edges: tuple[float, ...] = ()


class _Grid(NamedTuple):
    """Lines that meet: where the upright and the level ones are."""

    xs: list[float]
    ys: list[float]
    rules: list[Rule]


def cut_by_rules(runs: Iterable[Run], rules: Sequence[Rule]) -> list[Run]:
    """Cut runs where an upright line goes through them: two cells are never one word."""
    upright = sorted(rule for rule in rules if rule.is_upright and rule.y1 - rule.y0 > SHORTEST)
    if not upright:
        return list(runs)
    cut: list[Run] = []
    for run in runs:
        pieces = [run]
        for rule in upright:
            last = pieces[-1]
            is_through = last.x0 + NEAR / 2 < rule.x0 < last.x1 - NEAR / 2
            if is_through and rule.y0 - 1 < run.middle < rule.y1 + 1:
                pieces[-1:] = last.cut_at(rule.x0)
        cut += pieces
    return cut


def find_ruled(runs: Sequence[Run], rules: Sequence[Rule]) -> list[Table]:
    """The tables that lines are drawn around."""
    if not rules or len(rules) > MOST_RULES:
        return []
    tables: list[Table] = []
    left = list(runs)
    for group in _group_meeting([rule for rule in rules if _length(rule) > SHORTEST]):
        grid = _grid(group)
        if grid is None:
            continue
        table = _fill(grid, left)
        if table is not None:
            taken = set(map(id, table.runs))
            left = [run for run in left if id(run) not in taken]
            tables.append(table)
    return tables


def _length(rule: Rule) -> float:
    return max(rule.x1 - rule.x0, rule.y1 - rule.y0)


def _group_meeting(rules: list[Rule]) -> list[list[Rule]]:
    """Rules that touch or cross, in groups."""
    groups: list[tuple[list[float], list[Rule]]] = []
    for rule in sorted(rules, key=lambda one: one.y0):
        mine: tuple[list[float], list[Rule]] = ([rule.x0, rule.y0, rule.x1, rule.y1], [rule])
        others = []
        for group in groups:
            if _touch(group, rule):
                box, held = group
                mine[1].extend(held)
                _grow(mine[0], box)
            else:
                others.append(group)
        groups = [*others, mine]
    return [held for _, held in groups]


def _touch(group: tuple[list[float], list[Rule]], rule: Rule) -> bool:
    x0, y0, x1, y1 = group[0]
    if rule.x0 > x1 + NEAR or rule.x1 < x0 - NEAR or rule.y0 > y1 + NEAR or rule.y1 < y0 - NEAR:
        return False
    return any(
        rule.x0 <= one.x1 + NEAR
        and rule.x1 >= one.x0 - NEAR
        and rule.y0 <= one.y1 + NEAR
        and rule.y1 >= one.y0 - NEAR
        for one in group[1]
    )


def _grow(box: list[float], other: Sequence[float]) -> None:
    box[0], box[1] = min(box[0], other[0]), min(box[1], other[1])
    box[2], box[3] = max(box[2], other[2]), max(box[3], other[3])


def _grid(rules: list[Rule]) -> _Grid | None:
    """The grid that lines make; None where they make none."""
    upright = [rule for rule in rules if rule.is_upright]
    level = [rule for rule in rules if not rule.is_upright]
    if not upright or len(level) < 2:  # noqa: PLR2004 -- above and below
        return None
    # A table may be open at its sides, and so may a box be at its top.
    xs = _merge(
        [rule.x0 for rule in upright] + [min(r.x0 for r in level), max(r.x1 for r in level)]
    )
    ys = _merge(
        [rule.y0 for rule in level] + [min(r.y0 for r in upright), max(r.y1 for r in upright)]
    )
    cells = (len(xs) - 1) * (len(ys) - 1)
    return _Grid(xs, ys, rules) if 1 < cells <= MOST_CELLS and len(xs) > 2 else None  # noqa: PLR2004


def _merge(values: list[float]) -> list[float]:
    """Values without those that are meant to be one."""
    merged: list[float] = []
    for value in sorted(values):
        if not merged or value - merged[-1] > NEAR:
            merged.append(value)
    return merged


def _fill(grid: _Grid, runs: Sequence[Run]) -> Table | None:
    """Put runs into the cells of a grid; None where that shows it is no table."""
    box = (grid.xs[0], grid.ys[0], grid.xs[-1], grid.ys[-1])
    inside = [
        run
        for run in runs
        if box[0] - NEAR < run.centre < box[2] + NEAR and box[1] - 1 < run.middle < box[3] + 1
    ]
    if not inside:
        return None
    firsts = _first_cells(grid)
    cells: dict[tuple[int, int], list[Run]] = {}
    for run in inside:
        row, column = _at(grid.ys, run.middle), _at(grid.xs, run.centre)
        cells.setdefault(firsts[row, column], []).append(run)
    if len(cells) < 2:  # noqa: PLR2004 -- a box around a text
        return None
    texts = [
        [_words(cells.get((row, column), [])) for column in range(len(grid.xs) - 1)]
        for row in range(len(grid.ys) - 1)
    ]
    used = [row for row in texts if any(row)]
    columns = [at for at in range(len(grid.xs) - 1) if any(row[at] for row in used)]
    if len(columns) < 2:  # noqa: PLR2004 -- boxes below each other
        return None
    rows = [[row[at] for at in columns] for row in used]
    return Table(box, rows, inside, tuple(grid.xs))


def _at(edges: list[float], value: float) -> int:
    """Between which two edges a value lies."""
    return next((at for at in range(len(edges) - 2) if value < edges[at + 1]), len(edges) - 2)


def _first_cells(grid: _Grid) -> dict[tuple[int, int], tuple[int, int]]:
    """For each cell the first of those it is merged with, seen from the top and the left."""
    rows, columns = len(grid.ys) - 1, len(grid.xs) - 1
    upright = _by_place(grid.rules, grid.xs, is_upright=True)
    level = _by_place(grid.rules, grid.ys, is_upright=False)
    firsts: dict[tuple[int, int], tuple[int, int]] = {}
    for row in range(rows):
        down = (grid.ys[row] + grid.ys[row + 1]) / 2
        for column in range(columns):
            along = (grid.xs[column] + grid.xs[column + 1]) / 2
            if column and not _is_drawn(upright.get(column, ()), down, is_upright=True):
                firsts[row, column] = firsts[row, column - 1]
            elif row and not _is_drawn(level.get(row, ()), along, is_upright=False):
                firsts[row, column] = firsts[row - 1, column]
            else:
                firsts[row, column] = (row, column)
    return firsts


def _by_place(rules: list[Rule], edges: list[float], *, is_upright: bool) -> dict[int, list[Rule]]:
    found: dict[int, list[Rule]] = {}
    for rule in rules:
        if rule.is_upright is is_upright:
            place = rule.x0 if is_upright else rule.y0
            at = min(range(len(edges)), key=lambda n: abs(edges[n] - place))
            found.setdefault(at, []).append(rule)
    return found


def _is_drawn(rules: Iterable[Rule], place: float, *, is_upright: bool) -> bool:
    if is_upright:
        return any(rule.y0 - 1 <= place <= rule.y1 + 1 for rule in rules)
    return any(rule.x0 - 1 <= place <= rule.x1 + 1 for rule in rules)


def _words(runs: list[Run]) -> str:
    """What stands in a cell."""
    return join_all([line_of(row).text for row in rows_of(runs)]) if runs else ""

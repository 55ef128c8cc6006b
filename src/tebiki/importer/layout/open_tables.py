"""Tables without upright lines: rows whose pieces stand below each other, with gaps between them.

A gap that no row of the table writes over parts two columns. Which lines are one row is told by
`open_rows`.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from tebiki.importer.joining import join_all
from tebiki.importer.layout.open_rows import rows_of_table
from tebiki.importer.layout.ruled_tables import Table
from tebiki.importer.layout.runs import line_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tebiki.importer.layout.runs import Rule, Run, TextLine

    Gap = tuple[float, float]

CELL_GAP = 0.8
"""In letters: pieces of a line that are further apart are cells, and may begin a table."""

COLUMN_GAP = 0.5
"""What must stay free in all rows between two columns."""

FEWEST_ROWS = 3
FEWEST_ROWS_OF_MANY = 2
MANY_COLUMNS = 3
FARTHEST = 2.6
"""Heights of a line between two rows of one table."""

LIST_SIGN = re.compile(r"[^\w]{0,2}|[o○●]|[(（]?(?:\d{1,3}|\w)[.)．）]")
ROWS_FOR_ONE_ACROSS = 8
"""In so many rows one may write over the gap between two columns: its cells are merged."""


def lines_and_tables(
    runs: Sequence[Run], tables: Mapping[int, Table], rules: Sequence[Rule] = ()
) -> list[TextLine | Table]:
    """What is in a region, from the top: lines, and tables where lines or gaps show them.

    `tables` are those that stand in the region as a run, by the id of that; `rules` are drawn.
    """
    found: list[TextLine | Table] = []
    left = [run for run in runs if id(run) not in tables]
    for run in sorted((run for run in runs if id(run) in tables), key=lambda run: run.y0):
        above = [one for one in left if one.middle < run.middle]
        found += _in_rows(above, rules)
        found.append(tables[id(run)])
        left = [one for one in left if one.middle >= run.middle]
    return found + _in_rows(left, rules)


def _in_rows(runs: Sequence[Run], rules: Sequence[Rule]) -> list[TextLine | Table]:
    rows = rows_of(runs)
    found: list[TextLine | Table] = []
    at = 0
    while at < len(rows):
        end = max(at + 1, _end_of_table(rows, at))
        table = None if end == at + 1 else _table(rows[at:end], rules)
        if table is not None and not _is_list(table):
            found.append(table)
        else:
            end = end if table is not None else at + 1
            found += map(line_of, rows[at:end])
        at = end
    return found


def _is_list(table: Table) -> bool:
    """Tell items of a list, whose signs stand apart from their text, from rows of a table."""
    return all(LIST_SIGN.fullmatch(row[0]) for row in table.rows)


def _end_of_table(rows: list[list[Run]], start: int) -> int:
    """Where a table that might begin here would end."""
    gaps = _gaps(rows[start], CELL_GAP)
    if not gaps:
        return start
    end = start + 1
    while end < len(rows):
        row, above = rows[end], rows[end - 1]
        height = max(run.size for run in above)
        top, bottom = min(run.y0 for run in row), max(run.y1 for run in above)
        if top - bottom > (FARTHEST - 1) * height:
            break
        left = _still_free(gaps, row)
        is_one = len(_gaps(row, CELL_GAP)) == 0
        if not left or (is_one and len(left) < len(gaps)):
            break
        gaps = left
        end += 1
    return _without_tail(rows, start, end)


def _gaps(row: Sequence[Run], least: float) -> list[Gap]:
    """Where a row is free between its pieces."""
    return [
        (one.x1, two.x0)
        for one, two in pairwise(row)
        if two.x0 - one.x1 >= least * max(one.size, two.size)
    ]


def _still_free(gaps: list[Gap], row: Sequence[Run]) -> list[Gap]:
    """What a row leaves of gaps: of each the widest part, if that is wide enough."""
    least = COLUMN_GAP * max(run.size for run in row)
    left: list[Gap] = []
    for x0, x1 in gaps:
        best, begin = (0.0, x0), x0
        for run in row:
            if run.x1 <= begin or run.x0 >= x1:
                continue
            best = max(best, (run.x0 - begin, begin))
            begin = run.x1
        width, begin = max(best, (x1 - begin, begin))
        if width >= least:
            left.append((begin, begin + width))
    return left


def _without_tail(rows: list[list[Run]], start: int, end: int) -> int:
    """Single pieces at the end belong to the first column's next paragraph as often as not."""
    left = rows[start][0].x0 + rows[start][0].size
    while end > start and not _gaps(rows[end - 1], CELL_GAP) and rows[end - 1][0].x0 <= left:
        if _is_close(rows, start, end):
            break
        end -= 1
    return end


def _is_close(rows: list[list[Run]], start: int, end: int) -> bool:
    """Tell whether the last line stands to the one above as lines of one cell do, and no rows."""
    steps = [_bottom(rows[at]) - _bottom(rows[at - 1]) for at in range(start + 1, end)]
    return len(steps) > 1 and steps[-1] < 1.1 * min(steps) and steps[-1] < 0.85 * max(steps)


def _bottom(row: Sequence[Run]) -> float:
    return max(run.y1 for run in row)


def _table(rows: list[list[Run]], rules: Sequence[Rule]) -> Table | None:
    """Rows as a table, if their pieces stand below each other."""
    columns = _columns(rows)
    many = sum(bool(_gaps(row, COLUMN_GAP)) for row in rows)
    enough = FEWEST_ROWS if len(columns) < MANY_COLUMNS else FEWEST_ROWS_OF_MANY
    if len(columns) < 2 or many < enough:  # noqa: PLR2004 -- one column is no table
        return None
    lines = [_place(row, columns) for row in rows]
    columns, lines = _without_halves(columns, lines)
    if len(columns) < 2:  # noqa: PLR2004
        return None
    runs = [run for row in rows for run in row]
    box = (
        min(run.x0 for run in runs),
        min(run.y0 for run in runs),
        max(run.x1 for run in runs),
        max(run.y1 for run in runs),
    )
    texts = [
        [join_all([line_of(part).text for part in cell]) for cell in row]
        for row in rows_of_table(lines, columns, [rule.y0 for rule in rules if _lies(rule, box)])
    ]
    return Table(box, texts, runs, tuple(x0 for x0, _ in columns))


def _lies(rule: Rule, box: tuple[float, float, float, float]) -> bool:
    """Tell whether a level line parts rows of a table that is there."""
    shared = min(rule.x1, box[2]) - max(rule.x0, box[0])
    return not rule.is_upright and box[1] < rule.y0 < box[3] and shared > (box[2] - box[0]) / 2


def _columns(rows: list[list[Run]]) -> list[Gap]:
    """Where the pieces of the rows leave gaps: from where to where each column goes."""
    size = max(run.size for run in rows[0])
    edges = sorted(
        [(run.x0, 1) for row in rows for run in row]
        + [(run.x1, -1) for row in rows for run in row],
        key=lambda edge: (edge[0], edge[1]),
    )
    allowed = len(rows) // ROWS_FOR_ONE_ACROSS
    columns: list[Gap] = []
    over, begin, last = 0, None, 0.0
    for x, change in edges:
        before, over = over, over + change
        if before <= allowed < over:
            if begin is None:
                begin = x
            elif x - last >= COLUMN_GAP * size:
                columns.append((begin, last))
                begin = x
        elif over <= allowed < before:
            last = x
    return [*columns, (begin, last)] if begin is not None else []


def _place(row: Sequence[Run], columns: list[Gap]) -> list[list[Run]]:
    """The pieces of a line, column by column; one that lies over several is the first one's."""
    cells: list[list[Run]] = [[] for _ in columns]
    for run in row:
        cells[_column(columns, run)].append(run)
    return cells


def _column(columns: list[Gap], run: Run) -> int:
    for at, (x0, x1) in enumerate(columns):
        if min(run.x1, x1) - max(run.x0, x0) > run.size / 4:
            return at
    return min(range(len(columns)), key=lambda at: abs(sum(columns[at]) / 2 - run.centre))


def _without_halves(
    columns: list[Gap], lines: list[list[list[Run]]]
) -> tuple[list[Gap], list[list[list[Run]]]]:
    """Columns beside each other of which no line has both are one: a head left, numbers right."""
    at = 1
    while at < len(columns):
        if any(line[at - 1] and line[at] for line in lines):
            at += 1
            continue
        columns = [*columns[: at - 1], (columns[at - 1][0], columns[at][1]), *columns[at + 1 :]]
        lines = [[*line[: at - 1], line[at - 1] + line[at], *line[at + 1 :]] for line in lines]
    return columns, lines

"""Tables without lines: rows whose pieces stand below each other, with gaps between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.importer.joining import join_all
from tebiki.importer.layout.ruled_tables import Table
from tebiki.importer.layout.runs import line_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tebiki.importer.layout.runs import Run, TextLine

CELL_GAP = 1.0
"""In letters: pieces that are further apart are cells."""

COLUMN_GAP = 0.3
NEARLY = 0.4
"""Letters within which pieces begin below each other."""

FEWEST_ROWS = 3
FEWEST_ROWS_OF_MANY = 2
MANY_COLUMNS = 3
FARTHEST = 2.6
"""Heights of a line between two rows of one table."""


def cells_of(row: Sequence[Run]) -> list[list[Run]]:
    """The pieces of a row that stand together."""
    cells: list[list[Run]] = []
    for run in row:
        if cells and run.x0 - cells[-1][-1].x1 < CELL_GAP * max(run.size, cells[-1][-1].size):
            cells[-1].append(run)
        else:
            cells.append([run])
    return cells


def lines_and_tables(runs: Sequence[Run], tables: Mapping[int, Table]) -> list[TextLine | Table]:
    """What is in a region, from the top: lines, and tables where lines or gaps show them.

    `tables` are those that stand in the region as a run, by the id of that.
    """
    found: list[TextLine | Table] = []
    left = [run for run in runs if id(run) not in tables]
    for run in sorted((run for run in runs if id(run) in tables), key=lambda run: run.y0):
        above = [one for one in left if one.middle < run.middle]
        found += _in_rows(above)
        found.append(tables[id(run)])
        left = [one for one in left if one.middle >= run.middle]
    return found + _in_rows(left)


def _in_rows(runs: Sequence[Run]) -> list[TextLine | Table]:
    rows = [cells_of(row) for row in rows_of(runs)]
    found: list[TextLine | Table] = []
    at = 0
    while at < len(rows):
        end = _end_of_table(rows, at)
        table = _table(rows[at:end]) if end > at else None
        if table is not None:
            found.append(table)
            at = end
        else:
            found.append(line_of(run for cell in rows[at] for run in cell))
            at += 1
    return found


def _end_of_table(rows: list[list[list[Run]]], start: int) -> int:
    """Where a table that might begin here would end."""
    if len(rows[start]) < 2:  # noqa: PLR2004 -- one piece is a line
        return start
    end = start + 1
    last_many = start
    while end < len(rows):
        row = rows[end]
        above = rows[end - 1]
        height = max(run.size for cell in above for run in cell)
        top = min(run.y0 for cell in row for run in cell)
        bottom = max(run.y1 for cell in above for run in cell)
        if top - bottom > (FARTHEST - 1) * height:
            break
        if len(row) == 1 and end - last_many == 1:
            row = rows[end] = _split_by(row[0], rows[start:end])
        if len(row) > 1:
            last_many = end
        elif end - last_many > 1 or not _fits(row[0], rows[start : last_many + 1]):
            break
        end += 1
    return _without_tail(rows, start, end)


def _split_by(cell: list[Run], rows: list[list[list[Run]]]) -> list[list[Run]]:
    """A row whose pieces nearly touch, parted where the rows above it begin their second cells."""
    lefts = [row[1][0].x0 for row in rows if len(row) > 1]
    if max(lefts) - min(lefts) > NEARLY * cell[0].size:
        return [cell]
    for at, run in enumerate(cell):
        near = NEARLY * run.size
        if at and abs(run.x0 - lefts[0]) < near:
            return [cell[:at], cell[at:]]
        for place in range(1, len(run.starts)):
            is_there = abs(run.starts[place] - lefts[0]) < near
            if is_there and run.text[place - 1] == " " and run.text[place] != " ":
                parts = run.cut_at(run.starts[place])
                parts[0].x1 = run.starts[place - 1]
                return [[*cell[:at], parts[0]], [*parts[1:], *cell[at + 1 :]]]
    return [cell]


def _without_tail(rows: list[list[list[Run]]], start: int, end: int) -> int:
    """Single pieces at the end belong to the first column's next paragraph as often as not."""
    while end > start and len(rows[end - 1]) < 2 and rows[end - 1][0][0].x0 <= _left(rows[start]):  # noqa: PLR2004
        end -= 1
    return end


def _left(row: list[list[Run]]) -> float:
    return row[0][0].x0 + row[0][0].size


def _fits(cell: list[Run], rows: list[list[list[Run]]]) -> bool:
    """Tell whether a piece that stands alone goes on with a cell above it."""
    edges = _columns(rows)
    return (
        any(x0 - 1 <= cell[0].x0 and cell[-1].x1 <= x1 + 1 for x0, x1 in edges) and len(edges) > 1
    )


def _columns(rows: list[list[list[Run]]]) -> list[tuple[float, float]]:
    """Where the pieces of all rows leave no gap: from where to where each column goes."""
    spans = sorted((cell[0].x0, cell[-1].x1) for row in rows if len(row) > 1 for cell in row)
    size = rows[0][0][0].size
    columns: list[tuple[float, float]] = []
    for x0, x1 in spans:
        if columns and x0 - columns[-1][1] < COLUMN_GAP * size:
            columns[-1] = (columns[-1][0], max(columns[-1][1], x1))
        else:
            columns.append((x0, x1))
    return columns


def _table(rows: list[list[list[Run]]]) -> Table | None:
    """Rows as a table, if their pieces stand below each other."""
    columns = _columns(rows)
    many = [row for row in rows if len(row) > 1]
    enough = FEWEST_ROWS if len(columns) < MANY_COLUMNS else FEWEST_ROWS_OF_MANY
    if len(columns) < 2 or len(many) < enough:  # noqa: PLR2004 -- one column is no table
        return None
    placed: list[list[list[str]]] = []
    for row in rows:
        cells = [_column(columns, cell) for cell in row]
        goes_on = placed and 0 not in cells and len(row) < len(columns) and len(row) == 1
        if not goes_on:
            placed.append([[] for _ in columns])
        for column, cell in zip(cells, row, strict=True):
            placed[-1][column].append(line_of(cell).text)
    runs = [run for row in rows for cell in row for run in cell]
    box = (
        min(run.x0 for run in runs),
        min(run.y0 for run in runs),
        max(run.x1 for run in runs),
        max(run.y1 for run in runs),
    )
    return Table(box, [[join_all(cell) for cell in row] for row in placed], runs)


def _column(columns: list[tuple[float, float]], cell: list[Run]) -> int:
    centre = (cell[0].x0 + cell[-1].x1) / 2
    return min(
        range(len(columns)),
        key=lambda at: (
            abs(sum(columns[at]) / 2 - centre)
            if not columns[at][0] <= centre <= columns[at][1]
            else -1
        ),
    )

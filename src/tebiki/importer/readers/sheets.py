"""Spreadsheets: each sheet a heading and its tables, numbers as they were written."""

from __future__ import annotations

import datetime as dt
import io
from typing import TYPE_CHECKING, Any

from tebiki.importer.blocks import TableBlock, TextBlock, TitleLine
from tebiki.importer.kinds import OLE_MARK
from tebiki.importer.outcomes import BROKEN, ENCRYPTED, TOO_LARGE, Document, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.importer.blocks import Block

LOCKED = "EncryptedPackage".encode("utf-16-le")
"""What a spreadsheet with a password is kept in."""

MOST_CELLS = 5_000_000
"""Of one sheet, empty ones counted: the library makes room for all of them."""

DIGITS = 15
"""Of a number, as Excel has them; what a processor adds behind them was never written."""

LARGEST_PLAIN = 1e15
SHEET_LEVEL = 2


def read_sheets(data: bytes) -> Document:
    """Read a workbook.

    Raises:
        Unreadable: it has a password, is none, or one of its sheets is far too wide.
    """
    import python_calamine as calamine  # only where there is a workbook

    if data.startswith(OLE_MARK) and LOCKED in data:
        raise Unreadable(ENCRYPTED)
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        blocks: list[Block] = []
        for name in book.sheet_names:
            blocks.append(TitleLine(SHEET_LEVEL, name))
            blocks += _tables(book.get_sheet_by_name(name))
    except calamine.PasswordError as wrong:
        raise Unreadable(ENCRYPTED) from wrong
    except (calamine.CalamineError, calamine.XmlError, calamine.ZipError, OSError) as wrong:
        raise Unreadable(BROKEN) from wrong
    return Document(blocks)


def _tables(sheet: Any) -> Iterator[Block]:
    """The tables of a sheet: what lies between empty rows."""
    if sheet.height * sheet.width > MOST_CELLS:
        raise Unreadable(TOO_LARGE, f"a sheet of {sheet.height} by {sheet.width} cells")
    held: list[list[str]] = []
    for row in sheet.iter_rows():
        cells = [in_words(value) for value in row]
        if any(cells):
            held.append(cells)
        elif held:
            yield _table(held)
            held = []
    if held:
        yield _table(held)


def _table(rows: list[list[str]]) -> Block:
    """Rows as a table without its empty columns; a single cell is a line."""
    used = [column for column in range(len(rows[0])) if any(row[column] for row in rows)]
    if len(rows) == 1 and len(used) == 1:
        return TextBlock(rows[0][used[0]])
    return TableBlock([[row[column] for column in used] for row in rows])


def in_words(value: Any) -> str:
    """A cell as it was written."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dt.datetime):
        has_time = value.time() != dt.time()
        return value.isoformat(" ", "seconds") if has_time else value.date().isoformat()
    if isinstance(value, dt.timedelta):
        return str(value)
    return str(value)


def _number(value: float) -> str:
    if value.is_integer() and abs(value) < LARGEST_PLAIN:
        return str(int(value))
    return f"{value:.{DIGITS}g}"

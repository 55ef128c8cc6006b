"""Reading a manual's file from end to end, a page at a time, be it too large to be searched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.files.names import nfc
from tebiki.files.patience import ENDLESS
from tebiki.files.reading import cursor_offset, page
from tebiki.manuals.documents.file_types import USUAL_TYPES
from tebiki.manuals.reading import path_in
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.files.patience import Patience
    from tebiki.files.reading import Cursor, Page, Texts
    from tebiki.manuals.documents.file_types import FileTypes


class ScanPart(NamedTuple):
    """A page of a file that is read on and on."""

    manual_id: str
    path: str
    page: Page


def scan(
    texts: Texts,
    manual_id: str,
    path: str,
    start_line: int | None,
    cursor: Cursor,
    *,
    patience: Patience = ENDLESS,
    types: FileTypes = USUAL_TYPES,
) -> ScanPart:
    """Read a page of a file from a line or a cursor on; the manual is known.

    Raises:
        NotFound: there is no such file.
        InvalidArguments: there is no such line or offset, or the file is too large.
    """
    where = path_in(manual_id, path, types)
    with texts.open(where, patience) as text:
        part = page(text, cursor_offset(text, start_line, cursor))
    return ScanPart(manual_id, "/".join(nfc(name) for name in where.parts[1:]), part)

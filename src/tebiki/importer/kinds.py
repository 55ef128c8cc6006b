"""Which kind of file something is: in a folder by its name, then by its bytes."""

from __future__ import annotations

import re

PDF, DOCX, PPTX, EPUB = "pdf", "docx", "pptx", "epub"
SHEETS, HTML, TEXT, ZIP = "sheets", "html", "text", "zip"

BY_ENDING = {
    "pdf": PDF,
    "docx": DOCX,
    "docm": DOCX,
    "dotx": DOCX,
    "pptx": PPTX,
    "pptm": PPTX,
    "ppsx": PPTX,
    "xlsx": SHEETS,
    "xlsm": SHEETS,
    "xls": SHEETS,
    "ods": SHEETS,
    "html": HTML,
    "htm": HTML,
    "xhtml": HTML,
    "epub": EPUB,
    "txt": TEXT,
    "text": TEXT,
    "zip": ZIP,
}
"""What is imported, by the endings of names."""

OLD_ENDINGS = frozenset(
    [
        "doc",
        "ppt",
        "rtf",
        "odt",
        "odp",
        "xlsb",
        "jtd",
        "pages",
        "numbers",
        "key",
        "mht",
        "chm",
        "hlp",
    ]
)
"""Documents that are not read, and are told one by one."""

SNIFFED_BYTES = 4096
PDF_MARK = b"%PDF-"
ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
HTML_MARK = re.compile(
    rb"^[\s\xef\xbb\xbf]*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)

MEMBERS = (
    ("word/document.xml", DOCX),
    ("ppt/presentation.xml", PPTX),
    ("xl/workbook.xml", SHEETS),
    ("xl/workbook.bin", SHEETS),
    ("META-INF/container.xml", EPUB),
    ("content.xml", SHEETS),
)
"""By which files in it a zip file is a document; an ODS has its contents at the top."""


def ending_of(name: str) -> str:
    """What a name ends in, in small letters."""
    stem, _, ending = name.rpartition(".")
    return ending.lower() if stem else ""


def kind_of_bytes(head: bytes, ending: str, members: frozenset[str]) -> str | None:
    """Tell the kind of a file that begins so; `members` are the names in it if it is a zip file."""
    if PDF_MARK in head[:1024]:
        return PDF
    if head.startswith(ZIP_MARKS):
        return next((kind for name, kind in MEMBERS if name in members), ZIP)
    if head.startswith(OLE_MARK):
        return SHEETS if BY_ENDING.get(ending) in {None, SHEETS} else None
    if HTML_MARK.search(head):
        return HTML
    named = BY_ENDING.get(ending)
    return named if named in {HTML, TEXT} else None

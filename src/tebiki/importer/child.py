"""The child process that reads one file: bytes on standard input, Markdown on standard output.

Started by `children` with nothing but a few words; whatever goes wrong here ends this process and
is a row in the report there. What no reader foresaw ends it too: exit code 1.
"""

from __future__ import annotations

import gc
import io
import json
import mmap
import os
import stat
import sys
from types import ModuleType
from typing import TYPE_CHECKING, BinaryIO

from tebiki.importer import kinds
from tebiki.importer.confinement import allow_cpu, confine
from tebiki.importer.limits import MOST_SOURCE_BYTES, MOST_TEXT_BYTES, cpu_seconds
from tebiki.importer.outcomes import (
    BROKEN,
    ENCRYPTED,
    SCANNED,
    TOO_LARGE,
    UNSUPPORTED,
    Conversion,
    Document,
    Unreadable,
)

if TYPE_CHECKING:
    from collections.abc import Callable

LIST = "list"
"""Asks for the names in a zip file in place of a text."""

READ = "read"
NOT_A_MEMBER = -1
SOURCE, RESULT = 0, 1


def main(words: list[str]) -> int:
    """Read what is on standard input; `words` are what to do, the file's ending, and a member."""
    task, ending, member = words[0], words[1], int(words[2])
    confine()
    # What a document is made of lives until the end: looking for cycles in it finds none.
    gc.disable()
    try:
        with open(SOURCE, "rb", closefd=False) as source:
            if task == LIST:
                _tell_members(source)
            else:
                _convert(source, ending, member)
    except Unreadable as unread:
        _tell(Conversion(ending, reason=unread.reason, words=unread.words))
    except MemoryError:
        _tell(Conversion(ending, reason=TOO_LARGE, words="takes more memory than is allowed"))
    return 0


def _tell_members(source: BinaryIO) -> None:
    """Tell the names in a zip file, by their numbers."""
    from tebiki.importer.readers.archives import Archive, decode_name

    archive = Archive(source)
    rows = [
        [number, decode_name(info), stat.S_ISLNK(info.external_attr >> 16)]
        for number, info in enumerate(archive.infos)
        if not info.is_dir()
    ]
    _write(json.dumps(rows).encode())


def _convert(source: BinaryIO, ending: str, member: int) -> None:
    from tebiki.importer.blocks import MarkBlock, TitleLine, parts_of

    sha256 = ""
    if member != NOT_A_MEMBER:
        source, sha256 = _member(source, member)
    kind, document = _document(source, ending)
    parts = [part.encode("utf-8", "replace") for part in parts_of(document.blocks)]
    if sum(map(len, parts)) > MOST_TEXT_BYTES:
        raise Unreadable(TOO_LARGE, "gives more text than is taken from one file")
    # The name of a sheet says nothing of what is in it.
    no_text = (MarkBlock, TitleLine) if kind == kinds.SHEETS else (MarkBlock,)
    has_text = any(not isinstance(block, no_text) for block in document.blocks)
    is_all_unread = document.pages is not None and len(document.unread) == document.pages
    if is_all_unread and document.pages:
        raise Unreadable(SCANNED)
    told = Conversion(
        kind,
        document.title,
        document.pages,
        document.unread,
        tuple(map(len, parts)),
        has_text=has_text and any(part.strip() for part in parts),
        sha256=sha256,
    )
    _tell(told)
    for part in parts:
        _write(part)


def _member(source: BinaryIO, number: int) -> tuple[BinaryIO, str]:
    """Take a file out of a zip file; gives its hash too."""
    import hashlib

    from tebiki.importer.readers.archives import Archive

    packed = Archive(source)
    data = packed.read_info(packed.infos[number])
    return io.BytesIO(data), hashlib.sha256(data).hexdigest()


def _document(source: BinaryIO, ending: str) -> tuple[str, Document]:
    """Find out what a file is, and read it."""
    if os.fstat(SOURCE).st_size > MOST_SOURCE_BYTES:
        raise Unreadable(TOO_LARGE)
    head = source.read(kinds.SNIFFED_BYTES)
    source.seek(0)
    if not head:
        raise Unreadable(BROKEN, "broken: the file is empty")
    if head.startswith(kinds.ZIP_MARKS):
        return _pack(source, head, ending)
    kind = kinds.kind_of_bytes(head, ending, frozenset())
    if kind is None:
        raise _unknown(source, head)
    return kind, _readers()[kind](source)


def _pack(source: BinaryIO, head: bytes, ending: str) -> tuple[str, Document]:
    from tebiki.importer.readers.archives import Archive

    archive = Archive(source)
    kind = kinds.kind_of_bytes(head, ending, archive.names)
    if kind == kinds.DOCX:
        from tebiki.importer.readers.word import read_docx

        return kind, read_docx(archive)
    if kind == kinds.PPTX:
        from tebiki.importer.readers.slides import read_pptx

        return kind, read_pptx(archive)
    if kind == kinds.EPUB:
        from tebiki.importer.readers.books import read_epub

        return kind, read_epub(archive)
    if kind == kinds.SHEETS:
        for info in archive.infos:
            # The library unpacks without a limit: what would not fit is found out here first.
            archive.read_info(info)
        source.seek(0)
        return kind, _read_sheets(source)
    raise Unreadable(UNSUPPORTED, "a zip file in a zip file, or no document")


def _readers() -> dict[str, Callable[[BinaryIO], Document]]:
    return {
        kinds.PDF: _read_pdf,
        kinds.HTML: _read_html,
        kinds.TEXT: _read_text,
        kinds.SHEETS: _read_sheets,
    }


def _read_text(source: BinaryIO) -> Document:
    from tebiki.importer.readers.plain import read_text

    return read_text(source.read())


def _read_html(source: BinaryIO) -> Document:
    from tebiki.importer.readers.pages import read_html

    return read_html(source.read())


def _read_sheets(source: BinaryIO) -> Document:
    from tebiki.importer.readers.sheets import read_sheets

    return read_sheets(source.read())


def _read_pdf(source: BinaryIO) -> Document:
    # pdfium's bindings import what searches the system for a library, which takes longer than a
    # small file, and bring their own: nothing is ever asked of it.
    sys.modules.setdefault("ctypes.util", ModuleType("ctypes.util"))
    from tebiki.importer.readers.pdf import read_pdf

    if isinstance(source, io.BytesIO):
        return read_pdf(bytearray(source.getbuffer()), _allow)
    with mmap.mmap(SOURCE, 0, access=mmap.ACCESS_COPY) as mapped:
        return read_pdf(mapped, _allow)


def _allow(pages: int) -> None:
    """Take the time that so many pages need, and have the parent know."""
    seconds = cpu_seconds(pages)
    allow_cpu(seconds)
    _write(json.dumps({"seconds": seconds}).encode() + b"\n")


def _unknown(source: BinaryIO, head: bytes) -> Unreadable:
    if head.startswith(kinds.OLE_MARK):
        from tebiki.importer.readers.sheets import LOCKED

        if LOCKED in source.read():
            return Unreadable(ENCRYPTED)
        return Unreadable(UNSUPPORTED, "an old Office file: save it as docx, pptx or xlsx")
    return Unreadable(BROKEN, "broken: not what its name says, nor anything else that is read")


def _tell(told: Conversion) -> None:
    _write(told.line())


def _write(data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(RESULT, left) :]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Plain text: paragraphs as they stand, in whichever of the known encodings."""

from __future__ import annotations

import re

from tebiki.errors import InvalidArguments
from tebiki.files.encodings import decode
from tebiki.importer.blocks import TextBlock
from tebiki.importer.outcomes import BROKEN, Document, Unreadable

BLANK_LINES = re.compile(r"\n[ \t\u3000]*\n[\s\u3000]*")


def read_text(data: bytes) -> Document:
    """Read a text file.

    Raises:
        Unreadable: it is in no encoding that is known.
    """
    try:
        text, _ = decode(data)
    except InvalidArguments as wrong:
        raise Unreadable(BROKEN, "broken: not text in UTF-8, UTF-16, CP932 or EUC-JP") from wrong
    if "\0" in text:
        raise Unreadable(BROKEN, "broken: not text")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    return Document([TextBlock(part) for part in BLANK_LINES.split(lines) if part.strip()])

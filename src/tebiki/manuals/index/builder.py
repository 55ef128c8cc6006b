"""A process that makes files ready for an index: files on standard input, sections on its output.

Started by `builders`; it opens nothing, and ends when nothing more comes.
"""

from __future__ import annotations

import gc
import os
from itertools import islice
from typing import TYPE_CHECKING, Any

from tebiki.errors import InvalidArguments
from tebiki.manuals.documents.parting import sections_of
from tebiki.manuals.index.builders import receive, send
from tebiki.manuals.index.packing import pack_plainly
from tebiki.manuals.text.chunks import remember_more

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tebiki.manuals.documents.sections import Section

OBJECTS_BETWEEN_COLLECTIONS = 20_000


def main() -> None:
    """Work until there is no more."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    remember_more()
    try:
        with open(0, "rb") as files, open(1, "wb") as sections:
            while True:
                send(sections, made_of(receive(files)))
    except (EOFError, OSError):
        os._exit(0)  # whoever asked is gone, or has all there is


def made_of(files: Iterable[tuple[str, bytes]]) -> list[tuple[str | None, list[Any]]]:
    """What files give, in plain values."""
    parted: list[tuple[str | None, list[Section]]] = []
    for path, data in files:
        try:
            parted.append((None, sections_of(path, data)))
        except InvalidArguments:
            parted.append(("encoding", []))
    packed = pack_plainly([section for _, sections in parted for section in sections])
    return [(reason, list(islice(packed, len(sections)))) for reason, sections in parted]

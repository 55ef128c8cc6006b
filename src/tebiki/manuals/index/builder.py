"""A process that makes files ready for an index: files on standard input, sections on its output.

Started by `builders`; it opens nothing, and ends when nothing more comes.
"""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING, Any

from tebiki.manuals.index.builders import receive, send
from tebiki.manuals.index.preparing import prepare

if TYPE_CHECKING:
    from collections.abc import Iterable

OBJECTS_BETWEEN_COLLECTIONS = 20_000


def main() -> None:
    """Work until there is no more."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    try:
        with open(0, "rb") as files, open(1, "wb") as sections:
            while True:
                send(sections, made_of(receive(files)))
    except (EOFError, OSError):
        os._exit(0)  # whoever asked is gone, or has all there is


def made_of(files: Iterable[tuple[str, bytes]]) -> list[tuple[str | None, list[Any]]]:
    """What files give, in plain values."""
    made: list[tuple[str | None, list[Any]]] = []
    for path, data in files:
        told = prepare(path, data, lambda: None)
        made.append((told.reason, [tuple(row) for row in told.sections]))
    return made

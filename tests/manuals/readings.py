"""States of an index in memory, written section by section, for the tests of reading."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tebiki.manuals.documents.sections import Section
from tebiki.manuals.index import engine
from tebiki.manuals.index.packing import pack
from tebiki.manuals.index.postings import Reading
from tebiki.manuals.index.values import sum_lengths

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

GONE = "gone.md"


def plain(path: str, text: str) -> Section:
    """A section without a heading, alone in its file."""
    return Section(path, 1, 1, 0, "", (), text)


def written(sections: Sequence[Section], gone: str = "") -> Callable[[], Reading]:
    """Write sections in their order; gives what begins to read them, knowing nothing yet.

    `gone` is the text of a section that was there as well, and was removed.
    """
    index = engine.open_engine(None)
    writing = engine.Writing(index)
    every = list(pack(sections))
    for packed in [*every, *(pack([plain(GONE, gone)]) if gone else ())]:
        writing.put(packed)
    lengths = sum_lengths(packed.lengths for packed in every)
    if gone:
        writing.commit("before")
        writing.remove(GONE)
    writing.commit("state")
    index.reload()
    return partial(Reading, index, len(sections), lengths, has_removed=bool(gone))

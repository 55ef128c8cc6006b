"""The links of a section as the index keeps them beside it: one short text, read when asked for."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tebiki.manuals.index.values import SEPARATOR
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.manuals.documents.links import Link

ROW_END, COLUMN_END, PART_END = "\n", "\t", "\f"
"""White space that no text of a link has: each was made one line, with single spaces."""


class LinkRow(NamedTuple):
    """A link as it is kept: its line, its target and fragment, its text, its sentence, folded."""

    line: int
    target: str
    fragment: str
    text: str
    sentence: str


def texts_of(links: Sequence[Link]) -> str:
    """What links say, each text once, as it is searched."""
    return SEPARATOR.join(dict.fromkeys(link.text for link in links if link.text))


def write_rows(links: Sequence[Link]) -> str:
    """Give what `read_rows` takes; a sentence with several links is kept once."""
    if not links:
        return ""
    sentences: dict[str, int] = {}
    rows = [
        COLUMN_END.join(
            (
                str(link.line),
                str(sentences.setdefault(link.sentence, len(sentences))),
                link.target,
                link.fragment,
                link.text,
            )
        )
        for link in links
    ]
    return f"{ROW_END.join(rows)}{PART_END}{ROW_END.join(sentences)}"


@lru_cache(maxsize=4096)
def read_rows(kept: str) -> tuple[LinkRow, ...]:
    """The links of a section.

    Raises:
        ValueError: they were not written here.
    """
    if not kept:
        return ()
    rows, _, told = kept.partition(PART_END)
    sentences = told.split(ROW_END)
    found: list[LinkRow] = []
    for row in rows.split(ROW_END):
        line, number, target, fragment, text = row.split(COLUMN_END)
        if int(number) >= len(sentences):
            raise ValueError("a link has no sentence")
        found.append(LinkRow(int(line), target, fragment, text, sentences[int(number)]))
    return tuple(found)

"""A section as a value; how files are parted into sections is `parting`'s business."""

from __future__ import annotations

from tebiki.named_tuples import NamedTuple


class Section(NamedTuple):
    """One searchable node of a file; lines count from 1, the last one included."""

    path: str
    start_line: int
    end_line: int
    level: int
    title: str
    trail: tuple[str, ...]
    text: str
    json_path: str | None = None
    page: str = ""
    """Of the original, where the text was imported: the one on which the section begins."""

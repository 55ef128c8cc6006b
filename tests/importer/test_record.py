"""The record of what an import wrote, on a disk that is full for a while."""

from __future__ import annotations

import os
import resource
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import Conflict
from tebiki.importer.manifest import ImportRecord, WrittenFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SPARE_BYTES = 20
"""So much of a line still finds room."""


@contextmanager
def files_no_larger_than(most: int) -> Iterator[None]:
    """Let no file of this process become larger meanwhile.

    No longer than that: what pytest says after a test may go to a file.
    """
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def written(name: str) -> WrittenFile:
    """A file of that name."""
    return WrittenFile(f"{name}.md", f"/{name}", "", "/", "hash", "4", "hash")


def size_of_record(folder: Path) -> int:
    """How large the record is."""
    return sum(os.path.getsize(path) for path in folder.glob("*.jsonl"))


@pytest.mark.requirement("people:import:idempotent")
def test_a_line_that_was_cut_off_does_not_take_the_next_with_it(tmp_path: Path) -> None:
    """Else the file that the next one announced would not be known as ours."""
    with ImportRecord(str(tmp_path), "m") as record:
        record.note(written("first"))
        room = size_of_record(tmp_path) + SPARE_BYTES
        with files_no_larger_than(room), pytest.raises(OSError, match="large"):
            record.note(written("cut"))
        record.note(written("next"))
        assert [one.output for one in record.entries] == ["first.md", "next.md"]

    with ImportRecord(str(tmp_path), "m") as record:
        assert [one.output for one in record.entries] == ["first.md", "next.md"]


@pytest.mark.requirement("people:import:report")
def test_no_room_for_a_source_is_told_in_words(tmp_path: Path) -> None:
    """And ends the import before anything is written."""
    with ImportRecord(str(tmp_path), "m") as record:
        words = "no record of the import can be kept"
        with files_no_larger_than(0), pytest.raises(Conflict, match=words):
            record.note_root("/folder")

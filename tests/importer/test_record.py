"""The record of what an import wrote, on a disk that is full for a while."""

from __future__ import annotations

import os
import resource
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import Conflict
from tebiki.importer.manifest import ImportRecord, WrittenFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SPARE_BYTES = 20
"""So much of a line still finds room."""


@pytest.fixture
def full_disk() -> Iterator[None]:
    """Whatever a test allows, files may become as large as before once it has ended."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def limit_files(most: int) -> None:
    """Let no file become larger."""
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))


def written(name: str) -> WrittenFile:
    """A file of that name."""
    return WrittenFile(f"{name}.md", f"/{name}", "", "/", "hash", "4", "hash")


def size_of_record(folder: Path) -> int:
    """How large the record is."""
    return sum(os.path.getsize(path) for path in folder.glob("*.jsonl"))


@pytest.mark.requirement("people:import:idempotent")
@pytest.mark.usefixtures("full_disk")
def test_a_line_that_was_cut_off_does_not_take_the_next_with_it(tmp_path: Path) -> None:
    """Else the file that the next one announced would not be known as ours."""
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    with ImportRecord(str(tmp_path), "m") as record:
        record.note(written("first"))
        limit_files(size_of_record(tmp_path) + SPARE_BYTES)
        with pytest.raises(OSError, match="large"):
            record.note(written("cut"))
        limit_files(hard)
        record.note(written("next"))
        assert [one.output for one in record.entries] == ["first.md", "next.md"]

    with ImportRecord(str(tmp_path), "m") as record:
        assert [one.output for one in record.entries] == ["first.md", "next.md"]


@pytest.mark.requirement("people:import:report")
@pytest.mark.usefixtures("full_disk")
def test_no_room_for_a_source_is_told_in_words(tmp_path: Path) -> None:
    """And ends the import before anything is written."""
    with ImportRecord(str(tmp_path), "m") as record:
        limit_files(0)
        with pytest.raises(Conflict, match="no record of the import can be kept"):
            record.note_root("/folder")

"""Texts of files on disk: large ones are indexed once, and never trusted when they may be stale."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import Conflict
from tebiki.files import reading
from tebiki.files.paths import Root
from tebiki.files.reading import SMALL_BYTES, Texts, page
from tebiki.files.text import FileText, Index, index_of

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from tebiki.files.text import Check

LINE = "0123456789あいう\r\n"
COUNT = SMALL_BYTES // len(LINE.encode()) + 1000
HOUR_AGO = time.time() - 3600


@pytest.fixture(name="counted")
def _counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts how often a file is read through."""
    passes: list[int] = []

    def counting(file: BinaryIO, check: Check) -> Index:
        passes.append(1)
        return index_of(file, check=check)

    monkeypatch.setattr(reading, "index_of", counting)
    return passes


def large(folder: Path, age: float) -> Path:
    """A file that is worth an index, last modified then."""
    path = folder / "large.md"
    path.write_bytes(LINE.encode() * COUNT)
    os.utime(path, (age, age))
    return path


def first_page(texts: Texts, root: Root) -> str:
    """The beginning of the file."""
    with texts.open(root.parse("large.md")) as text:
        return page(text, 0).text


def test_a_settled_file_is_read_through_once(tmp_path: Path, counted: list[int]) -> None:
    """Pages are found anywhere in it afterwards."""
    large(tmp_path, HOUR_AGO)
    root = Root(tmp_path)
    texts = Texts(root, time.time)
    for line in (1, COUNT // 2, COUNT):
        with texts.open(root.parse("large.md")) as text:
            start = text.start_of_line(line)
            assert start == (line - 1) * len(LINE)
            part = page(text, start)
            assert part.text.startswith(LINE)
            assert part.first_line == line
    assert len(counted) == 1


def test_an_edit_is_seen_though_size_and_time_are_the_same(
    tmp_path: Path, counted: list[int]
) -> None:
    """The time of change cannot be set back."""
    path = large(tmp_path, HOUR_AGO)
    root = Root(tmp_path)
    texts = Texts(root, time.time)
    assert first_page(texts, root).startswith("0123")

    with path.open("r+b") as file:
        file.write(b"ABCD")
    os.utime(path, (HOUR_AGO, HOUR_AGO))

    assert first_page(texts, root).startswith("ABCD")
    assert len(counted) == 2


def test_a_file_changed_just_now_is_not_trusted(tmp_path: Path, counted: list[int]) -> None:
    """It may change again before the clock moves on."""
    large(tmp_path, time.time())
    root = Root(tmp_path)
    texts = Texts(root, time.time)

    assert first_page(texts, root) == first_page(texts, root)
    assert len(counted) == 2


def test_a_file_that_changes_under_the_reader_is_told(tmp_path: Path) -> None:
    """Bytes that were text a moment ago and are not now."""
    path = large(tmp_path, HOUR_AGO)
    with path.open("rb", buffering=0) as file:
        text = FileText(file, index_of(file))
        path.write_bytes(b"\xff" * (2 * SMALL_BYTES))
        with pytest.raises(Conflict, match="again"):
            text.slice(0, 10)

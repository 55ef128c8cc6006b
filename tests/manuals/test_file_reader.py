"""Files of a manual read one after the other are those that are read one by one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import NotFound
from tebiki.files.paths import Root
from tebiki.manuals.documents.folders import Skipped
from tebiki.manuals.documents.walking import MOST_HELD, FileReader, contents

if TYPE_CHECKING:
    from pathlib import Path

DEEP = "/".join(f"f{number}" for number in range(MOST_HELD + 2))
PATHS = ["top.md", "a/x.md", "a/y.md", "a/b/z.md", "c/x.md", "a/が.md", f"{DEEP}/x.md", "a/x.md"]


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """A root with one manual, in which each file says its path."""
    for path in PATHS:
        where = tmp_path / "m" / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(path)
    return Root(tmp_path)


def test_each_file_is_read_as_alone(root: Root) -> None:
    """Whatever folder the one before was in, and however deep it lies."""
    with FileReader(root, "m") as reader:
        assert [reader.contents(path) for path in PATHS] == [path.encode() for path in PATHS]


def test_what_is_no_file_is_told_as_alone(root: Root, tmp_path: Path) -> None:
    """A link, a folder on the way that is one, what is gone."""
    manual = tmp_path / "m"
    os.symlink(manual / "top.md", manual / "a" / "link.md")
    os.symlink(manual / "c", manual / "linked")
    with FileReader(root, "m") as reader:
        assert reader.contents("a/x.md") == b"a/x.md"
        assert reader.contents("a/link.md") == Skipped("a/link.md", "symlink")
        assert reader.contents("linked/x.md") == contents(root, "m", "linked/x.md")
        assert isinstance(reader.contents("linked/x.md"), Skipped)
        for gone in ("a/none.md", "none/x.md", "top.md/x.md"):
            with pytest.raises(NotFound):
                reader.contents(gone)
        assert reader.contents("a/b/z.md") == b"a/b/z.md"


def test_a_link_put_in_place_of_a_folder_is_not_followed(root: Root, tmp_path: Path) -> None:
    """Neither of the one that is open nor of another."""
    manual, elsewhere = tmp_path / "m", tmp_path / "elsewhere"
    (elsewhere / "b").mkdir(parents=True)
    for path in ("x.md", "y.md", "b/z.md"):
        (elsewhere / path).write_text("elsewhere")
    with FileReader(root, "m") as reader:
        assert reader.contents("a/x.md") == b"a/x.md"
        (manual / "a").rename(tmp_path / "moved")
        os.symlink(elsewhere, manual / "a")
        assert reader.contents("a/y.md") == b"a/y.md"
        assert reader.contents("top.md") == b"top.md"
        assert isinstance(reader.contents("a/b/z.md"), Skipped)


def test_no_folder_stays_open(root: Root) -> None:
    """Once all files are read, and when somebody stops in the middle."""
    descriptors = "/proc/self/fd"
    if not os.path.isdir(descriptors):
        pytest.skip("this system does not list what is open")
    before = len(os.listdir(descriptors))
    with FileReader(root, "m") as reader:
        for path in PATHS:
            reader.contents(path)
        reader.contents("a/b/z.md")
        assert len(os.listdir(descriptors)) > before
    assert len(os.listdir(descriptors)) == before

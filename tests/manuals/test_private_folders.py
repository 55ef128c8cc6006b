"""The folders of indexes: ours, private, and never behind a link that somebody put there."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.index.engine import LOCKS
from tebiki.manuals.index.store import POSTINGS, index_folder
from tebiki.manuals.request import FindRequest
from tests.manuals.libraries import USUAL, library_at

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and owners are of POSIX")

ASKED = FindRequest("lantern", "m", ("lantern",))


class Cached:
    """A library whose indexes are in a folder, and what it said."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "manuals"
        self.cache = folder / "cache" / "tebiki"
        self.said: list[str] = []
        (self.root / "m").mkdir(parents=True)
        (self.root / "m" / "a.md").write_text("# Lantern\n")

    @property
    def index(self) -> Path:
        """The folder of the manual's index."""
        return Path(index_folder(str(self.cache), str(self.root), "m"))

    def find(self) -> list[str]:
        """Search as a process that just started does; gives the files found."""
        finder = USUAL.finder._replace(index_root=str(self.cache))
        settings = USUAL._replace(finder=finder)
        found = library_at(self.root, settings, log=self.said.append).find(ASKED).found
        return [row["ref"]["path"] for row in found.lists["candidates"]]


@pytest.fixture(name="cached")
def _cached(tmp_path: Path) -> Cached:
    return Cached(tmp_path)


@pytest.fixture(name="victim")
def _victim(tmp_path: Path) -> Path:
    """A folder of somebody that must stay as it is."""
    folder = tmp_path / "victim"
    folder.mkdir()
    folder.chmod(0o755)
    for name in ("files.json", "seal.json", "lock", "notes"):
        (folder / name).write_text("mine")
        (folder / name).chmod(0o644)
    return folder


def state_of(folder: Path) -> dict[str, tuple[int, str]]:
    """The modes and contents of a folder's files, and its own mode."""
    files = {
        path.name: (path.stat().st_mode & 0o777, path.read_text()) for path in folder.iterdir()
    }
    return {**files, ".": (folder.stat().st_mode & 0o777, "")}


PLACES: dict[str, Callable[[Cached], Path]] = {
    "the cache": lambda cached: cached.cache,
    "the indexes": lambda cached: cached.cache / "manuals",
    "an index": lambda cached: cached.index,
}


@pytest.mark.requirement("manuals:index:no-links")
@pytest.mark.parametrize("place", PLACES)
def test_no_folder_is_reached_through_a_link(cached: Cached, victim: Path, place: str) -> None:
    """What is behind it stays as it is, and the find is answered from memory, which is said."""
    link = PLACES[place](cached)
    link.parent.mkdir(parents=True)
    link.symlink_to(victim)
    before = state_of(victim)

    assert cached.find() == ["a.md"]

    assert state_of(victim) == before
    assert "a link stands there" in cached.said[0]


@pytest.mark.requirement("manuals:index:no-links")
@pytest.mark.parametrize("name", [POSTINGS, "lock", "files.json", "seal.json", "files.next.json"])
def test_a_link_in_an_index_leads_nowhere(cached: Cached, victim: Path, name: str) -> None:
    """Also where it stands for the engine's folder or the lock."""
    cached.index.mkdir(parents=True)
    is_folder = name == POSTINGS
    (cached.index / name).symlink_to(victim if is_folder else victim / "notes")
    before = state_of(victim)

    assert cached.find() == ["a.md"]
    assert cached.find() == ["a.md"]

    assert state_of(victim) == before


@pytest.mark.requirement("manuals:index:no-links")
@pytest.mark.parametrize("name", LOCKS)
@pytest.mark.parametrize("moment", ["before", "between", "edited"])
def test_a_pipe_or_a_link_for_a_lock_of_the_engine_is_removed(
    cached: Cached, victim: Path, name: str, moment: str
) -> None:
    """It would wait for the other end of a pipe for ever, and make a file behind a link."""
    postings = cached.index / POSTINGS
    wanted = ["a.md"]
    if moment == "before":
        postings.mkdir(parents=True)
    else:
        assert cached.find() == wanted
        (postings / name).unlink(missing_ok=True)
    if moment == "edited":
        (cached.root / "m" / "b.md").write_text("# Another lantern\n")
        wanted = ["a.md", "b.md"]

    os.mkfifo(postings / name)
    assert sorted(cached.find()) == wanted
    (postings / name).unlink(missing_ok=True)
    (postings / name).symlink_to(victim / "made")
    assert sorted(cached.find()) == wanted

    assert not (victim / "made").exists()


@pytest.mark.requirement("manuals:index:no-links")
@pytest.mark.parametrize("ending", ["meta.json", ".managed.json", ".store", ".term"])
def test_a_pipe_for_a_file_of_the_engine_holds_nobody_up(cached: Cached, ending: str) -> None:
    """The index is built anew, also while a server has it open."""
    finder = USUAL.finder._replace(index_root=str(cached.cache))
    settings, ids = USUAL._replace(finder=finder), iter("abc")
    library = library_at(cached.root, settings, new_id=lambda: next(ids), log=cached.said.append)
    assert library.find(ASKED).found.complete

    for find in (lambda: library.find(ASKED).found.complete, cached.find):
        (file,) = (one for one in (cached.index / POSTINGS).iterdir() if one.name.endswith(ending))
        file.unlink()
        os.mkfifo(file)
        (cached.root / "m" / "b.md").write_text("# Another lamp\n")
        assert find()


@pytest.mark.requirement("manuals:index:no-links")
def test_a_link_that_is_put_there_later_is_not_followed(cached: Cached, victim: Path) -> None:
    """The index may be deleted at any time; what stands there then is looked at again."""
    finder = USUAL.finder._replace(index_root=str(cached.cache))
    settings, ids = USUAL._replace(finder=finder), iter("ab")
    library = library_at(cached.root, settings, new_id=lambda: next(ids), log=cached.said.append)
    library.find(ASKED)
    before = state_of(victim)

    cached.index.rename(cached.index.with_name("elsewhere"))
    cached.index.symlink_to(victim)
    (cached.root / "m" / "b.md").write_text("# Another lantern\n")

    assert library.find(ASKED).found.complete
    assert state_of(victim) == before


@pytest.mark.requirement("manuals:index:private")
def test_what_was_open_to_others_is_closed(cached: Cached) -> None:
    """Folders and files of an older version too."""
    cached.find()
    everything = [cached.cache, *cached.cache.rglob("*")]
    for path in everything:
        path.chmod(0o755 if path.is_dir() else 0o644)
    (cached.root / "m" / "b.md").write_text("# Another lantern\n")

    assert sorted(cached.find()) == ["a.md", "b.md"]

    # The engine's own locks are empty, and in a folder that is closed.
    ours = [path for path in [cached.cache, *cached.cache.rglob("*")] if path.stat().st_size]
    assert [path for path in ours if path.stat().st_mode & 0o077] == []


@pytest.mark.requirement("manuals:index:no-links")
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs another user")
@pytest.mark.parametrize("place", PLACES)
def test_a_folder_of_somebody_else_is_not_used(cached: Cached, place: str) -> None:
    """Neither read nor written."""
    folder = PLACES[place](cached)
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    os.chown(folder, 12345, 12345)

    assert cached.find() == ["a.md"]

    assert list(folder.iterdir()) == []
    assert "belongs to somebody else" in cached.said[0]

"""What killed writers left is removed, and nothing that anybody may still use."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tebiki.files.names import TEMPORARY_PREFIX, TOP, parse
from tebiki.files.paths import Root
from tebiki.files.sweeping import PAUSE_SECONDS, UNTOLD_SECONDS, Sweeper
from tebiki.files.writing import Locks, lock_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

A = parse("a.md")
OWN = f"{TEMPORARY_PREFIX}{lock_of('a.md')}-{'0' * 24}"
OLDER = f"{TEMPORARY_PREFIX}{'0' * 24}"
TRIAL = f"{TEMPORARY_PREFIX}try-{'0' * 16}"
NOW = 1_770_000_000.0


@pytest.fixture(name="locks")
def _locks(tmp_path: Path) -> Locks:
    """Locks that have been used once."""
    locks = Locks(Root(tmp_path), parse(".system/locks"))
    with locks.hold(A):
        pass
    return locks


@pytest.fixture(name="sweep")
def _sweep(tmp_path: Path, locks: Locks) -> Callable[[], int]:
    return Sweeper(Root(tmp_path), locks, lambda: NOW).sweep_all


def leave(path: Path, age: float = 0.0) -> Path:
    """A temporary file of that age."""
    path.write_bytes(b"left")
    os.utime(path, (NOW - age, NOW - age))
    return path


@pytest.mark.requirement("vault:writing:swept")
def test_a_file_goes_once_its_writer_holds_no_lock(
    tmp_path: Path, locks: Locks, sweep: Callable[[], int]
) -> None:
    """However young it is, and never before."""
    left = leave(tmp_path / OWN)

    with locks.hold(A):
        assert sweep() == 0
        assert left.exists()
    assert sweep() == 1
    assert not left.exists()


@pytest.mark.parametrize("name", [OLDER, TRIAL])
def test_a_name_that_tells_no_lock_has_to_be_old_and_every_lock_free(
    tmp_path: Path, locks: Locks, sweep: Callable[[], int], name: str
) -> None:
    """As older versions named them, and trials."""
    leave(tmp_path / name)
    assert sweep() == 0

    leave(tmp_path / name, UNTOLD_SECONDS + 1)
    with locks.hold(A):
        assert sweep() == 0
    assert sweep() == 1


@pytest.mark.requirement("vault:writing:swept")
@pytest.mark.skipif("os.name == 'nt'", reason="making links needs a privilege there")
def test_what_is_no_file_of_ours_stays(tmp_path: Path, sweep: Callable[[], int]) -> None:
    """Links, folders, pipes, and names that only begin alike."""
    (tmp_path / OWN).symlink_to("a.md")
    (tmp_path / OLDER).mkdir()
    (tmp_path / "d").mkdir()
    os.mkfifo(tmp_path / "d" / OWN)
    leave(tmp_path / f"{TEMPORARY_PREFIX}notes.md", UNTOLD_SECONDS + 1)

    assert sweep() == 0
    assert len(os.listdir(tmp_path)) == 5


def test_a_folder_is_swept_now_and_then_only(tmp_path: Path, locks: Locks) -> None:
    """Listing a large one takes a while."""
    now = [NOW]
    sweeper = Sweeper(Root(tmp_path), locks, lambda: now[0])
    sweeper.sweep_sometimes(TOP)
    left = leave(tmp_path / OWN)

    sweeper.sweep_sometimes(TOP)
    assert left.exists()
    now[0] += PAUSE_SECONDS
    sweeper.sweep_sometimes(TOP)
    assert not left.exists()

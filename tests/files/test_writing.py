"""Locks and the writes below the vault."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import Conflict, Forbidden, InvalidArguments
from tebiki.files import writing
from tebiki.files.handles import HeldFolder, LookedAtFolder, open_top
from tebiki.files.names import parse
from tebiki.files.paths import Root

if TYPE_CHECKING:
    from pathlib import Path

A = parse("a.md")


def nothing() -> None:
    """Ready at once."""


def stopped() -> None:
    """A journal that cannot be written."""
    raise Conflict("not now")


@pytest.fixture(params=[open_top, LookedAtFolder], name="root")
def _root(request: pytest.FixtureRequest, tmp_path: Path) -> Root:
    """An empty root, by both means."""
    return Root(tmp_path / "root", open_top=request.param)


@pytest.mark.requirement("vault:locks:wait")
def test_a_lock_is_waited_for_no_longer_than_allowed(root: Root) -> None:
    """Then it is a conflict, and the next one to ask may have it."""
    locks = writing.Locks(root, parse(".system/locks"), longest_wait=0.01)

    with locks.hold(A), pytest.raises(Conflict, match=r"a\.md"), locks.hold(A):
        pass
    with locks.hold(A):
        pass


def test_spellings_of_one_file_share_a_lock(root: Root) -> None:
    """Some file systems do not tell them apart."""
    locks = writing.Locks(root, parse(".system/locks"), longest_wait=0.01)

    with (
        locks.hold(parse("が.md")),
        pytest.raises(Conflict),
        locks.hold(parse("か\u3099.MD")),
    ):
        pass


def test_a_lock_that_is_a_link_is_a_conflict(root: Root, tmp_path: Path) -> None:
    """It is neither followed nor made."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / ".system").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(Conflict), writing.Locks(root, parse(".system/locks")).hold(A):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_stopped_write_leaves_nothing(root: Root, tmp_path: Path) -> None:
    """Neither a new file nor a changed one, nor a temporary one."""
    with root.place(A, make=True) as place:
        with pytest.raises(Conflict):
            writing.create(place, b"new", stopped)
        assert os.listdir(tmp_path / "root") == []

        writing.create(place, b"old", nothing)
        status = place.folder.look("a.md")
        with pytest.raises(Conflict):
            writing.replace(place, b"new", status, stopped)
    assert os.listdir(tmp_path / "root") == ["a.md"]
    assert (tmp_path / "root" / "a.md").read_bytes() == b"old"


def test_what_a_killed_writer_left_is_cleared_away(root: Root, tmp_path: Path) -> None:
    """By the next write to the same file."""

    def crash() -> None:
        left.extend((path.name, path.read_bytes()) for path in (tmp_path / "root").iterdir())

    left: list[tuple[str, bytes]] = []
    with root.place(A, make=True) as place:
        writing.create(place, b"one", crash)
        ((name, data),) = left
        (tmp_path / "root" / name).write_bytes(data)
        writing.replace(place, b"two", place.folder.look("a.md"), nothing)

    assert os.listdir(tmp_path / "root") == ["a.md"]


@pytest.mark.requirement("vault:writing:create-exclusive")
def test_create_is_exclusive_to_the_last_moment(root: Root, tmp_path: Path) -> None:
    """A foreign file that appears just before the rename is not replaced."""

    def quicker() -> None:
        (tmp_path / "root" / "a.md").write_bytes(b"foreign")

    with root.place(A, make=True) as place, pytest.raises(Conflict):
        writing.create(place, b"ours", quicker)
    assert (tmp_path / "root" / "a.md").read_bytes() == b"foreign"


def test_create_is_exclusive_where_files_have_one_name_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File systems without hard links."""

    def no_links(*_names: object) -> None:
        raise PermissionError(1, "no hard links")

    monkeypatch.setattr(HeldFolder, "link", no_links)
    with Root(tmp_path).place(A) as place:
        writing.create(place, b"one", nothing)
        with pytest.raises(Conflict):
            writing.create(place, b"two", nothing)
    assert (tmp_path / "a.md").read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["a.md"]


@pytest.mark.requirement("vault:writing:bytes-stay")
def test_a_replaced_file_keeps_its_mode(root: Root, tmp_path: Path) -> None:
    """And one that is write-protected stays as it is."""
    with root.place(A, make=True) as place:
        writing.create(place, b"one", nothing)
        for mode in (0o600, 0o640, 0o755):
            (tmp_path / "root" / "a.md").chmod(mode)
            writing.replace(place, b"two", place.folder.look("a.md"), nothing)
            assert place.folder.look("a.md").st_mode & 0o7777 == mode
        (tmp_path / "root" / "a.md").chmod(0o444)
        with pytest.raises(Forbidden):
            writing.replace(place, b"three", place.folder.look("a.md"), nothing)
    assert (tmp_path / "root" / "a.md").read_bytes() == b"two"


def test_the_limit_is_eight_mebibytes() -> None:
    """Exactly."""
    writing.check_size(8 * 1024 * 1024)
    with pytest.raises(InvalidArguments):
        writing.check_size(8 * 1024 * 1024 + 1)

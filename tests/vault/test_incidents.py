"""The incidents of servers like this one, each under its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import Conflict, Forbidden, InvalidPath, TebikiError
from tebiki.files.handles import HeldFolder

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.vault.vault import Vault

CALLS: dict[str, Callable[[Vault, str], object]] = {
    "ls": lambda vault, path: vault.ls(path),
    "create": lambda vault, path: vault.create(path, "written"),
    "read": lambda vault, path: vault.read(path, full=True),
    "scan": lambda vault, path: vault.scan(path),
    "replace": lambda vault, path: vault.replace(path, "CANARY", "written"),
    "dry run": lambda vault, path: vault.replace(path, "CANARY", "written", dry_run=True),
    "append": lambda vault, path: vault.append(path, "written"),
    "remove": lambda vault, path: vault.remove(path),
    "move": lambda vault, path: vault.move(path, "moved.md"),
}


@pytest.fixture(params=list(CALLS), name="call")
def _call(request: pytest.FixtureRequest) -> Callable[[Vault, str], object]:
    """Each tool in turn."""
    return CALLS[request.param]


def unchanged(outside: Path) -> bool:
    """Tell whether the tree beside the root is as it was."""
    return {path.name: path.read_bytes() for path in outside.iterdir()} == {
        "secret.md": b"CANARY\n"
    }


def test_path_prefix_bypass(
    vault: Vault, outside: Path, call: Callable[[Vault, str], object]
) -> None:
    """CVE-2025-53110: a sibling whose name begins with the root's is outside."""
    for path in (f"../{outside.name}/secret.md", str(outside / "secret.md"), f"..\\{outside.name}"):
        with pytest.raises(InvalidPath):
            call(vault, path)
    assert unchanged(outside)


@pytest.mark.requirement("vault:paths:links")
@pytest.mark.parametrize("kind", ["file", "folder", "chain", "loop", "dangling", "inside"])
def test_symlink_escape(
    vault: Vault, root: Path, outside: Path, call: Callable[[Vault, str], object], kind: str
) -> None:
    """CVE-2025-53109: a link is forbidden wherever it points, for each tool."""
    (root / "note.md").write_bytes(b"CANARY")
    targets = {
        "file": outside / "secret.md",
        "folder": outside,
        "chain": Path("second"),
        "loop": Path("link"),
        "dangling": outside / "new.md",
        "inside": root / "note.md",
    }
    (root / "second").symlink_to(outside / "secret.md")
    (root / "link").symlink_to(targets[kind])

    with pytest.raises(Forbidden) as refusal:
        call(vault, "link")
    assert str(outside) not in str(refusal.value)
    assert str(root) not in str(refusal.value)
    assert unchanged(outside)


def test_create_through_link_when_target_absent(vault: Vault, root: Path, outside: Path) -> None:
    """A parent that is a link, and a file that is not there yet."""
    (root / "link").symlink_to(outside)

    for path in ("link/new.md", "link/deep/new.md"):
        with pytest.raises(Forbidden):
            vault.create(path, "x")
    assert unchanged(outside)


@pytest.mark.requirement("vault:paths:races")
@pytest.mark.parametrize(
    "when", [("read", 0), ("scan", 0), ("replace", 0), ("replace", 1), ("create", 0)]
)
def test_check_use_race(
    vault: Vault, root: Path, outside: Path, when: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that becomes a link just before it is opened, on the first walk or the second."""
    name, walks = when
    (root / "d").mkdir()
    (root / "d" / "secret.md").write_bytes(b"inside CANARY-free")
    path = "d/new.md" if name == "create" else "d/secret.md"
    enter = HeldFolder.enter
    swapped: list[str] = []

    def swap_just_before(folder: HeldFolder, entered: str) -> HeldFolder:
        if entered == "d" and len(swapped) == walks:
            (root / "d").rename(root / "moved")
            (root / "d").symlink_to(outside)
        swapped.extend(["d"] if entered == "d" else [])
        return enter(folder, entered)

    monkeypatch.setattr(HeldFolder, "enter", swap_just_before)
    with pytest.raises(Forbidden):
        CALLS[name](vault, path)
    assert unchanged(outside)


@pytest.mark.requirement("vault:paths:races")
def test_check_use_race_of_a_file(
    vault: Vault, root: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The open itself does not follow."""
    (root / "a.md").write_bytes(b"inside")
    look = HeldFolder.look

    def swap_after_looking(folder: HeldFolder, looked_at: str) -> os.stat_result:
        status = look(folder, looked_at)
        if looked_at == "a.md" and not (root / "a.md").is_symlink():
            (root / "a.md").unlink()
            (root / "a.md").symlink_to(outside / "secret.md")
        return status

    monkeypatch.setattr(HeldFolder, "look", swap_after_looking)
    with pytest.raises(Forbidden):
        vault.read("a.md", full=True)
    assert unchanged(outside)


def test_a_fifo_swapped_in_never_blocks(
    vault: Vault, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does one that is there from the start, for any tool."""
    (root / "a.md").write_bytes(b"inside")
    look = HeldFolder.look

    def swap_after_looking(folder: HeldFolder, looked_at: str) -> os.stat_result:
        status = look(folder, looked_at)
        if looked_at == "a.md":
            os.unlink(root / "a.md")
            os.mkfifo(root / "a.md")
        return status

    monkeypatch.setattr(HeldFolder, "look", swap_after_looking)
    with pytest.raises(InvalidPath):
        vault.read("a.md", full=True)
    monkeypatch.undo()
    for name in ("read", "scan", "replace"):
        with pytest.raises(InvalidPath):
            CALLS[name](vault, "a.md")
    with pytest.raises(Conflict):
        vault.create("a.md", "x")


@pytest.mark.requirement("vault:paths:regular-files")
def test_a_device_is_never_opened(vault: Vault, root: Path) -> None:
    """Made by those who may; elsewhere the kind of a FIFO stands for it."""
    try:
        os.mknod(root / "null.md", 0o666 | 0o020000, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes devices")

    for name in ("read", "scan", "replace"):
        with pytest.raises(InvalidPath):
            CALLS[name](vault, "null.md")


def test_unicode_path_tricks(
    vault: Vault, root: Path, call: Callable[[Vault, str], object]
) -> None:
    """Bidi, zero-width, streams, reserved names, trailing dots."""
    for path in ("a\u202edm.", "a\u200b.md", "a.md::$DATA", "con.md", "a.md.", "a\0.md", "a .md "):
        with pytest.raises(InvalidPath):
            call(vault, path)
    assert os.listdir(root) == []


@pytest.mark.requirement("vault:paths:messages")
def test_secret_places_are_not_told(vault: Vault, root: Path) -> None:
    """Messages show the relative path only."""
    with pytest.raises(TebikiError) as refusal:
        vault.read("missing/note.md", full=True)

    assert "missing" in str(refusal.value)
    assert str(root.parent) not in str(refusal.value)


@pytest.mark.requirement("vault:journal:unwritable")
@pytest.mark.parametrize("broken", ["link", "file", "folder"])
def test_an_unwritable_journal_stops_the_write(
    vault: Vault, root: Path, outside: Path, broken: str
) -> None:
    """With a conflict; the file is as it was, and the link is not followed."""
    vault.create("a.md", "old")
    journal = root / ".system" / "journal"
    for path in journal.iterdir():
        path.unlink()
    if broken == "folder":
        (journal / "entries.jsonl").mkdir()
    else:
        journal.rmdir()
        journal.write_bytes(b"") if broken == "file" else journal.symlink_to(outside)

    with pytest.raises(Conflict, match="journal"):
        vault.replace("a.md", "old", "new")
    with pytest.raises(Conflict, match="journal"):
        vault.create("b.md", "new")
    assert (root / "a.md").read_bytes() == b"old"
    assert sorted(os.listdir(root)) == [".system", "a.md"]
    assert unchanged(outside)

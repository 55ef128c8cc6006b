"""What the vault keeps about notes is its owner's alone, whatever the mask says."""

from __future__ import annotations

import os
import re
import struct
from stat import S_IMODE
from typing import TYPE_CHECKING

import pytest

from tebiki.files import writing
from tebiki.files.dress import ACCESS_LIST, Dress, put_on
from tebiki.files.names import parse
from tebiki.files.paths import Root

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tebiki.vault.vault import Vault

pytestmark = pytest.mark.skipif("os.name == 'nt'", reason="modes mean nothing there")


@pytest.fixture(autouse=True)
def _usual_mask() -> Iterator[None]:
    """Others may read what is made, unless its maker says otherwise."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[bool, set[int]]:
    """The modes of the folders (true) and of the files below a folder, and of itself."""
    found: dict[bool, set[int]] = {True: {S_IMODE(folder.stat().st_mode)}, False: set()}
    for path in folder.rglob("*"):
        found[path.is_dir()].add(S_IMODE(path.stat().st_mode))
    return found


@pytest.mark.requirement("vault:journal:private")
def test_journal_and_locks_are_private_from_the_start(vault: Vault, root: Path) -> None:
    """The lines of a private note stand in them; the note itself has the mode that others have."""
    vault.create("a.md", "one")
    (root / "a.md").chmod(0o600)
    vault.replace("a.md", "one", "two")
    vault.create("b.md", "three")

    assert modes(root / ".system") == {True: {0o700}, False: {0o600}}
    assert S_IMODE((root / "a.md").stat().st_mode) == 0o600
    assert S_IMODE((root / "b.md").stat().st_mode) == 0o644


@pytest.mark.requirement("vault:journal:private")
def test_what_was_open_to_others_is_closed_by_the_next_write(vault: Vault, root: Path) -> None:
    """Folders, both files of the journal, and every lock, also those that are not used."""
    vault.create("a.md", "one")
    (root / ".system/locks/zz.lock").touch()
    for path in (root / ".system").rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (root / ".system").chmod(0o755)

    vault.create("b.md", "two")

    assert modes(root / ".system") == {True: {0o700}, False: {0o600}}
    assert [entry.path for entry in vault.log()] == ["a.md", "b.md"]


@pytest.mark.requirement("vault:journal:private")
def test_a_write_in_progress_is_private(tmp_path: Path) -> None:
    """Until it takes its name; then it has the mode that a new file has."""
    seen: list[int] = []

    def look() -> None:
        (temporary,) = tmp_path.iterdir()
        seen.append(S_IMODE(temporary.stat().st_mode))

    with Root(tmp_path).place(parse("a.md")) as place:
        writing.create(place, b"one", look)

    assert seen == [0o600]
    assert S_IMODE((tmp_path / "a.md").stat().st_mode) == 0o644


@pytest.mark.requirement("vault:writing:dress")
def test_a_private_note_that_is_given_back_is_private(vault: Vault, root: Path) -> None:
    """However it was taken away: by `rm`, or by undoing what made it."""
    vault.create("a.md", "secret")
    (root / "a.md").chmod(0o640)
    vault.undo(vault.remove("a.md").entry)
    assert S_IMODE((root / "a.md").stat().st_mode) == 0o640

    (root / "a.md").chmod(0o600)
    vault.undo(vault.undo(vault.undo(vault.remove("a.md").entry).entry).entry)

    assert S_IMODE((root / "a.md").stat().st_mode) == 0o600


@pytest.mark.requirement("vault:writing:dress")
def test_a_note_whose_entry_tells_no_mode_is_given_back_to_its_owner_alone(
    vault: Vault, root: Path
) -> None:
    """As entries of older versions do."""
    vault.create("a.md", "secret")
    entry = vault.remove("a.md").entry
    journal = root / ".system/journal/entries.jsonl"
    journal.write_bytes(re.sub(rb',"mode":\d+,"group":\d+', b"", journal.read_bytes()))

    vault.undo(entry)

    assert S_IMODE((root / "a.md").stat().st_mode) == 0o600


def access_list() -> bytes:
    """A list by which user 1000 may read and write, and the file's group nothing."""
    rows = ((1, 6, -1), (2, 6, 1000), (4, 0, -1), (16, 6, -1), (32, 0, -1))
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *row) for row in rows)


@pytest.mark.requirement("vault:writing:dress")
def test_a_change_lets_nobody_in_whom_an_access_list_keeps_out(vault: Vault, root: Path) -> None:
    """Without its list the mode would let the file's whole group do what one user may."""
    note = root / "a.md"
    vault.create("a.md", "secret")
    try:
        os.setxattr(note, ACCESS_LIST, access_list())
    except (AttributeError, OSError):
        pytest.skip("this file system has no access lists")

    vault.append("a.md", "more")
    assert os.getxattr(note, ACCESS_LIST) == access_list()
    vault.move("a.md", "b.md")
    assert os.getxattr(root / "b.md", ACCESS_LIST) == access_list()
    vault.undo(vault.remove("b.md").entry)

    assert S_IMODE((root / "b.md").stat().st_mode) == 0o600


@pytest.mark.requirement("vault:writing:dress")
@pytest.mark.skipif("os.geteuid() != 0", reason="a group that is not one's own is needed")
def test_a_note_keeps_its_group_or_the_group_gets_nothing(
    vault: Vault, root: Path, tmp_path: Path
) -> None:
    """Moved, taken away and given back; and by whoever may not give a file to that group."""
    note = root / "a.md"
    vault.create("a.md", "secret")
    note.chmod(0o640)
    os.chown(note, 0, 4321)

    vault.move("a.md", "b.md")
    vault.undo(vault.remove("b.md").entry)
    found = (root / "b.md").stat()
    assert (found.st_gid, S_IMODE(found.st_mode)) == (4321, 0o640)

    other = tmp_path / "other"
    other.touch()
    os.chown(other, 65534, 65534)
    with other.open("rb") as file:
        os.setegid(65534)
        os.seteuid(65534)
        try:
            put_on(file.fileno(), Dress(0o664, 0, 4321))
        finally:
            os.seteuid(0)
            os.setegid(0)
    assert S_IMODE(other.stat().st_mode) == 0o644

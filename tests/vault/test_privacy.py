"""What the vault keeps about notes is its owner's alone, whatever the mask says."""

from __future__ import annotations

import os
from stat import S_IMODE
from typing import TYPE_CHECKING

import pytest

from tebiki.files import writing
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

"""Faults, in a bounded form: writers at once, kills at random moments, links swapped in."""

from __future__ import annotations

import itertools
import shutil
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import NotFound
from tebiki.vault.vault import Vault
from tests.vault.faults import (
    concurrent_replaces,
    killed_moves,
    killed_replaces,
    swapped_calls,
    swept_folder,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif("os.name == 'nt'", reason="links and SIGKILL are needed")


@pytest.mark.requirement("vault:writing:locked")
def test_replaces_of_four_processes_all_take_effect(root: Path) -> None:
    """4 x 25 replaces of one file: none is lost."""
    assert concurrent_replaces(root, processes=4, each=25) == 100


@pytest.mark.requirement("vault:writing:killed")
def test_a_kill_leaves_the_old_or_the_new_file(root: Path) -> None:
    """20 kills while 2 MB are replaced: nothing torn, nothing stray to be seen, a true log."""
    found = killed_replaces(root, kills=20, size=2_000_000, seed=4, longest=0.1)

    assert (found.torn, found.visible_strays, found.unexplained) == (0, 0, 0)


def left_with_both(root: Path, kills: int) -> Iterator[Path]:
    """The vaults in which a killed move left the note under both paths."""
    for top in (root / f"kill-{number}" for number in range(kills)):
        if (top / "old" / "a.md").exists() and (top / "new" / "b.md").exists():
            yield top


@pytest.mark.requirement("vault:writing:moved")
def test_a_move_that_was_killed_is_ended_by_the_next_write(root: Path) -> None:
    """Killed before each of its steps: the note is never gone, and soon has one path again."""
    kills = killed_moves(root)

    both = 0
    for number in range(kills):
        top = root / f"kill-{number}"
        old, new = top / "old" / "a.md", top / "new" / "b.md"
        both += old.exists() and new.exists()
        Vault(top, time.time).create("new/c.md", "next")
        assert old.exists() != new.exists(), number
        there = old if old.exists() else new
        assert there.read_bytes() == b"text\n"
        assert there.stat().st_mtime == 1_000_000_000
        assert not list(top.rglob(".tebiki-tmp-*"))
    assert both > 0


@pytest.mark.requirement("vault:writing:moved")
@pytest.mark.parametrize("written", ["old/a.md", "new/b.md", "c.md"])
def test_a_move_that_another_process_was_killed_in_is_ended_by_a_server_that_runs(
    root: Path, written: str
) -> None:
    """One that has written before and looked for such moves; also by a write to that very note."""
    found = list(left_with_both(root, killed_moves(root)))

    assert found
    for top in found:
        journal = top / ".system" / "journal" / "entries.jsonl"
        lines = journal.read_bytes()
        journal.unlink()
        vault = Vault(top, time.time)
        vault.create("c.md", "one\n")
        journal.write_bytes(journal.read_bytes() + lines.replace(b'"entry":1,', b'"entry":2,'))

        with suppress(NotFound):
            vault.append(written, "more\n")

        assert not (top / "old" / "a.md").exists()
        more = "more\n" if written == "new/b.md" else ""
        assert (top / "new" / "b.md").read_text() == f"text\n{more}"


@pytest.mark.requirement("vault:writing:moved")
def test_a_move_that_was_killed_is_asked_for_again_or_undone(root: Path) -> None:
    """By people, who need not know what was left."""
    found = list(left_with_both(root, killed_moves(root)))

    for top, undo in zip(found, itertools.cycle([True, False]), strict=False):
        vault = Vault(top, time.time)
        if undo:
            assert vault.undo(1).written_path == "old/a.md"
        else:
            assert vault.move("old/a.md", "new/b.md").written_path == "new/b.md"
        assert (top / "old" / "a.md").exists() is undo
        assert (top / "new" / "b.md").exists() is not undo
    assert len(found) > 1


@pytest.mark.requirement("vault:writing:moved")
@pytest.mark.parametrize("change", ["rewritten", "copied back", "edited"])
def test_a_note_that_came_to_the_old_path_later_stays(root: Path, change: str) -> None:
    """Only what the move itself left is taken away."""
    left_both = list(left_with_both(root, killed_moves(root)))

    assert left_both
    for top in left_both:
        old, new = top / "old" / "a.md", top / "new" / "b.md"
        if change == "rewritten":
            old.write_bytes(b"text of today\n")
        elif change == "copied back":
            shutil.copy2(new, top / "copy")
            (top / "copy").replace(old)
        else:
            new.write_bytes(b"text\nand more\n")
        before = old.read_bytes(), new.read_bytes()

        Vault(top, time.time).create("c.md", "next")

        assert (old.read_bytes(), new.read_bytes()) == before


@pytest.mark.requirement("vault:writing:swept")
def test_what_killed_writers_left_is_swept_and_nothing_of_live_ones(root: Path) -> None:
    """8 processes in one folder, half of them killed again and again, each sweeping at every write.

    None of the live ones ever fails, and what is no file of ours stays.
    """
    found = swept_folder(root, processes=8, kills=6, seconds=0.2)

    assert (found.failed, found.torn, found.left_in_the_end, found.foreign) == (0, 0, 0, 3)
    assert found.written > 0
    assert found.left_by_the_killed > 0


@pytest.mark.requirement("vault:paths:races")
def test_check_use_race_swapped_links_lead_nowhere(tmp_path: Path) -> None:
    """2 s of swapping a folder and a file for links: nothing outside is read or written."""
    found = swapped_calls(tmp_path, seconds=2)

    assert found.leaks == 0
    assert not found.changed_outside
    assert found.swaps > 0
    assert found.answered > 0

"""A journal that is kept to a size, and one that forgets: what stays, what goes, what is told."""

from __future__ import annotations

import base64
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.errors import Forbidden, NotFound
from tebiki.vault.entries import moment
from tebiki.vault.vault import Vault

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 20_000
NOON = 1_770_000_000.0
SECRET = "tomato-soup-with-basil"


def ticking() -> Iterator[float]:
    """A second for each write."""
    now = NOON
    while True:
        yield now
        now += 1


def small_vault(root: Path, start: float = NOON) -> Vault:
    """A vault whose journal is soon too large."""
    clock = ticking()
    return Vault(root, lambda: start - NOON + next(clock), journal_bytes=MOST_BYTES)


def journal_of(root: Path) -> Path:
    """The folder of the journal."""
    return root / ".system" / "journal"


def edit_often(vault: Vault, path: str, times: int) -> None:
    """Make entries of about a kilobyte each."""
    vault.create(path, "x" * 150 + "0\n")
    for number in range(times):
        vault.replace(path, f"{number}\n", f"{number + 1}\n")


@pytest.mark.requirement("vault:journal:trimmed")
def test_a_journal_that_is_too_large_loses_its_older_half(root: Path) -> None:
    """The newest entry of each note stays, numbers go on, and the log knows what is gone."""
    vault = small_vault(root)
    vault.create("seldom.md", "once")
    edit_often(vault, "often.md", 100)

    log = vault.log()
    gone = vault.gone()
    size = sum(path.stat().st_size for path in journal_of(root).iterdir())

    assert size <= MOST_BYTES * 1.1
    assert [entry.path for entry in log][:1] == ["seldom.md"]
    assert log[-1].entry == 102
    assert all(entry.done for entry in log)
    assert gone.trimmed == 102 - len(log)
    assert gone.first is not None
    assert moment(gone.first).startswith("2026-02-02T02:40:0")
    vault.undo(102)
    vault.undo(101)
    vault.undo(1)
    assert not (root / "seldom.md").exists()
    with pytest.raises(NotFound, match="not any more"):
        vault.undo(2)


@pytest.mark.requirement("vault:journal:trimmed")
def test_a_journal_of_before_is_read_and_trimmed(root: Path) -> None:
    """One that was never written anew, larger than allowed, with a line that is none."""
    edit_often(Vault(root, lambda: NOON), "a.md", 60)
    entries = journal_of(root) / "entries.jsonl"
    assert entries.stat().st_size > MOST_BYTES
    with entries.open("a") as file:
        file.write('{"entry": 62, "ti')

    vault = small_vault(root)
    before = [entry.entry for entry in vault.log()]
    vault.create("b.md", "new")

    assert before == list(range(1, 62))
    assert [entry.entry for entry in vault.log()][-2:] == [61, 63]
    assert len(entries.read_bytes().splitlines()) == 63


def test_two_servers_number_entries_without_a_gap_while_one_trims(root: Path) -> None:
    """A journal that was put in the place of another is seen by whoever has that one open."""
    one, two = small_vault(root), small_vault(root)
    one.create("a.md", "0\n")
    for number in range(0, 200, 2):
        one.replace("a.md", f"{number}\n", f"{number + 1}\n")
        two.replace("a.md", f"{number + 1}\n", f"{number + 2}\n")

    numbers = [entry.entry for entry in one.log()]
    assert numbers == list(range(numbers[0], 202))
    assert one.gone().trimmed == numbers[0] - 1


def test_newest_entries_that_do_not_fit_are_not_weighed_after_every_write(root: Path) -> None:
    """Each note has one entry: none can go, and the journal grows on without being copied."""
    vault = small_vault(root)
    for number in range(80):
        vault.create(f"{number}.md", "text")
    inode = (journal_of(root) / "entries.jsonl").stat().st_ino
    vault.create("next.md", "text")

    assert len(vault.log()) == 81
    assert (journal_of(root) / "entries.jsonl").stat().st_ino == inode


def every_byte(folder: Path) -> bytes:
    """All that is in the files below a folder, its notes aside, and the texts that they encode."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix != ".md":
            found.append(path.read_bytes())
            for line in path.read_bytes().splitlines():
                try:
                    edits = json.loads(line)["edits"]
                except (ValueError, KeyError, TypeError):
                    continue
                found += [base64.b64decode(edit["removed"]) for edit in edits]
                found += [base64.b64decode(edit["added"]) for edit in edits]
    return b"\n".join(found)


@pytest.mark.requirement("vault:journal:forgotten")
def test_a_note_that_is_forgotten_is_in_no_file_of_the_journal(vault: Vault, root: Path) -> None:
    """Half-written lines and what killed writers left go too; other notes stay."""
    vault.create("n/a.md", f"{SECRET}\n")
    vault.create("b.md", "other\n")
    vault.replace("n/a.md", SECRET, "nothing")
    with (journal_of(root) / "entries.jsonl").open("a") as file:
        file.write(json.dumps({"path": "n/a.md", "text": SECRET})[:-4])
    (journal_of(root) / "new.jsonl").write_text(SECRET)
    (root / "n" / f".tebiki-tmp-00-{'0' * 24}").write_text(SECRET)
    assert SECRET.encode() in every_byte(root)

    done = vault.forget("n/a.md")

    assert (done.entries, done.paths, done.still_there) == (2, ("n/a.md",), True)
    assert SECRET.encode() not in every_byte(root)
    assert b"n/a.md" not in every_byte(root)
    assert [(entry.entry, entry.path, entry.done) for entry in vault.log()] == [(2, "b.md", True)]
    assert vault.gone().forgotten == 2
    assert vault.create("c.md", "x").written_path == "c.md"
    assert vault.log()[-1].entry == 5
    assert vault.undo(2).undoes == 2


@pytest.mark.requirement("vault:journal:forgotten")
def test_what_was_written_before_a_time_is_forgotten(root: Path) -> None:
    """Also the newest entry of a note; a folder means all notes below it."""
    vault = small_vault(root)
    for path in ("a.md", "d/b.md", "d/c.md", "e.md"):
        vault.create(path, "x")

    assert vault.forget(before=NOON).entries == 0
    assert vault.forget(before=vault.log()[2].time).paths == ("a.md", "d/b.md")
    assert vault.forget("d").paths == ("d/c.md",)
    assert [entry.path for entry in vault.log()] == ["e.md"]
    assert vault.forget("d").entries == 0


def test_forgetting_makes_no_vault_and_writes_none_that_is_read_only(tmp_path: Path) -> None:
    """Where there is nothing, nothing is made."""
    assert Vault(tmp_path / "none", lambda: NOON).forget("a.md").entries == 0
    assert not (tmp_path / "none").exists()
    with pytest.raises(Forbidden):
        Vault(tmp_path, lambda: NOON, read_only=True).forget(before=NOON)


@given(
    st.lists(
        st.tuples(st.sampled_from(["a.md", "b.md", "c.md"]), st.integers(0, 3)),
        min_size=1,
        max_size=25,
    )
)
def test_however_a_journal_was_trimmed_the_newest_of_each_note_can_be_undone(
    writes: list[tuple[str, int]],
) -> None:
    """Whatever was written, and whatever was forgotten in between."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        vault = Vault(root, lambda: NOON, journal_bytes=1500)
        last: dict[str, int] = {}
        for number, (path, what) in enumerate(writes):
            if what == 3:
                vault.forget(path)
                last.pop(path, None)
            elif (root / path).exists():
                vault.replace(path, "x", f"x{number}")
                last[path] = vault.log()[-1].entry
            else:
                vault.create(path, f"x{number}")
                last[path] = vault.log()[-1].entry

        numbers = [entry.entry for entry in vault.log()]
        assert numbers == sorted(set(numbers))
        assert set(last.values()) <= set(numbers)
        for entry in last.values():
            vault.undo(entry)

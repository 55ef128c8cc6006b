"""The journal: every write is told, and can be taken back while nothing else has happened."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import Conflict, NotFound
from tebiki.files.handles import HeldFolder
from tebiki.vault.entries import moment
from tebiki.vault.vault import Vault

if TYPE_CHECKING:
    from pathlib import Path

TOO_LONG = r"\.system/journal has more than"


def lines(root: Path) -> list[str]:
    """The journal's lines."""
    return (root / ".system/journal/entries.jsonl").read_text().splitlines()


@pytest.mark.requirement("vault:journal:each-write")
def test_the_log_tells_every_write(vault: Vault) -> None:
    """In order, of all files or of one."""
    vault.create("a.md", "one")
    vault.create("b.md", "two")
    vault.replace("a.md", "one", "three")

    log = vault.log()
    assert [(entry.entry, entry.kind, entry.path, entry.done) for entry in log] == [
        (1, "create", "a.md", True),
        (2, "create", "b.md", True),
        (3, "replace", "a.md", True),
    ]
    assert log[0].before is None
    assert log[0].after == log[2].before
    assert moment(log[0].time) == "2026-02-02T02:40:00.000+00:00"
    assert [entry.entry for entry in vault.log("./a.md")] == [1, 3]


@pytest.mark.requirement("vault:journal:commands")
def test_undo_restores_the_bytes(vault: Vault, root: Path) -> None:
    """One after the other, to where nothing was, and forth again."""
    vault.create("n/a.md", "one\r\ntwo\r\n")
    vault.replace("n/a.md", "two", "zwei")
    vault.replace("n/a.md", "one", "eins")

    assert vault.undo(3)._asdict() == {"written_path": "n/a.md", "entry": 4, "undoes": 3}
    assert (root / "n/a.md").read_bytes() == b"one\r\nzwei\r\n"
    vault.undo(2)
    assert (root / "n/a.md").read_bytes() == b"one\r\ntwo\r\n"
    vault.undo(1)
    assert not (root / "n/a.md").exists()
    vault.undo(6)
    assert (root / "n/a.md").read_bytes() == b"one\r\ntwo\r\n"
    assert [entry.undoes for entry in vault.log()] == [None, None, None, 3, 2, 1, 6]


def test_undo_of_a_daily_note_takes_it_away(vault: Vault, root: Path) -> None:
    """What was created by mistake can be created again."""
    vault.create("daily/2026-01-01.md", "x")
    vault.undo(1)

    assert not (root / "daily/2026-01-01.md").exists()


def test_undo_refuses_a_file_that_changed_since(vault: Vault, root: Path) -> None:
    """By us, by others, or gone; and what is there stays."""
    vault.create("a.md", "one")
    vault.replace("a.md", "one", "two")
    with pytest.raises(Conflict):
        vault.undo(1)

    (root / "a.md").write_bytes(b"by hand")
    with pytest.raises(Conflict):
        vault.undo(2)
    assert (root / "a.md").read_bytes() == b"by hand"
    (root / "a.md").unlink()
    with pytest.raises(Conflict):
        vault.undo(2)
    with pytest.raises(NotFound):
        vault.undo(99)
    assert len(vault.log()) == 2


def test_undoing_twice_is_refused(vault: Vault) -> None:
    """The file is no longer as the write left it."""
    vault.create("a.md", "one")
    vault.replace("a.md", "one", "two")
    vault.undo(2)

    with pytest.raises(Conflict):
        vault.undo(2)


def test_undo_never_replaces_what_came_instead(vault: Vault, root: Path) -> None:
    """A file that was taken away is not put over a new one."""
    vault.create("a.md", "one")
    vault.undo(1)
    (root / "a.md").write_bytes(b"new")

    with pytest.raises(Conflict):
        vault.undo(2)
    assert (root / "a.md").read_bytes() == b"new"


def test_a_write_that_never_took_effect_is_told(vault: Vault, root: Path) -> None:
    """A crash after the journal and before the rename: not done, not undone, numbers go on."""
    vault.create("a.md", "one")
    vault.replace("a.md", "one", "two")
    vault.undo(2)
    done = root / ".system/journal/done.jsonl"
    done.write_text("".join(done.read_text().splitlines(keepends=True)[:1]))
    pending = json.loads(lines(root)[1]) | {"entry": 4, "after": "0" * 64}
    with (root / ".system/journal/entries.jsonl").open("a") as journal:
        journal.write(json.dumps(pending) + "\n")

    # Without marks, the hashes tell: 2 was followed by 3, 3 is what the file is, 4 never came.
    assert [entry.done for entry in vault.log()] == [True, True, True, False]
    with pytest.raises(Conflict, match="never"):
        vault.undo(4)
    vault.replace("a.md", "one", "three")
    assert vault.log()[-1].entry == 5


def test_an_unfinished_line_costs_itself_only(vault: Vault, root: Path) -> None:
    """What a killed writer left is ended by the next."""
    vault.create("a.md", "one")
    with (root / ".system/journal/entries.jsonl").open("a") as journal:
        journal.write('{"entry": 2, "ti')
    vault.replace("a.md", "one", "two")
    other = Vault(root, lambda: 0.0)
    other.replace("a.md", "two", "three")
    vault.replace("a.md", "three", "four")

    assert [entry.entry for entry in vault.log()] == [1, 3, 4, 5]
    assert vault.undo(5).entry == 6


def test_lines_that_are_none_are_passed_over(vault: Vault, root: Path) -> None:
    """Whatever was put into either file by hand."""
    vault.create("a.md", "one")
    for name in ("entries.jsonl", "done.jsonl"):
        with (root / ".system/journal" / name).open("a") as file:
            file.write("\n5\n{}\n" + "[" * 100_000 + "\n")

    assert [entry.done for entry in vault.log()] == [True]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a regular file that cannot be read")
def test_a_journal_that_cannot_be_read_is_told(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a failing disk: in our words, and not as a bug."""
    vault.create("a.md", "one")
    monkeypatch.setattr(HeldFolder, "open", lambda *_: os.open("/proc/self/mem", os.O_RDONLY))

    with pytest.raises(Conflict, match="journal could not be used"):
        vault.log()


@pytest.mark.requirement("vault:journal:each-write")
def test_lines_are_json_with_hashes(vault: Vault, root: Path) -> None:
    """So that people and programs can read them without us."""
    vault.create("a.md", "one")

    (line,) = map(json.loads, lines(root))
    assert (line["path"], line["kind"], line["before"]) == ("a.md", "create", None)
    assert len(line["after"]) == 64


def test_a_diff_shows_lines(vault: Vault, root: Path) -> None:
    """Numbered while the file is as it was left."""
    vault.create("a.md", "one\ntwo\nthree\n")
    assert vault.diff(1) == "--- /dev/null\n+++ a.md\n@@ line 1 @@\n+one\n+two\n+three\n"

    vault.replace("a.md", "two", "zwei\ndrei")
    assert vault.diff(2) == "--- a.md\n+++ a.md\n@@ line 2 @@\n-two\n+zwei\n+drei\n"
    (root / "a.md").write_bytes(b"by hand")
    assert "@@ byte 4 @@" in vault.diff(2)
    assert "changed since" in vault.diff(1)
    with pytest.raises(NotFound):
        vault.diff(3)


def test_a_diff_of_a_file_given_back_shows_it_once(vault: Vault, root: Path) -> None:
    """Also when it has changed since: what was taken away is in the journal."""
    vault.create("a.md", "one\n")
    vault.undo(1)
    vault.undo(2)

    assert vault.diff(3) == "--- /dev/null\n+++ a.md\n@@ line 1 @@\n+one\n"
    (root / "a.md").write_bytes(b"by hand")
    assert vault.diff(3) == "--- /dev/null\n+++ a.md\n@@ byte 0 @@\n+one\n"


def test_a_diff_reads_the_files_encoding(vault: Vault, root: Path) -> None:
    """Bytes are shown as the text they are."""
    (root / "a.md").write_bytes("手引き\r\n".encode("cp932"))
    vault.replace("a.md", "引", "び")

    assert vault.diff(1).splitlines()[3:] == ["-手引き", "+手びき"]


def test_a_tampered_journal_leads_nowhere(vault: Vault, root: Path, outside: Path) -> None:
    """Paths in it go through the same gate."""
    vault.create("a.md", "one")
    journal = root / ".system/journal/entries.jsonl"
    for path in (f"../{outside.name}/secret.md", ".system/locks/x", str(outside / "secret.md")):
        entry = json.loads(lines(root)[0]) | {"path": path}
        journal.write_text(json.dumps(entry) + "\n")
        with pytest.raises(Exception, match=r"path|system") as refusal:
            vault.undo(1)
        assert type(refusal.value).__module__ == "tebiki.errors"
    assert (outside / "secret.md").read_bytes() == b"CANARY\n"


@pytest.mark.requirement("vault:journal:unwritable")
@pytest.mark.parametrize("name", ["entries.jsonl", "done.jsonl"])
def test_a_journal_that_claims_a_terabyte_stops_the_write_at_once(
    vault: Vault, root: Path, name: str
) -> None:
    """It is one line of zeros: not read to its end, not kept in memory, and said by its name."""
    vault.create("a.md", "one")
    vault.move("a.md", "b.md")
    os.truncate(root / ".system" / "journal" / name, 1 << 40)

    for one in (vault, Vault(root, time.time)):
        if name == "entries.jsonl":
            with pytest.raises(Conflict, match=TOO_LONG):
                one.create("c.md", "two")
        with pytest.raises(Conflict, match=TOO_LONG):
            one.log()

    assert (root / "b.md").read_text() == "one"
    assert not (root / "c.md").exists()

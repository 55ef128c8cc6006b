"""`tebiki vault find | append | mv | rm`: for people, and every change can be taken back."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.support.command import run_command

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Finished

TEXT = "日本語のノート\r\nsecond\r\n".encode("cp932")


def vault(home: Path, *words: str, stdin: bytes = b"") -> Finished:
    """Run a command over the folder `notes` of a home."""
    env = {"VAULT_ROOT": str(home / "notes")}
    return run_command(home, "vault", *words, face="tebiki", env=env, stdin=stdin)


@pytest.fixture(name="notes")
def _notes(tmp_path: Path) -> Path:
    """A vault with a note."""
    notes = tmp_path / "notes"
    (notes / "ideas").mkdir(parents=True)
    (notes / "ideas/a.md").write_bytes(TEXT)
    return notes


def last_entry(home: Path) -> dict[str, object]:
    """The newest line of the journal."""
    entry: dict[str, object] = json.loads(vault(home, "log", "--json").stdout)[-1]
    return entry


@pytest.mark.requirement("mcp:people:append-and-find")
def test_appending_and_finding(tmp_path: Path, notes: Path) -> None:
    """From standard input or from the words typed; what is there is found."""
    typed = vault(tmp_path, "append", "ideas/a.md", "--content", "追記")
    piped = vault(tmp_path, "append", "ideas/a.md", stdin="# 耐震\n\n地震の備え\n".encode())
    missing = vault(tmp_path, "append", "none.md", "--content", "x")
    (notes / "b.md").write_text("# 耐震\n\n地震の備え\n", encoding="utf-8")
    found = vault(tmp_path, "find", "地震の備え")
    asked = json.loads(vault(tmp_path, "find", "地震", "の備え", "--in", "b.md", "--json").stdout)
    nothing = vault(tmp_path, "find", "zirconium")

    assert (typed.code, piped.code, missing.code) == (0, 0, 2)
    assert "to ideas/a.md" in typed.stdout
    assert not (notes / "none.md").exists()
    text = (notes / "ideas/a.md").read_bytes()
    assert text.startswith(TEXT + "追記".encode("cp932"))
    assert "b.md:1  耐震" in found.stdout
    assert [item["path"] for item in asked["items"]] == ["b.md"]
    assert nothing.code == 1
    assert "0 sections" in nothing.stdout


@pytest.mark.requirement("mcp:people:append-and-find")
def test_what_was_appended_is_undone(tmp_path: Path, notes: Path) -> None:
    """By its entry, with a diff to look at first."""
    vault(tmp_path, "append", "ideas/a.md", "--content", "追記\n")
    entry = str(last_entry(tmp_path)["entry"])
    diff = vault(tmp_path, "diff", entry)

    assert "@@ line 3 @@\n+追記\n" in diff.stdout
    assert vault(tmp_path, "undo", entry).code == 0
    assert (notes / "ideas/a.md").read_bytes() == TEXT


@pytest.mark.requirement("mcp:people:append-and-find")
def test_a_dry_run_for_people(tmp_path: Path, notes: Path) -> None:
    """The diff, and nothing else."""
    shown = vault(tmp_path, "replace", "ideas/a.md", "second", "2nd", "--dry-run")

    assert "would replace 1 in ideas/a.md" in shown.stdout
    assert "-second\n+2nd\n" in shown.stdout
    assert (notes / "ideas/a.md").read_bytes() == TEXT


@pytest.mark.requirement("mcp:people:moves")
@pytest.mark.parametrize(
    ("to", "where"),
    [
        ("b.md", "b.md"),
        ("new/deep/b.md", "new/deep/b.md"),
        ("other", "other/a.md"),
        ("fresh/", "fresh/a.md"),
        ("daily/2026-01-31.md", "daily/2026-01-31.md"),
    ],
)
def test_a_note_is_moved_and_moved_back(tmp_path: Path, notes: Path, to: str, where: str) -> None:
    """With its bytes, its mode and its time; and again."""
    (notes / "other").mkdir()
    old = notes / "ideas/a.md"
    old.chmod(0o640)
    os.utime(old, (1_000_000_000, 1_000_000_000))

    moved = vault(tmp_path, "mv", "ideas/a.md", to)

    assert moved.code == 0, moved
    assert f"moved ideas/a.md to {where}" in moved.stdout
    assert not old.exists()
    assert (notes / where).read_bytes() == TEXT
    assert (notes / where).stat().st_mode & 0o777 == 0o640
    assert (notes / where).stat().st_mtime == 1_000_000_000
    entry = last_entry(tmp_path)
    assert (entry["kind"], entry["path"], entry["moved_from"]) == ("move", where, "ideas/a.md")
    back = vault(tmp_path, "undo", str(entry["entry"]))
    assert back.code == 0, back
    assert old.read_bytes() == TEXT
    assert not (notes / where).exists()
    again = vault(tmp_path, "undo", str(last_entry(tmp_path)["entry"]))
    assert again.code == 0, again
    assert (notes / where).read_bytes() == TEXT
    log = vault(tmp_path, "log", "ideas/a.md").stdout
    assert log.count("ideas/a.md") == 3


@pytest.mark.requirement("mcp:people:moves")
@pytest.mark.parametrize("data", [TEXT, b"", b"\x89PNG\x00\xff", "# A\n".encode("utf-16")])
def test_a_note_is_removed_and_given_back(tmp_path: Path, notes: Path, data: bytes) -> None:
    """Whatever it holds."""
    (notes / "ideas/a.md").write_bytes(data)

    gone = vault(tmp_path, "rm", "ideas/a.md")

    assert "removed ideas/a.md (tebiki vault undo 1 takes it back)" in gone.stdout
    assert not (notes / "ideas/a.md").exists()
    assert vault(tmp_path, "diff", "1").code == 0
    assert vault(tmp_path, "undo", "1").code == 0
    assert (notes / "ideas/a.md").read_bytes() == data


@pytest.mark.requirement("mcp:people:moves")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("mv", "ideas/a.md", "taken.md"), "exists already"),
        (("mv", "ideas/a.md", "ideas/a.md"), "exists already"),
        (("mv", "none.md", "b.md"), "no none.md"),
        (("mv", "ideas", "other"), "is a folder"),
        (("mv", "ideas/a.md", ".system/a.md"), ".system/ is the vault's own"),
        (("mv", ".system/x.md", "a.md"), ".system/ is the vault's own"),
        (("mv", "ideas/a.md", "daily/notes.md"), "daily/YYYY-MM-DD.md"),
        (("mv", "ideas/a.md", "../a.md"), "`..`"),
        (("mv", "ideas/a.md", "taken.md/b.md"), "is a file"),
        (("mv", "link.md", "b.md"), "is a link"),
        (("rm", "none.md"), "no none.md"),
        (("rm", "ideas"), "is a folder"),
        (("rm", ".system/x.md"), ".system/ is the vault's own"),
        (("rm", "../a.md"), "`..`"),
        (("rm", "link.md"), "is a link"),
        (("rm", "huge.md"), "removed here"),
        (("undo", "1"), "no entry 1"),
    ],
)
def test_what_is_not_moved_or_removed(
    tmp_path: Path, notes: Path, words: tuple[str, ...], told: str
) -> None:
    """Said in one line; nothing changes."""
    (notes / "taken.md").write_bytes(b"taken")
    (notes / "link.md").symlink_to(notes / "taken.md")
    (notes / ".system").mkdir()
    (notes / ".system/x.md").write_bytes(b"own")
    with (notes / "huge.md").open("wb") as huge:
        huge.truncate(9 * 1024 * 1024)

    done = vault(tmp_path, *words)

    assert done.code == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert (notes / "ideas/a.md").read_bytes() == TEXT
    assert (notes / "taken.md").read_bytes() == b"taken"
    assert (notes / ".system/x.md").read_bytes() == b"own"
    assert (notes / "huge.md").exists()


@pytest.mark.requirement("mcp:people:moves")
def test_a_note_that_changed_after_its_move_stays(tmp_path: Path, notes: Path) -> None:
    """Undoing takes back what was done, and nothing that came after."""
    vault(tmp_path, "mv", "ideas/a.md", "b.md")
    vault(tmp_path, "append", "b.md", "--content", "more")
    blocked = vault(tmp_path, "undo", "1")
    vault(tmp_path, "undo", "2")
    (notes / "ideas/a.md").write_bytes(b"somebody else's")
    taken = vault(tmp_path, "undo", "1")

    assert (blocked.code, taken.code) == (2, 2)
    assert "undo the later entries first (2)" in blocked.stderr
    assert "exists already" in taken.stderr
    assert (notes / "b.md").read_bytes() == TEXT
    assert (notes / "ideas/a.md").read_bytes() == b"somebody else's"


@pytest.mark.requirement("mcp:people:moves")
def test_an_edit_before_a_move_waits_for_the_move_to_be_undone(tmp_path: Path, notes: Path) -> None:
    """The journal knows where the note went."""
    vault(tmp_path, "replace", "ideas/a.md", "second", "2nd")
    vault(tmp_path, "mv", "ideas/a.md", "b.md")
    (notes / ".system/journal/done.jsonl").unlink()

    log = [
        (one["kind"], one["done"]) for one in json.loads(vault(tmp_path, "log", "--json").stdout)
    ]
    early = vault(tmp_path, "undo", "1")

    assert log == [("replace", True), ("move", True)]
    assert "undo the later entries first (2)" in early.stderr
    assert vault(tmp_path, "undo", "2").code == 0
    assert vault(tmp_path, "undo", "1").code == 0
    assert (notes / "ideas/a.md").read_bytes() == TEXT


@pytest.mark.requirement("mcp:people:append-and-find")
def test_what_is_forgotten_is_in_no_index_either(tmp_path: Path, notes: Path) -> None:
    """The notes have one too, since they are searched."""
    (notes / "b.md").write_text("# Zirconium\n\nzirconium lamp\n")
    vault(tmp_path, "find", "zirconium")
    vault(tmp_path, "rm", "b.md")

    forgotten = vault(tmp_path, "forget", "b.md", "--json")

    assert json.loads(forgotten.stdout)["indexes"] == 1
    assert vault(tmp_path, "find", "zirconium").code == 1


@pytest.mark.requirement("mcp:people:moves")
def test_a_removed_note_is_forgotten_for_good(tmp_path: Path, notes: Path) -> None:
    """Its text, and where it had been."""
    vault(tmp_path, "mv", "ideas/a.md", "b.md")
    vault(tmp_path, "rm", "b.md")
    forgotten = vault(tmp_path, "forget", "ideas/a.md")
    rest = vault(tmp_path, "forget", "b.md")

    assert (forgotten.code, rest.code) == (0, 0)
    journal = (notes / ".system/journal/entries.jsonl").read_text()
    assert "ideas" not in journal
    assert "b.md" not in journal


@pytest.mark.requirement("mcp:people:moves")
def test_forgetting_tells_of_the_other_names_of_a_note(tmp_path: Path, notes: Path) -> None:
    """What it said before its move is under its first name, and nothing else would lead there."""
    vault(tmp_path, "append", "ideas/a.md", "--content", "secret")
    vault(tmp_path, "mv", "ideas/a.md", "b.md")
    vault(tmp_path, "rm", "b.md")

    first = vault(tmp_path, "forget", "b.md")
    second = vault(tmp_path, "forget", "ideas/a.md")

    assert "tebiki vault forget ideas/a.md" in first.stdout
    assert "another name" not in second.stdout
    assert "secret" not in (notes / ".system/journal/entries.jsonl").read_text()

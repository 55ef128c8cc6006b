"""`tebiki vault` as a person types it: what it prints, where, and its exit codes."""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Finished, run_command
from tests.support.terminal import run_at_terminal

if TYPE_CHECKING:
    from pathlib import Path


def vault(home: Path, *words: str, stdin: bytes = b"") -> Finished:
    """Run a vault command in a workspace of its own."""
    return run_command(home, "vault", *words, face="tebiki", stdin=stdin)


@pytest.mark.requirement("vault:journal:commands", "people:vault:commands")
def test_create_replace_log_diff_undo(tmp_path: Path) -> None:
    """The whole life of a note."""
    created = vault(tmp_path, "create", "ideas/a.md", stdin="手引き\n二行目\n".encode())
    replaced = vault(tmp_path, "replace", "ideas/a.md", "手引き", "案内")
    log = vault(tmp_path, "log")
    diff = vault(tmp_path, "diff", "2")
    undone = vault(tmp_path, "undo", "2")
    read = vault(tmp_path, "read", "ideas/a.md")

    assert created == (0, "created ideas/a.md (20 bytes)\n", "")
    assert replaced == (0, "replaced 1 in ideas/a.md\n", "")
    assert [line.split()[2:] for line in log.stdout.splitlines()] == [
        ["create", "ideas/a.md"],
        ["replace", "ideas/a.md"],
    ]
    assert "-手引き\n+案内\n" in diff.stdout
    assert undone.stdout == "undid 2 in ideas/a.md (entry 3)\n"
    assert read == (0, "手引き\n二行目\n", "")


@pytest.mark.requirement("people:vault:commands")
def test_listing_and_lines(tmp_path: Path) -> None:
    """Folders end with a slash; a range prints only itself."""
    vault(tmp_path, "create", "b/a.md", "--content", "one\ntwo\nthree\n")

    listed = vault(tmp_path, "ls", "b")
    lines = vault(tmp_path, "read", "b/a.md", "--start", "2", "--end", "2")

    assert listed == (0, "b/a.md\n", "")
    assert lines.stdout == "two\n"


@pytest.mark.requirement("people:vault:commands")
def test_a_long_note_is_printed_whole(tmp_path: Path) -> None:
    """Page after page, without a seam."""
    text = "".join(f"{number} 行目\n" for number in range(6000))
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "long.md").write_text(text, encoding="utf-8")

    assert vault(tmp_path, "read", "long.md").stdout == text


@pytest.mark.requirement("people:commands:json")
def test_json_for_programs(tmp_path: Path) -> None:
    """The same shapes as the tools."""
    created = vault(tmp_path, "create", "a.md", "--content", "x", "--json")
    log = vault(tmp_path, "log", "a.md", "--json")

    etag = hashlib.sha256(b"x").hexdigest()
    told = {"written_path": "a.md", "written_bytes": 1, "etag": etag}
    assert json.loads(created.stdout) == told
    assert [entry["kind"] for entry in json.loads(log.stdout)] == ["create"]


@pytest.mark.requirement("people:commands:json")
def test_reading_and_looking_back_speak_json_too(tmp_path: Path) -> None:
    """A note as its pages, lines as one page, a diff beside the entry it is of."""
    text = "one\ntwo\n" + "x" * 12_000
    vault(tmp_path, "create", "a.md", stdin=text.encode())

    whole = json.loads(vault(tmp_path, "read", "a.md", "--json").stdout)
    lines = json.loads(
        vault(tmp_path, "read", "a.md", "--start", "2", "--end", "2", "--json").stdout
    )
    diff = json.loads(vault(tmp_path, "diff", "1", "--json").stdout)

    assert "".join(page["text"] for page in whole) == text
    assert [page["eof"] for page in whole] == [False, True]
    assert (lines["text"], lines["truncated_reason"]) == ("two\n", "range_end")
    assert diff["entry"] == 1
    assert "+one\n+two\n" in diff["diff"]


@pytest.mark.requirement("people:vault:commands")
def test_lines_that_were_cut_say_where_they_go_on(tmp_path: Path) -> None:
    """By a command that can be typed as it stands: the text alone would look whole."""
    text = "".join(f"{number:09}\n" for number in range(3000))
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "my note.md").write_text(text, encoding="utf-8")

    first = vault(tmp_path, "read", "my note.md", "--start", "1", "--end", "2000")
    command = first.stderr.partition("the rest: tebiki vault ")[2]
    words = shlex.split(command)
    rest = vault(tmp_path, *words)

    assert words == ["read", "my note.md", "--start", "1201", "--end", "2000"]
    assert first.stdout + rest.stdout == text[:20_000]
    assert rest.stderr == ""


@pytest.mark.requirement("people:commands:exit-codes")
def test_exit_codes(tmp_path: Path) -> None:
    """1 when there was nothing, 2 when something was wrong."""
    vault(tmp_path, "create", "a.md", "--content", "x")

    assert vault(tmp_path, "log", "other.md").code == 1
    assert vault(tmp_path, "replace", "a.md", "zzz", "y").code == 1
    assert vault(tmp_path, "read", "missing.md").code == 2
    assert vault(tmp_path, "read", "../a.md").code == 2
    assert vault(tmp_path, "undo", "99").code == 2
    assert vault(tmp_path, "nope").code == 2
    assert vault(tmp_path).code == 2


@pytest.mark.requirement("people:commands:one-line-errors")
def test_errors_are_one_line_without_the_hosts_paths(tmp_path: Path) -> None:
    """Said as a tool would say it."""
    done = vault(tmp_path, "read", "missing.md")

    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert str(tmp_path) not in done.stderr


@pytest.mark.requirement("people:commands:one-line-errors")
def test_a_root_that_is_a_file_is_told_so(tmp_path: Path) -> None:
    """There is nothing to list above it, which other missing things are told to do."""
    (tmp_path / "vault").write_text("no folder", encoding="utf-8")

    done = run_command(tmp_path, "vault", "ls", face="tebiki")

    assert (done.code, done.stdout) == (2, "")
    assert "The root is a file, not a folder; set it to a folder." in done.stderr


@pytest.mark.requirement("people:vault:undo-safe")
def test_undo_refuses_what_has_changed_since(tmp_path: Path) -> None:
    """Nobody's later work is lost."""
    vault(tmp_path, "create", "a.md", "--content", "one")
    vault(tmp_path, "replace", "a.md", "one", "two")
    vault(tmp_path, "replace", "a.md", "two", "three")

    refused = vault(tmp_path, "undo", "2")

    assert refused.code == 2
    assert "has changed since" in refused.stderr
    assert vault(tmp_path, "read", "a.md").stdout == "three"


@pytest.mark.requirement("people:vault:undo-safe")
def test_garbage_in_the_journal_is_passed_over(tmp_path: Path) -> None:
    """The entries around it can still be listed and undone."""
    vault(tmp_path, "create", "a.md", "--content", "x")
    entries = tmp_path / "vault" / ".system" / "journal" / "entries.jsonl"
    good = entries.read_bytes()
    garbage = [
        good.replace(b'"entry":1', b'"entry":Infinity'),
        b"[" * 100_000 + b"\n",
        good.replace(b'"time":', b'"time":1e300,"was":'),
        b"\xff\x00\n",
    ]
    entries.write_bytes(good + b"".join(garbage))

    log = vault(tmp_path, "log")
    undone = vault(tmp_path, "undo", "1")

    assert log.code == 0
    assert len(log.stdout.splitlines()) == 1
    assert undone.code == 0


needs_a_terminal = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


@pytest.mark.requirement("people:vault:undo-safe")
def test_undoing_twice_says_that_it_was_undone(tmp_path: Path) -> None:
    """And how to bring it back; not that somebody changed the note."""
    vault(tmp_path, "create", "a.md", "--content", "one")
    vault(tmp_path, "replace", "a.md", "one", "two")
    vault(tmp_path, "undo", "2")

    again = vault(tmp_path, "undo", "2")
    back = vault(tmp_path, "undo", "3")
    twice = vault(tmp_path, "undo", "2")

    assert again.code == 2
    assert "Entry 2 was undone already, by entry 3; undo 3 to bring it back" in again.stderr
    assert back.code == twice.code == 0
    assert vault(tmp_path, "read", "a.md").stdout == "one"


@pytest.mark.requirement("people:vault:undo-safe")
def test_a_note_that_another_program_changed_is_told_so(tmp_path: Path) -> None:
    """There are no later entries to undo first."""
    vault(tmp_path, "create", "a.md", "--content", "one")
    (tmp_path / "vault" / "a.md").write_text("by hand")

    refused = vault(tmp_path, "undo", "1")

    assert "not by an entry of the journal" in refused.stderr
    assert "later entries" not in refused.stderr


@pytest.mark.requirement("people:vault:commands")
def test_a_diff_of_an_old_entry_shows_what_it_wrote(tmp_path: Path) -> None:
    """By taking back what came later; numbered lines, and the text of a note that was created."""
    vault(tmp_path, "create", "a.md", "--content", "one\ntwo\n")
    vault(tmp_path, "replace", "a.md", "two", "three")
    vault(tmp_path, "replace", "a.md", "one", "zero\none")
    vault(tmp_path, "undo", "3")

    assert vault(tmp_path, "diff", "1").stdout.endswith("@@ line 1 @@\n+one\n+two\n")
    assert "@@ line 2 @@\n-two\n+three\n" in vault(tmp_path, "diff", "2").stdout


@pytest.mark.requirement("people:vault:nothing-listed")
def test_listing_where_there_is_no_vault_says_so(tmp_path: Path) -> None:
    """Where it would be, and what makes it; an empty one and an empty folder say that."""
    none = vault(tmp_path, "ls")
    (tmp_path / "vault" / "d").mkdir(parents=True)
    folder = vault(tmp_path, "ls", "d")
    (tmp_path / "vault" / "d").rmdir()
    empty = vault(tmp_path, "ls")

    assert (none.code, none.stdout) == (1, "")
    assert f"There is no vault in {tmp_path / 'vault'} yet" in none.stderr
    assert "vault create" in none.stderr
    assert folder == (1, "", "d is empty.\n")
    assert empty == (1, "", f"The vault in {tmp_path / 'vault'} is empty.\n")


@pytest.mark.requirement("people:vault:nothing-listed")
@pytest.mark.parametrize(
    "words", ["read a.md", "replace a.md x y", "append a.md --content x", "mv a.md b.md", "rm a.md"]
)
def test_where_there_is_no_vault_no_note_is_looked_for(tmp_path: Path, words: str) -> None:
    """It is said that there is none, and none is made."""
    done = vault(tmp_path, *words.split())

    assert done.code == 2
    assert "There is no vault yet; the first note makes it" in done.stderr
    assert not (tmp_path / "vault").exists()


@pytest.mark.requirement("people:vault:commands")
def test_a_dash_as_content_reads_standard_input(tmp_path: Path) -> None:
    """As elsewhere."""
    vault(tmp_path, "create", "a.md", "--content", "-", stdin=b"piped\n")

    assert vault(tmp_path, "read", "a.md").stdout == "piped\n"


@needs_a_terminal
@pytest.mark.requirement("people:commands:waiting")
def test_waiting_for_a_terminal_is_told(tmp_path: Path) -> None:
    """Beside the output, for a note and for a server."""
    created = run_at_terminal(tmp_path, "vault", "create", "a.md", typed=b"by hand\n\x04")
    served = run_at_terminal(tmp_path, "--stdio", typed=b"\x04")

    assert created.code == served.code == 0
    assert "Type the text here; Ctrl-D" in created.raw
    assert "waits for an MCP client" in served.raw
    assert vault(tmp_path, "read", "a.md").stdout == "by hand\n"


@needs_a_terminal
@pytest.mark.requirement("people:vault:line-end")
def test_a_prompt_never_follows_a_note_on_its_line(tmp_path: Path) -> None:
    """On a terminal; what goes elsewhere is the note, byte for byte."""
    vault(tmp_path, "create", "a.md", "--content", "no end")

    assert run_at_terminal(tmp_path, "vault", "read", "a.md").screen == ["no end", ""]
    lines = run_at_terminal(tmp_path, "vault", "read", "a.md", "--start", "1")
    assert lines.screen == ["no end", ""]
    assert run_at_terminal(tmp_path, "vault", "read", "a.md", out=False).stdout == "no end"


@pytest.mark.requirement("vault:journal:trimmed")
def test_the_log_says_what_was_trimmed(tmp_path: Path) -> None:
    """Above the entries; for a program beside them."""
    small = {"TEBIKI_VAULT_JOURNAL_MIB": "1"}
    vault(tmp_path, "create", "a.md", stdin=b"x" * 400_000)
    for number in range(3):
        old, new = ("x", "y") if number % 2 == 0 else ("y", "x")
        words = ("vault", "replace", "a.md", old, new, "--all")
        run_command(tmp_path, *words, face="tebiki", env=small)

    log = vault(tmp_path, "log")
    as_json = vault(tmp_path, "log", "--json")

    assert "trimmed to keep the journal small" in log.stdout.splitlines()[0]
    assert "trimmed to keep the journal small" in as_json.stderr
    assert json.loads(as_json.stdout)[-1]["entry"] == 4


@pytest.mark.requirement("people:vault:words")
def test_a_text_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    """And that nothing happened."""
    vault(tmp_path, "create", "a.md", "--content", "one")

    done = vault(tmp_path, "replace", "a.md", "two", "three")

    assert (done.code, done.stdout) == (1, '"two" is not in a.md; nothing was changed\n')


@pytest.mark.requirement("people:vault:words")
@pytest.mark.parametrize(("command", "first"), [("vault", "ls, read"), ("manuals", "ls, toc")])
def test_a_command_without_an_action_names_its_actions(
    tmp_path: Path, command: str, first: str
) -> None:
    """So that nobody has to ask for help first."""
    done = run_command(tmp_path, command, face="tebiki")

    assert (done.code, done.stdout) == (2, "")
    assert f"say what to do: {first}, " in done.stderr

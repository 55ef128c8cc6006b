"""`tebiki vault` as a person types it: what it prints, where, and its exit codes."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Finished, run_command

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

    assert json.loads(created.stdout) == {"written_path": "a.md", "written_bytes": 1}
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

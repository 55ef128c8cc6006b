"""`tebiki doctor` after `tebiki setup`: the folders that a client was given are looked at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.command import run_command

if TYPE_CHECKING:
    from pathlib import Path


def findings(home: Path, area: str) -> list[dict[str, Any]]:
    """What the doctor says of an area."""
    words = ("doctor", "--offline", "--json", "--toolsets", "manuals,vault")
    done = run_command(home, *words, face="tebiki")
    return [row for row in json.loads(done.stdout)["findings"] if row["area"] == area]


def set_up(home: Path, *words: str) -> None:
    """Write a client's entry."""
    done = run_command(home, "setup", *words, "--write", face="tebiki")
    assert done.code == 0, done.stderr


@pytest.mark.requirement("people:doctor:clients")
def test_the_doctor_looks_at_the_manuals_a_client_was_given(tmp_path: Path) -> None:
    """Not only at those below the folder it stands in, which is not there and no fault then."""
    guide = tmp_path / "mine" / "oven" / "guide.md"
    guide.parent.mkdir(parents=True)
    guide.write_text("# Guide\n\nThe fan.\n", encoding="utf-8")
    notes = tmp_path / "notes"
    notes.mkdir()
    set_up(tmp_path, "codex", "--manuals", "mine", "--vault", "notes")

    (client,) = findings(tmp_path, "client")
    here, root, oven = findings(tmp_path, "manuals")

    assert client["verdict"] == "ok"
    assert "Codex" in client["words"]
    assert client["facts"]["manuals"] == str(tmp_path / "mine")
    assert client["facts"]["vault"] == str(notes)
    assert (here["verdict"], root["facts"]["root"]) == ("ok", str(tmp_path / "mine"))
    assert oven["words"].startswith("oven: 1 file, 1 section")
    assert str(notes) in [row["facts"]["root"] for row in findings(tmp_path, "vault")]


@pytest.mark.requirement("people:doctor:clients", "setup:clients:missing-folders")
def test_a_folder_that_is_not_there_is_told_by_setup_and_by_the_doctor(tmp_path: Path) -> None:
    """With what to do about it, before anything is written and when it goes afterwards."""
    shown = run_command(tmp_path, "setup", "cursor", "--manuals", "gone", face="tebiki")
    (tmp_path / "gone").mkdir()
    set_up(tmp_path, "cursor", "--manuals", "gone")
    (tmp_path / "gone").rmdir()
    (client,) = findings(tmp_path, "client")

    assert shown.code == 0
    assert f"Warning: there is no folder {tmp_path / 'gone'} yet: make it" in shown.stdout
    assert client["verdict"] == "warning"
    assert "there is no such folder" in client["words"]
    assert "tebiki setup cursor --manuals DIR --write" in client["advice"]


@pytest.mark.requirement("people:doctor:clients")
def test_a_workspace_names_both_folders_and_a_project_has_entries_too(tmp_path: Path) -> None:
    """In the project's own file."""
    (tmp_path / "work" / "manuals").mkdir(parents=True)
    set_up(tmp_path, "vscode", "--workspace", "work", "--project")

    (client,) = findings(tmp_path, "client")

    assert client["facts"]["path"] == str(tmp_path / ".vscode" / "mcp.json")
    assert client["facts"]["manuals"] == str(tmp_path / "work" / "manuals")
    assert client["facts"]["vault"] == str(tmp_path / "work" / "vault")


@pytest.mark.requirement("people:doctor:clients")
def test_a_client_without_an_entry_is_not_mentioned(tmp_path: Path) -> None:
    """And one whose file cannot be read is, by its name."""
    assert findings(tmp_path, "client") == []
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text("{", encoding="utf-8")

    (client,) = findings(tmp_path, "client")

    assert client["verdict"] == "warning"
    assert "Cursor" in client["words"]


@pytest.mark.requirement("setup:clients:missing-folders")
def test_a_client_typed_wrongly_is_guessed(tmp_path: Path) -> None:
    """With the others named."""
    done = run_command(tmp_path, "setup", "claud-code", face="tebiki")

    assert (done.code, done.stdout) == (2, "")
    assert "did you mean claude-code?" in done.stderr

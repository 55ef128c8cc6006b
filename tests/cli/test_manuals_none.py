"""`tebiki manuals` where there is nothing to search, or too much to list: what to type is said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Finished, run_command

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = (
    ("ls",),
    ("index",),
    ("toc", "oven"),
    ("find", "oven", "heater"),
    ("read", "oven/a.md"),
)


def manuals(home: Path, *words: str) -> Finished:
    """Run one action."""
    return run_command(home, "manuals", *words, face="tebiki")


@pytest.mark.requirement("people:manuals:none")
@pytest.mark.parametrize("words", COMMANDS)
def test_a_root_that_is_not_there_is_named(tmp_path: Path, words: tuple[str, ...]) -> None:
    """With what to do about it."""
    done = manuals(tmp_path, *words)

    told = done.stdout + done.stderr
    assert done.code == (1 if words[0] in {"ls", "index"} else 2)
    assert f"there is no folder {tmp_path / 'manuals'}" in told
    assert "--manuals DIR, MANUALS_ROOT or manuals.root" in told


@pytest.mark.requirement("people:manuals:none")
@pytest.mark.parametrize("words", COMMANDS)
def test_a_folder_of_files_is_offered_as_a_manual(tmp_path: Path, words: tuple[str, ...]) -> None:
    """What it says can be typed as it stands."""
    folder = tmp_path / "my docs" / "guide"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("# Heater\n")

    done = manuals(tmp_path, *words, "--manuals", str(folder))

    told = done.stdout + done.stderr
    assert done.code == (1 if words[0] in {"ls", "index"} else 2)
    assert f"{folder} holds 1 Markdown or JSON file and no manual" in told
    typed = f"tebiki manuals ls --manuals '{folder.parent}'"
    assert typed in told
    listed = manuals(tmp_path, "ls", "--manuals", str(folder.parent))
    assert listed.stdout == "guide/\n"


@pytest.mark.requirement("people:manuals:none")
def test_the_doctor_says_the_same(tmp_path: Path) -> None:
    """In its finding about manuals."""
    (tmp_path / "manuals").mkdir()
    (tmp_path / "manuals" / "a.md").write_text("# Heater\n")

    done = run_command(tmp_path, "doctor", "--offline", "--json", face="tebiki")

    rows = [row for row in json.loads(done.stdout)["findings"] if row["area"] == "manuals"]
    assert [row["verdict"] for row in rows] == ["warning"]
    assert f"tebiki manuals ls --manuals {tmp_path}" in rows[0]["advice"]


@pytest.mark.requirement("people:manuals:folders")
def test_too_many_files_show_the_folders(tmp_path: Path) -> None:
    """Each with the words that list it."""
    for number in range(201):
        path = tmp_path / "manuals" / "oven" / f"part {number % 2}" / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# Heater\n")

    done = manuals(tmp_path, "toc", "oven")

    assert done.code != 0
    lines = [line.split("  ")[-1] for line in done.stdout.splitlines()]
    assert lines == [f"tebiki manuals toc oven 'part {number}'" for number in (0, 1)]
    assert "one of the folders above as PREFIX" in done.stderr
    assert "details" not in done.stderr
    assert manuals(tmp_path, "toc", "oven", "part 0").code == 0

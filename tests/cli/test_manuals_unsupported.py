"""`tebiki manuals` and `doctor` over files that search does not take: each says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Finished, run_command

if TYPE_CHECKING:
    from pathlib import Path

TOLD = "not searched: 2 pdf, 1 html"


def manuals(home: Path, *words: str) -> Finished:
    """Run one action."""
    return run_command(home, "manuals", *words, face="tebiki")


def doctor(home: Path) -> list[dict[str, str]]:
    """What the doctor says of the manuals."""
    done = run_command(home, "doctor", "--offline", "--json", face="tebiki")
    rows = json.loads(done.stdout)["findings"]
    return [row for row in rows if row["area"] == "manuals"]


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """A manual of documents that are not searched."""
    folder = tmp_path / "manuals" / "oven"
    folder.mkdir(parents=True)
    for name in ("a.pdf", "b.pdf", "c.html"):
        (folder / name).write_text("heater")
    return tmp_path


@pytest.mark.requirement("people:manuals:unsupported")
def test_every_command_says_what_is_not_searched(home: Path) -> None:
    """Beside what it found."""
    (home / "manuals" / "oven" / "guide.md").write_text("# Heater\n")

    assert manuals(home, "ls", "oven").stdout == f"oven/guide.md\n{TOLD}\n"
    assert manuals(home, "toc", "oven").stdout == f"guide.md\n{TOLD}\n"
    assert manuals(home, "index").stdout == f"oven: 1 file, 1 section\n  {TOLD}\n"
    found = manuals(home, "find", "oven", "heater", "--require", "heater")
    assert (found.code, f"everything searched; {TOLD}" in found.stdout) == (0, True)
    (_, oven) = doctor(home)
    assert (oven["verdict"], TOLD in oven["words"]) == ("ok", True)


@pytest.mark.requirement("people:manuals:unsupported")
def test_a_manual_in_which_nothing_can_be_searched_is_a_warning(home: Path) -> None:
    """Nobody is told that everything was searched."""
    nothing = "there is no Markdown or JSON file to search"

    found = manuals(home, "find", "oven", "heater", "--require", "heater")
    assert (found.code, f"{nothing}; {TOLD}" in found.stdout) == (1, True)
    assert "everything searched" not in found.stdout
    assert f"warning: {nothing}\n  {TOLD}\n" in manuals(home, "index").stdout
    assert manuals(home, "ls", "oven") == (1, f"Nothing in oven.\n{TOLD}\n", "")
    (_, oven) = doctor(home)
    assert oven["verdict"] == "warning"
    assert f"{TOLD}; {nothing}" in oven["words"]


@pytest.mark.requirement("people:manuals:unsupported", "people:manuals:index")
def test_programs_read_the_same(home: Path) -> None:
    """As counts by kind."""
    (row,) = json.loads(manuals(home, "index", "--json").stdout)

    assert row["unsupported"] == {"pdf": 2, "html": 1}

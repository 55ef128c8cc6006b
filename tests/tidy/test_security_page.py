"""docs/security.md names a test for each incident class, and every test that it names exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
CANNOT_OCCUR = "cannot occur"
FEWEST_CLASSES = 30


def rows() -> list[list[str]]:
    """The rows of the tables of incident classes: class, reason, test."""
    found, is_inside = [], False
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            is_inside = False
        elif cells[0] == "incident class":
            is_inside = True
        elif is_inside and not set(line) <= set("|- "):
            found.append(cells)
    return found


def test_every_incident_class_has_a_named_test() -> None:
    """Or says that it cannot occur."""
    bare = [row[0] for row in rows() if not NAMED.search(row[2]) and CANNOT_OCCUR not in row[2]]

    assert len(rows()) >= FEWEST_CLASSES
    assert bare == []


def test_every_named_test_exists() -> None:
    """By file and name; no folder stands for a test."""
    missing = [
        f"{path}::{name}"
        for path, name in NAMED.findall(PAGE)
        if not re.search(rf"^(async )?def {name}\(", _source(path), re.MULTILINE)
    ]

    assert missing == []
    assert set(re.findall(r"`(tests/[^`]+)`", PAGE)) == {
        f"{path}::{name}" for path, name in NAMED.findall(PAGE)
    }


def _source(path: str) -> str:
    file = ROOT / path
    return file.read_text(encoding="utf-8") if file.is_file() else ""

"""Files that claim a terabyte, on the real process: refused at once, and nobody waits for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.interaction.vault_calls import use

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Workspace
    from tests.support.talk import Talk

TERABYTE = 1 << 40
AT_ONCE = 40
"""More than there are threads to read in."""


def make_sparse(path: Path) -> None:
    """A file of one block that claims to be a terabyte."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(b"# Title\n")
        file.truncate(TERABYTE)


def is_refused(answer: dict[str, Any]) -> bool:
    """Tell whether an answer has the code, the size, and what to do."""
    words = answer.get("message", "")
    return answer.get("code") == "invalid_parameter" and str(TERABYTE) in words and "split" in words


@pytest.mark.requirement("vault:read:bound")
def test_a_huge_note_is_refused_and_others_are_answered(vault: Talk, notes: Path) -> None:
    """Asked for more often than there are threads; a list is answered all the same."""
    make_sparse(notes / "huge.md")

    for number in range(AT_ONCE):
        vault.begin_call(number, "vault_scan", {"path": "huge.md"})
    listed = use(vault, "ls")
    refused = [
        use(vault, "read", path="huge.md", full=True),
        use(vault, "scan", path="huge.md"),
        use(vault, "replace", path="huge.md", find="Title", replace="x"),
    ]

    assert [item["name"] for item in listed["items"]] == ["huge.md"]
    assert all(map(is_refused, refused)), refused


@pytest.mark.requirement("manuals:read:bound")
def test_a_huge_file_of_a_manual_is_refused(
    open_manuals: OpenManuals, workspace: Workspace
) -> None:
    """By a read and a scan; a table of contents says that it is too large."""
    make_sparse(workspace.root / "m" / "huge.md")
    reader = open_manuals()

    read = reader.read("huge.md")
    scanned = reader.use("scan", manual_id="m", path="huge.md")
    contents = reader.use("toc", manual_id="m", path_prefix="huge.md", depth="deep")

    assert is_refused(read), read
    assert is_refused(scanned), scanned
    assert contents["items"] == [{"path": "huge.md", "headings": [], "unreadable": "too_large"}]

"""The full form of a find in Python: what a caller asked for stands beside what was done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.manuals.searchable import Searchable

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.requirement("manuals:full:expand-scope")
@pytest.mark.parametrize("asked", [None, False, True])
def test_the_requested_scope_is_echoed(tmp_path: Path, asked: bool | None) -> None:
    """And never applied."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# Lantern\n")

    applied = manual.ask("lantern", expand_scope=asked).applied

    assert (applied["requested_expand_scope"], applied["expand_scope"]) == (asked, False)


@pytest.mark.requirement("manuals:ranking:exact-code")
def test_an_exact_code_has_its_part(tmp_path: Path) -> None:
    """The section with the very code gets it, one with a code that is nearly the same does not."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# Faults\n\nThe code E-1042 means that the disk is full.\n")
    manual.write("b.md", "# Others\n\nThe code E-1043 means that paper is left.\n")

    rows = manual.ask("what does code E-1042 mean", "code").lists["candidates"]

    told = {row["ref"]["path"]: " ".join(row["rank_explain"]) for row in rows}
    assert rows[0]["ref"]["path"] == "a.md"
    assert "code_exact=" in told["a.md"]
    assert "code_exact=" not in told["b.md"]
    assert [row["ref"]["path"] for row in rows if "code_exact" in row["signals"]] == ["a.md"]

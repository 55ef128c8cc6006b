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

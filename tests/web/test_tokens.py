"""The file of tokens as people keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tebiki.web.tokens import TokenFile, digest_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.requirement("http:tokens:several")
def test_notes_between_tokens_stay(tmp_path: Path) -> None:
    """Making and ending tokens leaves what a person wrote, and in the order it was written."""
    path = tmp_path / "tokens"
    path.write_text(f"# the laptop\n  al:{digest_of('a')}\n\n# the office, since May")
    path.chmod(0o600)
    file = TokenFile(str(path))

    file.add("bo", "b")
    file.remove("al")

    assert path.read_text() == f"# the laptop\n\n# the office, since May\nbo:{digest_of('b')}\n"
    assert [entry.name for entry in file.entries()] == ["bo"]

"""What the documents have to say, because nobody could find it out in time."""

from __future__ import annotations

from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def words_of(name: str) -> str:
    """A page without its line breaks."""
    return " ".join((DOCS / name).read_text(encoding="utf-8").split())


@pytest.mark.requirement("mcp:background:docs")
@pytest.mark.parametrize(
    "words",
    [
        "**The API then stores the response**",
        "may be paid for twice",
        "Partial and failed answers are never kept",
        "The workers of one server share them",
    ],
)
def test_what_survives_is_said_where_costs_are(words: str) -> None:
    """Where the text is kept, and what may cost twice."""
    assert words in words_of("costs.md")


@pytest.mark.requirement("mcp:not-built:refused")
def test_what_is_not_built_is_said() -> None:
    """So that nobody looks for it."""
    assert "Several vaults in one server" in words_of("resources.md")

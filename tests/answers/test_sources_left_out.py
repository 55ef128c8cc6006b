"""A `Sources:` section is left out where its sources are shown otherwise, and only there."""

from __future__ import annotations

import pytest

from tebiki.answers.sources_section import without_sources_section

NAMED = ["https://a.example/x", "https://b.example/y"]
LISTED = "- https://a.example/x (2026-01-02)\n- https://b.example/y (2026-01-03)"


def test_a_section_of_known_sources_is_left_out() -> None:
    """Whatever its heading looks like; the answer above it stays."""
    for heading in ("Sources:", "## Sources", "**Sources:**"):
        assert without_sources_section(f"It is so.\n\n{heading}\n{LISTED}\n", NAMED) == "It is so."


@pytest.mark.parametrize(
    "text",
    [
        "It is so.",
        f"Sources:\n{LISTED}\n\nAnd this comes after it.",
        f"It is so.\n\nSources:\n{LISTED}\n- https://c.example/z (2026-01-04)",
        f"It is so.\n\nSources:\n{LISTED}\n  a remark on the last one",
        "It is so.\n\nSources:\n- web_search (2026-01-02)",
        "It is so.\n\nSources: https://a.example/x",
        "It is so.\n\nSources:\n- https://a.example/xyz (2026-01-02)",
        "Sources:",
        "",
    ],
)
def test_what_is_shown_nowhere_else_stays(text: str) -> None:
    """Text after the section, a remark in it, a source that is not among the known ones."""
    assert without_sources_section(text, NAMED) == text

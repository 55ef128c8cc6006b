"""Ordinary text stays ordinary text in the Markdown of an import."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tebiki.importer.blocks import Block, ItemBlock, TableBlock, TextBlock, TitleLine, parts_of
from tebiki.manuals.documents.markdown import headings

SIGNS = st.text(alphabet="#=-~`<>!*+|[]1.) \t\n\\a日", max_size=40)


@given(st.lists(SIGNS.map(TextBlock) | st.builds(ItemBlock, st.integers(0, 3), SIGNS), max_size=5))
def test_no_text_becomes_a_heading(blocks: list[TextBlock | ItemBlock]) -> None:
    """Whatever it begins with."""
    assert headings("".join(parts_of(blocks))) == []


@given(st.lists(st.lists(SIGNS, min_size=1, max_size=4), max_size=4), SIGNS)
def test_headings_are_those_that_were_given(rows: list[list[str]], text: str) -> None:
    """Before and after tables of anything."""
    blocks: list[Block] = [
        TitleLine(2, "First"),
        TableBlock(rows),
        TextBlock(text),
        TitleLine(3, "Last"),
    ]

    found = [heading.title for heading in headings("".join(parts_of(blocks)))]

    assert found == ["First", "Last"]

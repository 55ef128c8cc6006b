"""What the engine keeps of a section gives the section back, and nothing else passes for one."""

from __future__ import annotations

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from tebiki.manuals.documents.sections import Section
from tebiki.manuals.index.packing import pack, unpack

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
numbers = st.integers(0, 2**32 - 1)
sections = st.builds(
    Section,
    path=texts,
    start_line=numbers,
    end_line=numbers,
    level=st.integers(0, 6),
    title=texts,
    trail=st.lists(texts, max_size=4).map(tuple),
    text=texts,
    json_path=st.none() | texts.filter(bool),
)


def packed(section: Section) -> bytes:
    """What the engine keeps of it."""
    (made,) = pack([section])
    return made.stored


@given(sections)
def test_a_section_comes_back(section: Section) -> None:
    """Whatever signs its texts have."""
    assert unpack(packed(section)).section == section


@given(sections, st.data())
def test_a_damaged_section_is_an_error_that_is_expected(
    section: Section, data: st.DataObject
) -> None:
    """Any other bytes may still be a section, or are told as a failure of the engine's files."""
    kept = packed(section)
    start = data.draw(st.integers(0, len(kept)))
    end = data.draw(st.integers(start, len(kept)))
    broken = kept[:start] + data.draw(st.binary(max_size=8)) + kept[end:]

    with contextlib.suppress(ValueError):
        unpack(broken)

"""Scanning: pages from a line or a cursor on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tebiki.errors import InvalidArguments, NotFound
from tebiki.files.reading import Cursor
from tebiki.tools import manual_forms as forms

if TYPE_CHECKING:
    from tebiki.manuals.library import Library
    from tests.manuals.conftest import Write


def test_a_page_tells_where_it_is(library: Library, write: Write) -> None:
    """As a scan of the vault, with the manual and the path."""
    write("m/sub/a.md", "one\ntwo\n")

    assert forms.scan_form(library.scan("m", "./sub\\a.md", 2)) == {
        "manual_id": "m",
        "path": "sub/a.md",
        "text": "two\n",
        "applied_range": {"start_line": 2, "end_line": 2},
        "next_cursor": {"char_offset": None},
        "eof": True,
        "truncated": False,
        "truncated_reason": "none",
        "applied": {"max_chars": 12000, "encoding": "utf-8"},
    }


def test_the_order_of_authority(library: Library, write: Write) -> None:
    """The line, the cursor's offset, the cursor's line, the beginning."""
    write("m/a.json", "1\n2\n3\n")

    assert library.scan("m", "a.json", 2, Cursor(3, 4)).page.text == "2\n3\n"
    assert library.scan("m", "a.json", None, Cursor(2, 4)).page.text == "3\n"
    assert library.scan("m", "a.json", None, Cursor(2)).page.text == "2\n3\n"
    assert library.scan("m", "a.json").page.text == "1\n2\n3\n"


def test_a_long_file_is_cut(library: Library, write: Write) -> None:
    """And says so."""
    write("m/a.md", "x" * 30_000)

    shown = forms.scan_form(library.scan("m", "a.md"))

    assert (shown["truncated"], shown["truncated_reason"], shown["eof"]) == (
        True,
        "max_chars",
        False,
    )
    assert shown["next_cursor"] == {"char_offset": 12_000}


@pytest.mark.parametrize("cursor", [Cursor(char_offset=7), Cursor(start_line=4)])
def test_past_the_end_is_refused(library: Library, write: Write, cursor: Cursor) -> None:
    """By offset and by line."""
    write("m/a.md", "1\n2\n3\n")

    with pytest.raises(InvalidArguments):
        library.scan("m", "a.md", cursor=cursor)
    assert library.scan("m", "a.md", cursor=Cursor(char_offset=6)).page.text == ""


def test_unknown_manuals_are_not_found(library: Library) -> None:
    """With those there are."""
    with pytest.raises(NotFound) as refusal:
        library.scan("other", "a.md")

    assert refusal.value.details == {"manual_id": "other", "candidate_ids": ["m"]}

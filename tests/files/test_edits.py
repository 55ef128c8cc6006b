"""Edits of bytes: what is hit changes, nothing else does."""

from __future__ import annotations

import codecs

import pytest

from tebiki.errors import InvalidArguments
from tebiki.files.edits import MOST_EDITS, replace_text, reverse_edits, take_back_edits


def test_silent_corruption_line_ends_mark_and_encoding_stay() -> None:
    """Mixed line ends, a byte order mark, no final newline."""
    data = codecs.BOM_UTF8 + "一\r\n二\r三\n二".encode()

    edited = replace_text(data, "二", "two", 9)

    assert edited.data == codecs.BOM_UTF8 + "一\r\ntwo\r三\ntwo".encode()
    assert (edited.hits, edited.encoding) == (2, "utf-8-sig")


def test_a_trail_byte_is_no_hit_in_cp932() -> None:
    """The second byte of 表 is a backslash."""
    data = "表示\\n、表".encode("cp932")

    assert replace_text(data, "\\", "/", 9).data == "表示/n、表".encode("cp932")


def test_characters_with_two_spellings_keep_theirs() -> None:
    """CP932 has some signs twice; an edit beside them spells none anew."""
    data = b"\xed\x40\x82\xa0\xfa\x5c\x82\xa0"

    edited = replace_text(data, "あ", "い", 9)

    assert edited.data == b"\xed\x40\x82\xa2\xfa\x5c\x82\xa2"
    assert take_back_edits(edited.data, edited.edits) == data


def test_a_character_of_two_widths_is_refused_not_guessed() -> None:
    """EUC-JP has one: a tilde in three bytes."""
    data = "あ".encode("euc_jp") + b"\x8f\xa2\xb7" + "い".encode("euc_jp")

    with pytest.raises(InvalidArguments, match="euc-jp"):
        replace_text(data, "い", "う", 1)


def test_hits_are_taken_from_the_left_and_do_not_overlap() -> None:
    """As many as are allowed."""
    assert replace_text(b"aaaaa", "aa", "b", 9).data == b"bba"
    assert replace_text(b"aaaaa", "aa", "b", 1).data == b"baaa"
    assert replace_text(b"aaaaa", "aa", "b", 0).hits == 0
    assert replace_text(b"aaaaa", "c", "b", 9).data == b"aaaaa"
    assert replace_text(b"aaaaa", "a", "", 10**30).data == b""


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "cp932", "euc_jp"])
def test_many_hits_are_one_edit(codec: str) -> None:
    """So that the journal stays small; it is taken back all the same."""
    data = ("あx\n" * (MOST_EDITS + 1)).encode(codec)

    edited = replace_text(data, "x", "いい", MOST_EDITS + 9)

    assert edited.data == ("あいい\n" * (MOST_EDITS + 1)).encode(codec)
    assert len(edited.edits) == 1
    assert take_back_edits(edited.data, edited.edits) == data


def test_an_edit_shows_its_lines() -> None:
    """Where they are short; a hit in a long line stands alone."""
    edited = replace_text(
        b"one\r\ntwo x y\r\nthree\n" + b"-" * 999 + b"x" + b"-" * 999, "x", "z", 9
    )

    assert [(edit.removed, edit.added) for edit in edited.edits] == [
        (b"two x y\r\n", b"two z y\r\n"),
        (b"x", b"z"),
    ]


def test_reversed_edits_lead_back_and_forth() -> None:
    """Undoing what was undone gives the edited bytes."""
    data = b"a 1\nb 1\nc\n" * 3
    edited = replace_text(data, "1", "22", 9)
    back = reverse_edits(edited.edits)

    assert take_back_edits(take_back_edits(edited.data, edited.edits), back) == edited.data


@pytest.mark.parametrize(
    ("data", "find", "replacement"),
    [
        (b"abc", "a", "\ufeffa"),
        ("あ".encode("cp932"), "あ", "\U0001f600"),
        (b"abc", "a", "\ud800"),
    ],
)
def test_what_would_not_read_as_it_should_is_refused(
    data: bytes, find: str, replacement: str
) -> None:
    """A new byte order mark, a character the encoding lacks, half a character."""
    with pytest.raises(InvalidArguments):
        replace_text(data, find, replacement, 1)

"""Lines, offsets and where a page may end."""

from __future__ import annotations

import io
import unicodedata

import pytest

from tebiki.errors import InvalidArguments
from tebiki.files.clusters import is_boundary
from tebiki.files.reading import Cursor, cursor_offset, lines_page, page
from tebiki.files.text import FileText, cut, index_of


def text_of(content: str) -> FileText:
    """A text in memory."""
    file = io.BytesIO(content.encode())
    return FileText(file, index_of(file))


@pytest.mark.requirement("vault:text:lines")
@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("", 0),
        ("a", 1),
        ("a\n", 1),
        ("a\nb", 2),
        ("a\r\nb\r\n", 2),
        ("a\rb\r", 2),
        ("\r\n\r\r\n\n", 4),
        ("a\vb\fc\x85d\u2028e", 1),
    ],
)
def test_lines_end_at_lf_crlf_and_cr_only(content: str, lines: int) -> None:
    """There is no line after a final line end."""
    assert text_of(content).index.lines == lines


@pytest.mark.requirement("vault:read:missing-ends")
def test_a_range_is_its_lines_with_their_ends() -> None:
    """A missing start is line 1, a missing end the last; an end past it is clipped."""
    text = text_of("one\r\ntwo\nthree")

    assert lines_page(text, 2, 2).text == "two\n"
    assert lines_page(text, None, 1).text == "one\r\n"
    assert lines_page(text, 2, None).text == "two\nthree"
    assert lines_page(text, None, None).text == "one\r\ntwo\nthree"
    assert lines_page(text, 3, 99).text == "three"


@pytest.mark.requirement("vault:read:range")
@pytest.mark.parametrize(("start", "end"), [(0, 1), (-1, None), (4, None), (2, 1), (None, 0)])
def test_a_range_outside_the_file_is_refused(start: int | None, end: int | None) -> None:
    """Naming what is allowed."""
    with pytest.raises(InvalidArguments, match="line"):
        lines_page(text_of("one\ntwo\nthree\n"), start, end)


@pytest.mark.requirement("vault:scan:start")
def test_the_authority_of_a_start() -> None:
    """The line, then the cursor's offset, then its line, then the beginning."""
    text = text_of("one\ntwo\nthree\n")

    assert cursor_offset(text, 3, Cursor(start_line=2, char_offset=1)) == 8
    assert cursor_offset(text, None, Cursor(start_line=2, char_offset=1)) == 1
    assert cursor_offset(text, None, Cursor(start_line=2)) == 4
    assert cursor_offset(text, None, Cursor()) == 0


@pytest.mark.requirement("vault:scan:end")
def test_an_offset_at_the_end_is_an_empty_page_and_past_it_refused() -> None:
    """Also in an empty file."""
    text = text_of("one\ntwo\n")

    last = page(text, cursor_offset(text, None, Cursor(char_offset=8)))
    assert (last.text, last.is_last, last.first_line, last.last_line) == ("", True, 2, 2)
    for offset in (9, -1):
        with pytest.raises(InvalidArguments, match="char_offset"):
            cursor_offset(text, None, Cursor(char_offset=offset))
    empty = text_of("")
    assert page(empty, cursor_offset(empty, 1, Cursor())).text == ""


@pytest.mark.requirement("vault:text:page-cut")
def test_a_page_ends_at_the_last_line_end_of_its_last_quarter() -> None:
    """Earlier line ends are not worth a short page."""
    assert cut("a" * 79 + "\n" + "b" * 40, 100) == 80
    assert cut("a" * 75 + "\n" + "b" * 10 + "\n" + "c" * 40, 100) == 87
    assert cut("a" * 74 + "\n" + "b" * 40, 100) == 100
    assert cut("a" * 99 + "\r\n" + "b", 100) == 99
    assert cut("a" * 98 + "\r\n" + "b", 100) == 100
    assert cut("\r\n\r\n", 1) == 2


@pytest.mark.requirement("vault:text:page-cut")
@pytest.mark.parametrize(
    "cluster",
    [
        "e\u0301",
        unicodedata.normalize("NFD", "が"),
        "ｶﾞ",
        "葛\U000e0100",
        "\u2764\ufe0f",
        "\U0001f44d\U0001f3fd",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f1ef\U0001f1f5",
        "\u1112\u1161\u11ab",
        "하\u11ab",
        "ก\u0e33",
        "\r\n",
    ],
)
def test_a_page_never_ends_inside_a_cluster(cluster: str) -> None:
    """Whatever characters it is written with; between two of them it may."""
    for at in range(1, len(cluster)):
        assert not is_boundary(cluster * 2, at)
    assert is_boundary(cluster * 2, len(cluster))
    for at in range(1, len(cluster)):
        before = "a" * (100 - at)
        assert cut(before + cluster + "b" * 10, 100) == len(before)


def test_flags_are_paired_from_the_left() -> None:
    """An odd one stands alone."""
    flags = "\U0001f1ef\U0001f1f5" * 3 + "\U0001f1ef"

    assert [at for at in range(len(flags)) if is_boundary(flags, at)] == [0, 2, 4, 6]


def test_a_cluster_longer_than_a_page_is_cut() -> None:
    """Reading on must come to an end."""
    assert cut("a" + "\u0301" * 500, 100) == 100


def test_blocks_hide_nothing() -> None:
    """Lines and offsets are the same whatever the block size; no block ends inside a CRLF."""
    content = "あ\r\nb\rc\n\r\r\n終"
    file = io.BytesIO(content.encode())
    expected = [1, 1, 1, 2, 2, 3, 3, 4, 5, 5, 6]

    for size in range(1, 12):
        text = FileText(file, index_of(file, size))
        assert [text.line_at(at) for at in range(len(content))] == expected
        assert [text.start_of_line(line) for line in range(1, 8)] == [0, 3, 5, 7, 8, 10, 11]

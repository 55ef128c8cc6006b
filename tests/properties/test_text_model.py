"""Any text, any encoding: reading on gives all of it, edits change only hits, undo restores."""

from __future__ import annotations

import codecs
import io
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tebiki.errors import InvalidArguments
from tebiki.files.clusters import is_boundary
from tebiki.files.edits import replace_text, take_back_edits
from tebiki.files.encodings import decode
from tebiki.files.reading import page
from tebiki.files.text import FileText, index_of
from tebiki.vault.vault import Vault
from tests.support.examples import examples

PIECES = st.sampled_from(
    [
        *(
            "\r",
            "\n",
            "\r\n",
            "a",
            "b",
            " ",
            "word",
            "手引き",
            "カナ",
            "ひらがな、",
            "ｶﾞ",
            "e\u0301",
        ),
        *("\U0001f468\u200d\U0001f469", "\U0001f1ef\U0001f1f5", "\u1112\u1161\u11ab", "\u0301"),
    ]
)
texts = st.lists(PIECES | st.text(max_size=3), max_size=40).map("".join)
MARKS = {
    "utf-8": b"",
    "utf-8-sig": b"",
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "cp932": b"",
    "euc_jp": b"",
}


def stored(text: str, codec: str) -> bytes:
    """A file's bytes; texts the encoding cannot hold, or that read as another, are left aside."""
    try:
        data = MARKS[codec] + text.encode(codec)
        read, _ = decode(data)
    except (UnicodeEncodeError, InvalidArguments):
        assume(False)
        raise
    assume(read == text)
    return data


@pytest.mark.requirement("vault:scan:reads-on")
@given(texts, st.sampled_from(list(MARKS)), st.integers(1, 50), st.integers(1, 40))
def test_reading_on_reproduces_any_text(text: str, codec: str, limit: int, block: int) -> None:
    """Whatever the page and the block size; no page is empty, ends in a CRLF or is too long."""
    file = io.BytesIO(stored(text, codec))
    whole = FileText(file, index_of(file, block))
    pages: list[str] = []
    offset: int | None = 0
    while offset is not None:
        part = page(whole, offset, limit=limit)
        assert part.text or not text
        assert len(part.text) <= max(limit, 2)
        pages.append(part.text)
        offset = part.next_offset
    assert "".join(pages) == text
    ends = [len("".join(pages[:count])) for count in range(1, len(pages))]
    assert not any(text[end - 1 : end + 1] == "\r\n" for end in ends)


@pytest.mark.requirement("vault:text:page-cut")
@given(texts, st.integers(4, 50))
def test_a_page_ends_between_clusters(text: str, limit: int) -> None:
    """Unless one cluster is longer than the page."""
    file = io.BytesIO(stored(text, "utf-8"))
    part = page(FileText(file, index_of(file)), 0, limit=limit)

    assert is_boundary(text, part.end) or not any(
        is_boundary(text, at) for at in range(1, part.end + 1)
    )


@pytest.mark.requirement("vault:text:lines")
@given(texts, st.sampled_from(list(MARKS)), st.integers(1, 40))
def test_lines_and_offsets_agree(text: str, codec: str, block: int) -> None:
    """With the plainest way to take lines apart."""
    file = io.BytesIO(stored(text, codec))
    whole = FileText(file, index_of(file, block))
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)

    assert whole.index.chars == len(text)
    assert whole.index.lines == len(lines)
    offset = 0
    for number, line in enumerate(lines, 1):
        assert whole.start_of_line(number) == offset
        for at in range(offset, offset + len(line)):
            assert whole.line_at(at) == number
        offset += len(line)
    assert whole.start_of_line(len(lines) + 1) == len(text)


@pytest.mark.requirement("vault:writing:bytes-stay")
@given(st.data(), texts, st.sampled_from(list(MARKS)), st.text(max_size=5), st.integers(0, 9))
def test_replace_changes_exactly_the_bytes_of_the_hits(
    data: st.DataObject, text: str, codec: str, replacement: str, most: int
) -> None:
    """What lies between hits is the same bytes, and taking it back gives the file."""
    before = stored(text, codec)
    start = data.draw(st.integers(0, len(text)))
    find = text[start : start + data.draw(st.integers(1, 4))] or "absent"
    try:
        edited = replace_text(before, find, replacement, most)
    except InvalidArguments:
        assume(False)
        raise

    assert edited.hits == min(text.count(find), most)
    encoding = decode(before)[1]
    new = replacement.encode(encoding.codec) if edited.hits else b""
    parts = [part.encode(encoding.codec) for part in text.split(find, most)]
    assert edited.data == encoding.mark + new.join(parts)
    assert take_back_edits(edited.data, edited.edits) == before


@pytest.mark.requirement("vault:journal:commands")
@examples(40)
@given(
    texts.filter(bool),
    st.lists(st.tuples(PIECES, PIECES, st.integers(0, 5)), max_size=5),
)
def test_undo_restores_the_bytes(text: str, changes: list[tuple[str, str, int]]) -> None:
    """Each write taken back in turn gives each earlier state, down to no file at all."""
    with tempfile.TemporaryDirectory() as name:
        vault, path = Vault(Path(name), lambda: 0.0), Path(name, "a.md")
        states: list[bytes | None] = [None]
        vault.create("a.md", text)
        for find, replacement, most in changes:
            if path.read_bytes() != states[-1]:
                states.append(path.read_bytes())
            vault.replace("a.md", find, replacement, most)
        if path.read_bytes() == states[-1]:
            states.pop()
        writes = len(vault.log())
        assert len(states) == writes
        for number in range(writes, 0, -1):
            vault.undo(number)
            assert (path.read_bytes() if path.exists() else None) == states[number - 1]

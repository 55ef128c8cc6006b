"""Which encodings are told, and from which bytes nothing is made up."""

from __future__ import annotations

import codecs
import io

import pytest

from tebiki.errors import InvalidArguments
from tebiki.files.encodings import ENCODINGS, decode, encode
from tebiki.files.text import index_of

JAPANESE = "手引きの使い方\nカタカナ、ひらがな。第12条 ①\n"


@pytest.mark.parametrize(
    ("data", "label"),
    [
        (b"", "utf-8"),
        (b"plain", "utf-8"),
        (JAPANESE.encode(), "utf-8"),
        (codecs.BOM_UTF8 + JAPANESE.encode(), "utf-8-sig"),
        (codecs.BOM_UTF16_LE + JAPANESE.encode("utf-16-le"), "utf-16-le"),
        (codecs.BOM_UTF16_BE + JAPANESE.encode("utf-16-be"), "utf-16-be"),
        (JAPANESE.encode("cp932"), "cp932"),
        ("テスト".encode("cp932"), "cp932"),
        ("ﾃｽﾄｽ ﾊﾝｶｸ".encode("cp932"), "cp932"),
        ("手引きの使い方\n".encode("euc_jp"), "euc-jp"),
        ("日本語".encode("euc_jp"), "euc-jp"),
        ("東京".encode("euc_jp"), "euc-jp"),
        ("会社の日記、ヲ".encode("euc_jp"), "euc-jp"),
        (("x" * 70_000 + "カナ").encode("euc_jp"), "euc-jp"),
        (("x" * 70_000 + "ｶﾅ").encode("cp932"), "cp932"),
    ],
)
def test_an_encoding_is_told(data: bytes, label: str) -> None:
    """The mark is no part of the text; a file that is read in blocks is told the same."""
    text, encoding = decode(data)
    for block in (1, 7, 65_536):
        assert index_of(io.BytesIO(data[-200:]), block).encoding == decode(data[-200:])[1]
    assert index_of(io.BytesIO(data)).encoding == encoding

    assert encoding.label == label
    assert encoding.mark + text.encode(encoding.codec) == data


@pytest.mark.requirement("vault:text:other-bytes")
@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"caf\xe9\n",
        "Größe".encode("latin-1"),
        codecs.BOM_UTF32_LE + "abc".encode("utf-32-le"),
        codecs.BOM_UTF16_LE + b"a",
        codecs.BOM_UTF16_LE + b"\x00\xd8",
        codecs.BOM_UTF8 + b"\xff",
        b"\xff\xff\xff\xff",
        b"\x82",
    ],
)
def test_other_bytes_are_refused(data: bytes) -> None:
    """And the message tells what can be read."""
    with pytest.raises(InvalidArguments, match="UTF-8"):
        decode(data)


@pytest.mark.requirement("vault:writing:encoding")
def test_text_the_encoding_cannot_hold_is_refused() -> None:
    """Naming the character."""
    with pytest.raises(InvalidArguments, match=r"U\+1F600"):
        encode("a\U0001f600", ENCODINGS["cp932"])
    with pytest.raises(InvalidArguments, match=r"U\+D800"):
        encode("\ud800", ENCODINGS["utf-8"])

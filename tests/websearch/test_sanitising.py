"""Plain text: whatever the web sends, a reader gets one harmless line."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tebiki.websearch.sanitising import plain_text

LOOKS_LIKE_A_TAG = re.compile(r"<[A-Za-z/!?][^<>]*>")
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

hostile = st.lists(
    st.sampled_from(
        ["<", ">", "<b>", "</b>", "<br/>", "<!--", "-->", "b", "/", "日本", "\U000e0041", "\ud83d",
         "&lt;", "&gt;", "&amp;", "&#60;", "&#x3e", "&lt", "&#8238;", "&#0;", "amp;", "lt;", "&",
         "#", ";", "\u202e", "\u200f", "\x00", "\n", "\r\n", "\u2028", "\u3000", " "]
    ),
    max_size=40,
).map("".join)  # fmt: skip
"""Pieces that make tags and entities when they meet."""


@pytest.mark.requirement("websearch:result:plain-text")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("<b>Bold</b> &amp; <i class='x'>thin</i>", "Bold & thin"),
        ("one<br>two<br/>three<p>four</p>five", "one two three four five"),
        ("<!-- hidden -->shown<?php ?>", "shown"),
        ("1 < 2, 3 > 2 &lt; 5", "1 < 2, 3 > 2 < 5"),
        ("&lt;b&gt;x&lt;/b&gt;", "x"),
        ("&amp;lt;b&amp;gt;x", "x"),
        ("<<b>script>x", "x"),
        ("<\u200bscript>x", "x"),
        ("&quot;5 &euro;&quot;&nbsp;&#8212; &#x65E5;", '"5 €" — 日'),
        ("two\nlines\r\nand\u2028more\u2029still\x85on", "two lines and more still on"),
        ("  a \t b  ", "a b"),
        ("a\x00b\x07c\x7fd\x9fe", "abcde"),
        ("\u202eabc\u202c \u2066x\u2069\u200f\u061c", "abc x"),
        ("&#8238;abc", "abc"),
        ("in\u00advisible\u200b\ufeff\U000e0041", "invisible"),
        ("half \ud83d an emoji", "half an emoji"),
        ("👩\u200d💻 می\u200cخواهم", "👩\u200d💻 می\u200cخواهم"),
        ("", ""),
        ("\n\t ", ""),
    ],
)
def test_text_is_made_plain(text: str, expected: str) -> None:
    """Tags, entities, line breaks and hidden signs are gone; joiners that letters need stay."""
    assert plain_text(text) == expected


@pytest.mark.parametrize("value", [None, 5, True, ["x"], {"x": 1}])
def test_what_is_no_text_is_empty(value: Any) -> None:
    """Never an error."""
    assert plain_text(value) == ""


def test_a_long_text_is_cut() -> None:
    """At 500 characters, and it can be seen."""
    assert plain_text("x" * 500) == "x" * 500
    assert plain_text("x" * 501) == "x" * 499 + "…"
    assert plain_text("word " * 400).endswith("word…")
    assert plain_text("abcdef", 4) == "abc…"


@pytest.mark.parametrize(
    "text",
    [
        "<a" * 200_000,
        "<" + "a" * 500_000,
        "<" * 200_000 + "b>" * 200_000,
        "&" + "amp;" * 200_000 + "lt;",
        "&a&#109;p;" * 50_000,
    ],
    ids=["open", "endless", "nested", "chain", "woven"],
)
def test_a_huge_hostile_text_is_cleaned_too(text: str) -> None:
    """In time that grows with its length; anything else would never end here."""
    assert len(plain_text(text)) <= 500


@pytest.mark.requirement("websearch:result:plain-text")
@given(st.text() | hostile)
@example("&" + "amp;" * 30 + "lt;b&gt;")
@example("<a<b>" * 200)
def test_nothing_harmful_is_left(text: str) -> None:
    """No tag, no control or bidi sign, no line break, and none after decoding again."""
    clean = plain_text(text)

    assert not LOOKS_LIKE_A_TAG.search(clean)
    assert not LOOKS_LIKE_A_TAG.search(html.unescape(clean))
    assert not {unicodedata.category(sign) for sign in clean} & {"Cc", "Cs", "Zl", "Zp"}
    assert not BIDI & set(clean)
    assert len(clean) <= 500
    assert clean == clean.strip()


@given(st.text() | hostile, st.integers(min_value=2, max_value=40))
def test_clean_text_stays_as_it_is(text: str, longest: int) -> None:
    """Cleaning twice is cleaning once, cut or not."""
    clean = plain_text(text, longest)

    assert plain_text(clean, longest) == clean

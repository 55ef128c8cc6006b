"""Hidden signs: taken out wherever they stand, kept where a word or an emoji needs them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.values.unseen import INVISIBLE, in_one_line, is_all_seen, without_unseen

FLAG = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"

hostile = st.lists(
    st.one_of(
        st.sampled_from(
            ["\u200d", "\u200c", "\ufe0f", "\u180e", "ᠠ", "\U000e0100", "\u200b", "\u202e",
             "\x1b[31m", "\x9b",
             "\x1b]0;t\x07", "\r", "\r\n", "\n", "\t", "\u2028", "\ufeff", "\U000e0041", FLAG,
             "👩", "❤", "می", "क्", "葛", "a", "1", " ", "\ud83d", "\x1b"]
        ),
        st.text(max_size=3),
    ),
    max_size=30,
).map("".join)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07text\x9b2J", "red text"),
        ("a\x00b\x07c\x7fd\x9fe", "abcde"),
        ("\u202eabc\u202c \u2066x\u2069\u200f\u061c", "abc x"),
        ("in\u00advi\u200bsi\u2060ble\ufeff\u3164", "invisible"),
        ("hi\U000e0068\U000e0069\U000e007f", "hi"),
        ("a\u200d b\u200c", "a b"),
        ("x\u200c\u200d\u200c\u200d\u200dy", "x\u200cy"),
        ("a\ufe01\ufe02\U000e0101\U000e0102b", "ab"),
        ("a\u180bb\u180c\u180d\u180e日\u180f \u180e", "ab日 "),
        ("ᠬ\u180b\u180b\u180c\u180b", "ᠬ\u180b"),
        ("😀\U000e0148\U000e0155\U000e015c", "😀"),
    ],
)  # fmt: skip
def test_what_is_hidden_goes(text: str, expected: str) -> None:
    """Lines and tabs stay; of a run of joiners, one."""
    assert without_unseen(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "👩\u200d💻 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 🙂\u200d↔\ufe0f",
        "می\u200cخواهم क्\u200dष Auf\u200clage",
        "葛\U000e0100城 葛\ufe00",
        "ᠬ\u180bᠠᠭᠠᠨ ᠴᠢᠨ\u180eᠠ",
        f"{FLAG}!",
    ],
)
def test_what_joins_and_varies_stays(text: str) -> None:
    """Inside words and emoji, after a sign that has variants, in the flags that are spelled so."""
    assert without_unseen(text) == text


@given(hostile)
def test_nothing_hidden_is_left(text: str) -> None:
    """Whatever stands beside what; cleaning once more changes nothing."""
    clean = without_unseen(text)

    assert without_unseen(clean) == clean
    assert in_one_line(in_one_line(text)) == in_one_line(text)
    assert is_all_seen(in_one_line(text))
    assert not re.search(
        f"[{INVISIBLE}]", clean.replace(FLAG, "").replace("\n", "").replace("\t", "")
    )


@given(st.text(st.characters(categories=("L", "N", "P", "Z"), max_codepoint=0x33FF)))
def test_plain_text_stays(text: str) -> None:
    """Only signs that nobody sees are taken out."""
    seen = re.sub(f"[{INVISIBLE}]", "", text)

    assert without_unseen(seen) == seen

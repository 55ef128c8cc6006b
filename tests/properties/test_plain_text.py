"""Nothing that a terminal would obey is left in what people see, and nothing else is lost."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tebiki.cli.plain import cells, cut, json_text, one_line, visible

SURROGATES = st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF)
SIGNS = st.sampled_from(
    ["\x1b", "\x1b[", "\x1b]", "\x9b", "\x07", "\x1b\\", "\r", "\u202e", "m", ";"]
)
HOSTILE = st.lists(st.one_of(SIGNS, st.text(), SURROGATES)).map("".join)
PRINTABLE = st.text(st.characters(exclude_categories=["Cc", "Cs", "Cf"]) | st.sampled_from("\n\t"))


def is_obeyed(sign: str) -> bool:
    """Tell what a terminal takes for an order, or turns the reading around."""
    code = ord(sign)
    control = code < 0x20 or 0x7F <= code < 0xA0
    turning = 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
    return (control and sign not in "\n\t") or turning


@given(HOSTILE)
def test_nothing_obeyed_is_left(text: str) -> None:
    """And what is left can be encoded and does not change again."""
    safe = visible(text)

    assert not any(map(is_obeyed, safe))
    safe.encode("utf-8")
    assert visible(safe) == safe
    assert "\n" not in one_line(text)


@given(PRINTABLE)
def test_ordinary_text_is_left_alone(text: str) -> None:
    """Whatever its language."""
    assert visible(text) == text


@given(st.recursive(HOSTILE, lambda inner: st.lists(inner) | st.dictionaries(HOSTILE, inner)))
def test_json_stays_the_same_value(value: object) -> None:
    """A program reads what was there; a terminal is not told anything."""
    text = json_text(value)

    # As the standard library reads its own: two halves side by side become one sign there.
    assert json.loads(text) == json.loads(json.dumps(value))
    assert not any(map(is_obeyed, text))
    text.encode("utf-8")


@given(st.text(st.sampled_from("aあｱ漢é…")), st.integers(1, 40))
def test_a_cut_line_fits(text: str, width: int) -> None:
    """And a line that fits is not cut."""
    short = cut(text, width)

    assert cells(short) <= width
    assert short == text if cells(text) <= width else short.endswith("…")

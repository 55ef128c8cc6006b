"""The closest word is found without comparing every pair letter by letter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tebiki.manuals.text.spellings import LONG_WORD, closest, slips_between

WORDS = st.text("abcde", min_size=1, max_size=10)


@given(WORDS, st.lists(WORDS, max_size=20))
def test_the_closest_is_that_of_a_plain_search(word: str, known: list[str]) -> None:
    """Whatever is passed over could not have been it."""
    most = 2 if len(word) >= LONG_WORD else 1
    plain = min(((slips_between(word, other, most), other) for other in known), default=(99, ""))
    assert closest(word, known) == (plain[1] if plain[0] <= most else None)

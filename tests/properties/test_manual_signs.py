"""Whatever term of words and signs stands in a text, the signs that the index has say so."""

from __future__ import annotations

import re

from hypothesis import assume, example, given
from hypothesis import strategies as st

from tebiki.manuals.text.folding import fold
from tebiki.manuals.text.symbols import LONG_CHUNK, needed_symbols, symbol_tokens
from tests.support.examples import examples

PIECES = [*"aZ9 .,:;!?()[]\"'-+#$%|_/→😀、「」・京あ", "::", "--", "C++", "__", ").", "=" * 70]
texts = st.lists(st.sampled_from(PIECES), max_size=16).map("".join)


def has(tokens: str, phrase: tuple[str, ...]) -> bool:
    """Look for tokens that stand one after the other."""
    every = tokens.split()
    size = len(phrase)
    return any(tuple(every[at : at + size]) == phrase for at in range(len(every)))


@examples(500)
@given(texts, texts, texts, st.booleans())
@example('"', ".NET", '"', False)
@example("", "||", "", False)
@example("(c", "+", "+)", False)
def test_a_term_in_a_text_is_among_its_signs(
    before: str, term: str, after: str, has_words: bool
) -> None:
    """And where the index alone is asked, it has no other; spaces or none around."""
    padding = " a" * LONG_CHUNK * 9 if has_words else "京" * LONG_CHUNK * 9
    text = fold(before + term + after + padding)
    folded = fold(term)
    assume(folded)
    left = "(?<![a-z0-9])" if folded[0].isalnum() else ""
    right = "(?![a-z0-9])" if folded[-1].isalnum() else ""
    is_there = re.search(left + re.escape(folded) + right, text) is not None
    wanted = needed_symbols(folded)
    found = all(has(symbol_tokens(text), phrase) for phrase in wanted.phrases)
    assert found or not is_there
    if wanted.is_all:
        assert found == is_there

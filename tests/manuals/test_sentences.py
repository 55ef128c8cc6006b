"""Sentences of a folded text: where a pattern would part it, and few of them remembered."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tebiki.manuals.text.folding import Memo, fold
from tebiki.manuals.text.tokenizer import SENTENCES, split_sentences

ENDS = re.compile(r"(?<=[。!?])|(?<=[.;]) |\0")
TEXTS = st.text(st.sampled_from("ab。!?.; \0設定３") | st.characters(), max_size=60)


@given(TEXTS)
def test_texts_are_parted_as_by_a_pattern(text: str) -> None:
    """A blank part more or less says nothing."""
    folded = fold(text)

    assert list(filter(None, split_sentences(folded))) == list(filter(None, ENDS.split(folded)))


@given(TEXTS)
def test_there_is_always_a_sentence(text: str) -> None:
    """And no blank one among others."""
    found = SENTENCES[fold(text)]

    assert found
    assert found == ("",) or all(sentence.strip() for sentence in found)


@given(st.lists(st.text(max_size=12), max_size=60))
def test_a_memo_stays_within_its_bounds(texts: list[str]) -> None:
    """Whatever it is asked for, it gives what it would make, and keeps a few short ones."""
    memo = Memo(str.upper, most=5, longest=8)

    assert [memo[text] for text in texts] == [text.upper() for text in texts]
    assert len(memo) <= 5
    assert all(len(text) <= 8 for text in memo)

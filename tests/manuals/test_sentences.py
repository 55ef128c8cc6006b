"""Sentences of a folded text: where a pattern would part it, and few of them remembered."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tebiki.manuals.report.evidence import SPACES, sentences
from tebiki.manuals.text.folding import Memo, fold
from tebiki.manuals.text.tokenizer import SENTENCES, split_sentences

ENDS = re.compile(r"(?<=[。!?])|(?<=[.;]) |\0")
TEXTS = st.text(st.sampled_from("ab。!?.; \0設定３") | st.characters(), max_size=60)


@given(TEXTS)
def test_texts_are_parted_as_by_a_pattern(text: str) -> None:
    """A blank part more or less says nothing."""
    folded = fold(text)

    assert list(filter(None, split_sentences(folded))) == list(filter(None, ENDS.split(folded)))


WRITTEN_ENDS = re.compile(r"(?<=[。！？!?])|(?<=[.;])\s+|[\n\0]+")
MARKS = re.compile(r"^[\s #>*+|\-]+|(?<![\s *|])[\s *|]++$")


@given(st.text(st.sampled_from("ab。!?.; \0\n\t\u3000#|*-設") | st.characters(), max_size=60))
def test_sentences_as_written_are_parted_as_by_a_pattern(text: str) -> None:
    """Without the marks and the spaces around them, of whichever kind these are."""
    by_pattern = [MARKS.sub("", part) for part in WRITTEN_ENDS.split(text)]

    assert sentences(text) == list(filter(None, by_pattern))


def test_every_white_space_is_known() -> None:
    """As Python knows them."""
    assert set(SPACES) == {sign for sign in map(chr, range(0x110000)) if sign.isspace()}


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

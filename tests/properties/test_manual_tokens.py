"""Quick folding and tokens are the plain ones, sign by sign and for any text."""

from __future__ import annotations

import re
import sys
import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from tebiki.manuals.text.chunks import take_apart
from tebiki.manuals.text.folding import (
    ACCENTED,
    JOINING,
    SAME,
    UNCHANGED,
    lower,
    tidy,
    tidy_by_patterns,
    tidy_question,
)
from tebiki.manuals.text.lines import bigrams_of_all, join_all_tokens, tokens_of_all
from tebiki.manuals.text.query import ENDINGS, without_endings
from tebiki.manuals.text.symbols import symbol_tokens
from tebiki.manuals.text.tokenizer import APART, GAP, Tokens, bigrams, runs_of
from tests.manuals import plain_tokens
from tests.support.examples import examples

JAPANESE_PIECES = (
    "東京 都 の ラマ マヤ データ サーバー ー ｶﾞ ﾟ が か\u3099 \u3099 々 〇 。 、 （ ） 〜 ・ · ―"
)
COUNTED_PIECES = "第12条 1,000円 ３１ 1.5倍 2 年 ABC-123 startupProbe -- _ . 's ’s “ ① … ㈱ ㍍"
LETTER_PIECES = (
    "e\u0301 Ａ é Straße İ ﬁ 한 \u1161 ㅏ ﾡ ф σς \U00020bb7 \U0002f800 \u0345 ǆ \u200b \ufeff"
)
SPACE_PIECES = [" ", "\u3000", "\n", "\u00a0", "\x1c", "\x85", "\u2028"]
PIECES = [*f"{JAPANESE_PIECES} {COUNTED_PIECES} {LETTER_PIECES}".split(" "), *SPACE_PIECES]
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=60)
EVERY_SIGN = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]


@given(texts)
def test_folding_is_the_plain_one(text: str) -> None:
    """Whatever stands beside what."""
    assert tidy_question(text) == plain_tokens.tidy_question(text)
    assert tidy(text) == tidy_by_patterns(text) == plain_tokens.tidy(text)
    assert lower(tidy(text)) == plain_tokens.lower(plain_tokens.tidy(text))


@given(texts, st.integers(1, 40))
@example("東京東京東京東京ｶﾞｶﾞ（", 20)
@example("\u0928\u093c\u09c7\u09be", 100)
@example("\u1100\u1161\u11a8", 100)
def test_folding_a_long_text_is_the_plain_one(text: str, times: int) -> None:
    """By patterns, which a short one does without."""
    assert tidy_question(text * times) == plain_tokens.tidy_question(text * times)
    assert tidy(text * times) == plain_tokens.tidy(text * times)


@given(texts)
def test_runs_are_the_plain_ones(text: str) -> None:
    """Each with where it begins."""
    tidied = tidy_question(text)

    assert list(runs_of(tidied)) == [
        (match.start(), match.group()) for match in plain_tokens.RUNS.finditer(tidied)
    ]


@given(st.lists(st.sampled_from([*ENDINGS, *"あかさたなはまやらわんをっ"]), max_size=12))
def test_endings_are_taken_off_the_longest_first(pieces: list[str]) -> None:
    """As a pattern of all of them would do it."""
    longest_first = "|".join(sorted(ENDINGS, key=len, reverse=True))

    assert without_endings("".join(pieces)) == re.sub(longest_first, " ", "".join(pieces)).split()


@examples(400)
@given(texts, st.integers(1, 12))
@example("ラマ、マヤ", 2)
@example("word、。word", 4)
def test_tokens_in_pieces_are_the_plain_ones(text: str, size: int) -> None:
    """Wherever a large text is cut."""
    (found,) = tokens_of_all([text], size=size)
    folded = plain_tokens.lower(plain_tokens.tidy(text))

    assert found == (folded, plain_tokens.words(text))
    assert bigrams_of_all([folded], size=size) == [plain_tokens.spaced_bigrams(folded)]


@given(texts)
def test_tokens_are_the_plain_ones(text: str) -> None:
    """In the same order, since phrases are found by position."""
    (found,) = tokens_of_all([text])

    assert found.words == plain_tokens.words(text)
    assert bigrams(found.folded) == plain_tokens.bigrams(found.folded)
    assert bigrams_of_all([found.folded]) == [plain_tokens.spaced_bigrams(found.folded)]
    told = [
        token for token in join_all_tokens([found.folded], [found.words])[0].split() if token != GAP
    ]
    words = [token for token in found.words.split() if token != GAP]
    assert told == [*bigrams(found.folded), *words]


@examples(300)
@given(st.lists(texts, max_size=8), st.integers(1, 200))
def test_texts_taken_apart_together_have_the_tokens_of_each(many: list[str], size: int) -> None:
    """However many go at once, and whatever stands in the text before."""
    found = tokens_of_all(many, size=size)

    assert [one.words for one in found] == [plain_tokens.words(text) for text in many]
    folded = [plain_tokens.lower(plain_tokens.tidy(text)) for text in many]
    assert [one.folded for one in found] == folded
    assert bigrams_of_all(folded, size=size) == list(map(plain_tokens.spaced_bigrams, folded))


CHUNK_PIECES = "foo Foo fooBar a.b x86 O'Brien's a_b __init__ C++ --f (x, ), `y` | || : . \x02 \0"
CHUNKS = CHUNK_PIECES.split(" ")


@examples(300)
@given(
    st.lists(texts | st.lists(st.sampled_from([*CHUNKS, *PIECES]), max_size=20).map(" ".join)),
    st.integers(1, 400),
)
@example(["foo. (bar", "| |", "", "\0", "a"], 400)
def test_texts_taken_apart_by_chunks_are_as_by_lines(many: list[str], size: int) -> None:
    """Words in their order; of symbols which they are."""
    found = take_apart(many, size=size)

    plain = tokens_of_all(many)
    assert list(map(Tokens, found.folded, found.words)) == plain
    every = [symbol_tokens(one.folded) for one in plain]
    assert [set(one.split(APART)) for one in found.symbols] == [
        set(one.split(APART)) for one in every
    ]


def test_signs_that_stay_are_normal_and_join_nothing() -> None:
    """Each of them, in whatever version of Unicode."""
    for sign in re.findall(f"[{UNCHANGED}]", "".join(EVERY_SIGN)):
        assert unicodedata.normalize("NFKC", sign) == sign
        assert ord(sign) not in SAME
        assert not ACCENTED.match(sign)
        assert not JOINING().search(sign)


def test_signs_that_stand_alone_join_nothing() -> None:
    """None begins with a mark, or with the second half of a composed sign."""
    joining = {
        part
        for sign in EVERY_SIGN
        if unicodedata.normalize("NFC", parts := unicodedata.normalize("NFD", sign)) == sign
        for part in parts[1:]
    }
    for sign in JOINING().sub("", "".join(EVERY_SIGN)):
        for form in ("NFKC", "NFKD"):
            first = unicodedata.normalize(form, sign)[:1]
            assert not unicodedata.combining(first or "a")
            assert first not in joining

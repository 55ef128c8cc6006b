"""What is taken to be the same, and what tokens a text has."""

from __future__ import annotations

import pytest

from tebiki.manuals.text.chunks import MOST_CHUNKS, take_apart
from tebiki.manuals.text.folding import fold
from tebiki.manuals.text.lines import tokens_of_all
from tebiki.manuals.text.query import question_of
from tebiki.manuals.text.tokenizer import bigrams


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("ＡＢＣ－１２３", "abc-123"),
        ("ﾃﾞｰﾀ", "データ"),
        ("Straße", "strasse"),
        ("e\u2011mail", "e-mail"),
        ("Silahtarağa", "silahtaraga"),
        ("東京\n都", "東京都"),
        ("a \u3000 b", "a b"),
        ("が", "が"),
        ("か\u3099", "が"),
    ],
)
def test_spellings_fold_together(written: str, folded: str) -> None:
    """Width, case, dashes, accents and spaces are one."""
    assert fold(written) == folded


def test_a_text_of_nothing_but_marks_is_folded_too() -> None:
    """Put in order all at once they would take minutes, and nobody else could do anything."""
    (tokens,) = tokens_of_all(["a" + "\u0301\u0316" * 500_000 + " 終わり"])

    assert tokens.folded.endswith(" 終わり")


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("policies", "polici"),
        ("startupProbe", "probe"),
        ("startupProbe", "startupprob"),
        ("E-1042", "e1042"),
        ("E-1042", "1042"),
        ("第12条", "第12条"),
        ("31日", "31日"),
        ("サーバー", "サーバ"),
        ("税を払う", "税"),
        ("kube-system", "system"),
    ],
)
def test_words_names_and_codes_have_tokens(text: str, token: str) -> None:
    """Stems, parts, joined forms, counted numbers, words in katakana, lone kanji."""
    assert f" {token} " in tokens_of_all([text])[0].words


def test_japanese_has_a_bigram_for_every_pair() -> None:
    """Also across the border of kanji and kana, so that any two signs can be found."""
    assert bigrams("申し込み") == ["申し", "し込", "込み"]


def test_a_question_is_what_it_names() -> None:
    """Particles, endings and question words are left out."""
    units = [unit.surface for unit in question_of("入院給付金はいつから支払われますか").units]
    assert units[:2] == ["入院給付金", "支払"]
    assert [unit.surface for unit in question_of("What is the main policy?").units] == [
        "main",
        "policy",
    ]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("ITの内線", ["it", "内線"]),
        ("IT 連絡先", ["it", "連絡先"]),
        ("会議室Aの定員", ["会議室", "a", "定員"]),
        ("the extension of IT", ["extension", "it"]),
        ("Best Practices for Podを参照", ["best", "practices", "pod", "参照"]),
        ("THE EXTENSION OF IT", ["extension"]),
    ],
)
def test_a_name_spelt_like_a_word_of_grammar_is_named(question: str, named: list[str]) -> None:
    """A department called IT, a room called A: by capitals, or by standing alone in Japanese."""
    assert [unit.surface for unit in question_of(question).units] == named


def test_a_question_of_function_words_only_is_kept() -> None:
    """Better a weak search than none."""
    assert question_of("what is it").units


def test_spaces_in_a_question_part_words() -> None:
    """Keywords are not a compound."""
    assert [unit.surface for unit in question_of("申請 期限").units] == ["申請", "期限"]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("any unknown 違い", ["any", "unknown", "違い"]),
        ("if else 構文", ["if", "else", "構文"]),
        ("for of ループ", ["for", "ループ"]),
        ("the Beatles 楽曲", ["beatles", "楽曲"]),
        ("how to delete 操作", ["delete", "操作"]),
        ("what is any", ["what", "is", "any"]),
    ],
)
def test_one_or_two_small_words_in_japanese_are_names(question: str, named: list[str]) -> None:
    """Three are an English phrase, and those that only join name nothing."""
    assert [unit.surface for unit in question_of(question).units] == named


def test_a_chunk_is_taken_apart_alike_however_many_came_between() -> None:
    """Remembered, forgotten, and remembered again."""
    many = [f"(fooBar{number}, x-{number}." for number in range(MOST_CHUNKS)]
    some = many[:: MOST_CHUNKS // 50]
    first = take_apart(some)
    take_apart([" ".join(many)])

    assert take_apart(some) == first
    assert take_apart(many[:100]) == take_apart(many[:100], size=50)
    assert first.words == [one.words for one in tokens_of_all(some)]

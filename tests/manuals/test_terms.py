"""Required terms: what has them and what only looks like it, counted over the whole manual."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.manuals.searchable import Searchable

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(name="manual")
def _manual(tmp_path: Path) -> Searchable:
    """An empty manual."""
    return Searchable(tmp_path, None)


@pytest.mark.requirement("manuals:gates:whole-terms")
@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("東京、京都と大阪に行く。", "東京都"),
        ("東京。京都", "東京都"),
        ("東京(京都)", "東京都"),
        ("東京A京都", "東京都"),
        ("ラマ・マヤ", "ラマヤ"),
    ],
)
def test_pairs_do_not_join_across_what_parts_them(manual: Searchable, text: str, term: str) -> None:
    """東京 and 京都 beside each other are not 東京都."""
    manual.write("a.md", f"# 旅\n{text}\n")
    found = manual.ask("旅", term)
    assert found.status == "required_none_matched"
    assert found.applied["required_terms_match_stats"][0]["matched_docs"] == 0


@pytest.mark.parametrize(
    "text", ["東京都", "ここは東京都です", "東京\n都", "東\u3000京都", "(東京都)"]
)
def test_pairs_join_where_nothing_parts_them(manual: Searchable, text: str) -> None:
    """Line ends and wide spaces inside a sentence part nothing."""
    manual.write("a.md", f"# 旅\n{text}\n")
    assert manual.ask("旅", "東京都").status == "required_effective"


def test_a_term_among_many_that_look_like_it_is_found(manual: Searchable) -> None:
    """The guard counts the term, not what its pairs happen to match."""
    for number in range(40):
        manual.write(f"{number}.md", f"# 旅{number}\n東京、京都に行く旅の{number}日目。\n")
    manual.write("z.md", "# 別\n" + "ながいぶんしょうをかく。" * 200 + "東京都\n")
    found = manual.ask("京都に行く旅", "東京都")
    assert found.applied["required_terms_match_stats"][0]["matched_docs"] == 1
    assert found.status == "required_effective"


@pytest.mark.requirement("manuals:gates:whole-terms")
def test_a_term_of_two_words_is_counted_as_one(manual: Searchable) -> None:
    """Both words somewhere in a section are not the term."""
    for number in range(150):
        manual.write(f"{number}.md", f"# S{number}\nData {number} was kept. A loss was seen.\n")
    manual.write("z.md", "# Z\n" + "Filler words that make it long. " * 200 + "A data loss.\n")
    found = manual.ask("what was kept and seen", "data loss")
    assert found.applied["required_terms_match_stats"][0]["matched_docs"] == 1
    assert found.status == "required_effective"


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("No data losses here", "data loss"),
        ("a **data** `loss`", "Data Loss"),
        ("data\nloss", "data loss"),
        ("big-data loss-prone", "data loss"),
        ("the data-loss case", "data-loss"),
        ("data-loss-prevention", "data-loss"),
        ("an e-mail address", "e-mail address"),
        ("an e-mail address", "mail address"),
        ("x86 support", "x86 support"),
        ("an R&D budget", "R&D budget"),
        ("the startupProbe field", "startupProbe field"),
        ("the startupprobe field", "startupProbe field"),
        ("the startupProbe", "startupprobe"),
        ("the startupProbe field", "startupprobe field"),
        ("the `startupProbe` field", "startupprobe field"),
        ("a bora-bora trip", "bora-bora"),
        ("the user's guide", "user guide"),
        ("Error E-1042 was seen", "ＥＲＲＯＲ Ｅ－１０４２"),
        ("Pod名は必須", "pod名"),
        ("第12条の規定", "第12条"),
        ("1,000円の手数料", "1,000円"),
    ],
)
def test_a_term_is_found_as_it_is_written(manual: Searchable, text: str, term: str) -> None:
    """In any case and number, between marks of style, as a part of a longer name."""
    manual.write("a.md", f"# T\n{text}\n")
    found = manual.ask("T", term)
    assert found.applied["required_terms_match_stats"][0]["matched_docs"] == 1
    assert found.status == "required_effective"


ONE_WORD = [
    ("申込", "申込み", "申し込み", "申し込"),
    ("申込書", "申込み書", "申し込み書"),
    ("問合せ", "問合わせ", "問い合せ", "問い合わせ"),
    ("問合せ先", "問い合わせ先"),
    ("打合せ", "打ち合わせ"),
    ("組合せ", "組み合わせ"),
    ("取扱説明書", "取扱い説明書", "取り扱い説明書"),
    ("手続方法", "手続き方法"),
    ("見積書", "見積り書", "見積もり書"),
    ("引越し", "引っ越し"),
]


@pytest.mark.requirement("manuals:gates:variants")
@pytest.mark.parametrize(
    ("text", "term"),
    [(text, term) for word in ONE_WORD for text in word for term in word],
)
def test_a_word_is_found_with_more_and_with_fewer_kana(
    manual: Searchable, text: str, term: str
) -> None:
    """By the index, which counts it, and by the text, which says whether it is there."""
    manual.write("a.md", f"# T\nここに{text}を書く\n")
    found = manual.ask("T", term)
    assert found.applied["required_terms_match_stats"][0]["matched_docs"] == 1
    assert found.status == "required_effective"


@pytest.mark.requirement("manuals:gates:whole-terms")
@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("値の取り得る範囲", "取得"),
        ("希望を持ち続ける", "持続"),
        ("色の組み合わせ", "組合"),
        ("組合の規約", "組み合わせ"),
        ("組合の規約", "組合せ"),
        ("長い期間", "長期"),
        ("読み書きの練習", "読書"),
    ],
)
def test_another_word_with_the_same_kanji_is_not_the_term(
    manual: Searchable, text: str, term: str
) -> None:
    """Kana are put in only where writers are known to leave them out."""
    manual.write("a.md", f"# T\n{text}\n")
    assert manual.ask("T", term).status == "required_none_matched"


@pytest.mark.requirement("manuals:gates:whole-terms")
@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Keep the data. Loss is bad", "data loss"),
        ("data, loss", "data loss"),
        ("data の loss", "data loss"),
        ("dataを失うloss", "data loss"),
        ("the data loss", "data-loss"),
        ("big data", "big-data loss"),
        ("i86 support and x86", "x86 support"),
        ("foo-bar and baz-qux", "foobar bazqux"),
        ("metadata loss", "data loss"),
        ("附則12号と第3条", "第12条"),
    ],
)
def test_what_only_looks_like_a_term_is_not_counted(
    manual: Searchable, text: str, term: str
) -> None:
    """Its words apart, the other way round, or inside other words."""
    manual.write("a.md", f"# T\n{text}\n")
    found = manual.ask("T", term)
    assert found.applied["required_terms_match_stats"][0]["matched_docs"] == 0
    assert found.status == "required_none_matched"


@pytest.mark.requirement("manuals:gates:signs")
@pytest.mark.parametrize(
    "term",
    ["→", "😀", "::", "§", "%", "|", "_", "/", ".", "、", "...", "->", "=>", "||", "❤️", "()"],
)
def test_a_term_of_signs_only_is_found(manual: Searchable, term: str) -> None:
    """No word is made of it, but it stands in the text."""
    manual.write("a.md", f"# Signs\nsee {term} here\n")
    manual.write("b.md", "# Other\nsee nothing here\n")
    found = manual.ask("see here", term)
    assert found.status == "required_effective"
    assert found.applied["required_terms_match_stats"][0]["matched_docs"] == 1


def test_a_question_of_signs_only_is_answered(manual: Searchable) -> None:
    """By the sections that have them."""
    manual.write("a.md", "# One\nmap x → y\n")
    manual.write("b.md", "# Two\nmap x to y\n")
    assert manual.paths("→") == ["a.md"]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("The C++ language", "C++"),
        ("(C++) is here", "C++"),
        ("`C++`, or C", "c++"),
        ("Ｃ＋＋言語", "C++"),
        ("Use C#.", "C#"),
        ("Runs on .NET here", ".NET"),
        ('the ".NET" runtime', ".NET"),
        ("Runs on ASP.NET here", ".NET"),
        ("git push --force now", "--force"),
        ("`--force`", "--force"),
        ("in $HOME/bin", "$HOME"),
        ("call foo().", "foo()"),
        ("std::vector<int> v", "std::vector"),
        ("a 100% cotton", "100%"),
        ("use -v for more", "-v"),
        ("C++ compilers", "C++ compiler"),
        ("A → B", "A → B"),
        ("the a|b choice", "a|b"),
        ("__init__ of it", "__init__"),
        ("100%オフ", "100%オフ"),
        ("第1章→第2章", "→第2章"),
    ],
)
@pytest.mark.parametrize("others", [0, 120])
def test_signs_of_a_term_are_found(manual: Searchable, text: str, term: str, others: int) -> None:
    """Beside brackets and in names, also among many sections that have its words and signs."""
    manual.write("a.md", f"# T\n{text}\n")
    words = "C, NET, force, HOME, foo, std vector, 100, v, a b, init + # . - $ ( ) : % → | _"
    manual.write("b.md", "\n".join(f"# S{n}\n{words} オフ 第2章\n" for n in range(others)))
    found = manual.ask("T", term)
    assert found.status == "required_effective"
    assert found.lists["candidates"][0]["ref"]["path"] == "a.md"


@pytest.mark.requirement("manuals:gates:signs")
@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("The C language is old", "C++"),
        ("C + +", "C++"),
        ("abc++", "C++"),
        ("C and #", "C#"),
        ("a net. A .", ".NET"),
        ("use force -- or not", "--force"),
        ("--forced", "--force"),
        ("HOME $", "$HOME"),
        ("foo ()", "foo()"),
        (": :", "::"),
        ("A B →", "A → B"),
    ],
)
def test_signs_of_a_term_count(manual: Searchable, text: str, term: str) -> None:
    """C is not C++, in one section or in many."""
    manual.write("a.md", "\n".join(f"# T{n}\n{text}\n" for n in range(120)))
    found = manual.ask("T", term)
    assert found.status != "required_effective"
    manual.write("a.md", f"# T\n{text}\n")
    found = manual.ask("T", term)
    assert found.status == "required_none_matched"


def test_headings_above_are_not_parted_by_a_sign_of_the_text(manual: Searchable) -> None:
    """Only a path has its slashes."""
    manual.write("a.md", "# One\n## Two\n### Three\ntext\n")
    assert manual.ask("text", "/").status == "required_none_matched"
    manual.write("b/c.md", "# Four\ntext\n")
    assert manual.paths("text", "/")[0] == "b/c.md"
    assert manual.paths("text", "b/c")[0] == "b/c.md"


@pytest.mark.parametrize("term", ["\ud800", "a\ud800b", "東\udfff京"])
def test_half_a_character_is_no_failure(manual: Searchable, term: str) -> None:
    """JSON can spell it; it is looked for, and only what was spelled like it is found."""
    manual.write("a.md", "# A\nab 東京\n")
    assert manual.ask("ab", term).status == "required_none_matched"
    manual.write("b.json", '{"key": "x \\ud800 y"}')
    assert manual.ask(term, "key").status == "required_effective"

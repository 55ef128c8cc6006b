"""Required terms for a question that names none: the words of it that look rarest.

By looks alone, so that the same question always gets the same terms whatever the manual holds. For
people and evaluations; over the wire a client names its terms itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tebiki.manuals.limits import LONGEST_TERM
from tebiki.manuals.text.comparing import compared_in
from tebiki.manuals.text.folding import HIRAGANA, KANJI, lazy_pattern, tidy
from tebiki.manuals.text.query import question_of

if TYPE_CHECKING:
    from tebiki.manuals.text.query import Unit

MOST = 1
"""How many are taken; a find takes two, but each further word is one more the answer may lack."""

LETTERS_A_KANJI = 2
"""A kanji says as much as so many letters or kana."""

ASKING = "何幾誰"
"""What begins so (何日保存) is asked for: an answer has something else in its place."""

_ASKED_FOR = """
違い 理由 方法 手順 意味 原因 場合 一覧 目的 仕組 対処 比較 使い 書き やり
difference differences reason reasons way ways example examples meaning cause list
"""
ASKED_FOR = frozenset(_ASKED_FOR.split())
"""What is wanted of a thing, and not which thing: an answer seldom says the word."""

SIGNS = lazy_pattern(r"(?<![!-~])(?![?!.:-]+(?![!-~]))[=<>&|?+*%^~:!.-]{2,4}(?![!-~])")
"""Two to four signs with no letter beside them; not those that end a sentence, or are a dash."""

IN_HIRAGANA = lazy_pattern(rf"[{HIRAGANA}]{{2,12}}")
KANJI_CHARACTERS = re.compile(rf"[{KANJI}]")


def derive_terms(question: str) -> tuple[str, ...]:
    """Take the words that look rarest, best first; the whole question when it has none.

    The question is taken apart as a find does, grammar left out. Signs that stand by themselves
    (`===`) come first, then codes (digits with letters, such as `e-1042`), then words of kanji,
    katakana or letters, then hiragana and single kanji; among those the longer, a kanji counting as
    two letters, then the earlier. What asks (何日) comes last, and before it what is wanted of a
    thing (方法). Of a question that compares two things, one of each.
    """
    if signs := SIGNS().findall(tidy(question)):
        return (max(signs, key=len),)
    sides = compared_in(question)
    words = dict.fromkeys(word for side in sides or (question,) for word in _rarest_of(side))
    return tuple(words) or (question[:LONGEST_TERM],)


def _rarest_of(text: str) -> tuple[str, ...]:
    """The word of a text that looks rarest; one in hiragana from its first character on."""
    ordered = sorted(question_of(text).units, key=_looks)
    words = [unit.surface for unit in ordered if len(unit.surface) <= LONGEST_TERM]
    if IN_HIRAGANA().fullmatch(text) and len(text) <= LONGEST_TERM:
        return (text,)
    return tuple(words[:MOST])


def _looks(unit: Unit) -> tuple[bool, bool, bool, float, int]:
    word = unit.surface
    digits = sum(character.isdigit() for character in word)
    length = len(word) + (LETTERS_A_KANJI - 1) * len(KANJI_CHARACTERS.findall(word))
    return word[0] in ASKING, word in ASKED_FOR, not 0 < digits < len(word), -unit.weight, -length

"""Questions that compare, taken apart by wording and never inside a word.

Pure functions over text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.text.folding import HIRAGANA, KANJI, is_hiragana, lazy_pattern, tidy_question
from tebiki.manuals.text.query import SHORTEST_KANA, question_of, without_endings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from re import Match

_BEFORE = r"(?<![っこひもごおあうきくす落整])"
"""`と` after these characters is mostly inside a word: もっと, こと, ひと, あと, 落とす, 整とん."""

_AFTER = r"(?!き|ころ|して|する|すれ|され|な[るっりら]|いう|いった|は|も|く|り|ど|ら)"
"""Nor does it compare before these: 対象とする, 前提となる."""

_AND = rf"{_BEFORE}と{_AFTER}"
_DIFFERING_WORDS = "違い 違う ちがい 相違 差 異なる どっち どちら 比較 比べ 使い分け"
_DIFFERENCES = tuple(_DIFFERING_WORDS.split())
_DIFFERENCE = (
    r"(?:(?<![間勘桁人筋場段門畑当手れき])違[いう](?!な[いく])|(?<!ま)ちがい|相違(?!な[いく])|差異"
    rf"|(?<![{KANJI}])差(?:額|分)?(?![しすせさそっ{KANJI}])"
    r"|異なる|どっち|どちら|比較(?!的)|比べ|使い分け)"
)
"""The same, but not in 間違い, に違いない, 誤差, 差し込み or 比較的, which compare nothing."""

_AGAINST = r"(?:(?<=[^0-9] )対(?= [^0-9])|(?<=[A-Za-z]{2})対(?=[A-Za-z]{2}))"
"""`対` by itself: 対象 and 反対 are words, and 3対1 is a ratio."""

_HOW = "(?:どう|(?:何|なに)が|どこが)?"
_FAR = 80
"""Characters between `と` and the difference: longer parts are no names."""

_DIFFERING = lazy_pattern(
    rf"{_AND}(?P<b>.{{1,{_FAR}}}?)(?:と)?(?:の|は|で|を|が|、| ){{0,4}}{_HOW}{_DIFFERENCE}"
)
"""Begins at the `と`, so that each is tried once: a question is hostile until read."""

_DIFFERING_IN_KANA = lazy_pattern(
    rf"(?<=[{HIRAGANA}])と(?!と)(?P<b>[{HIRAGANA}]{{2,20}}?)と?(?:の|では?|は|を){_HOW}{_DIFFERENCE}"
)
"""`と` between two words in hiragana, where it may as well be inside one."""

_PATTERNS = (
    (
        ("between",),
        lazy_pattern(r"(?i)\bdifferences?\s+between\s+(?P<a>.+?)\s+and\s+(?P<b>.+)"),
    ),
    (
        ("compar",),
        lazy_pattern(r"(?i)\bcompar(?:e|ing|ison of)\s+(?P<a>.+?)\s+(?:and|with|to)\s+(?P<b>.+)"),
    ),
    (
        ("vs", "versus", "対"),
        lazy_pattern(
            # From a line's start alone: what is found from within it is found from there.
            r"(?im)^(?P<a>.*\S)\s*"
            rf"(?:(?<![A-Za-z0-9_.-])(?:vs\.?|versus)(?![A-Za-z0-9_-])|{_AGAINST})"
            r"\s*(?P<b>\S.*)"
        ),
    ),
)
"""How else a comparison is worded, each with the words without which it is none."""

_IN_CASE_OF = "の場合の"
_POINTING = ("こ", "そ", "あ", "ど")
"""この場合 points to a case and names none."""

ADVERB = lazy_pattern(r"[っん].?り\Z|\A(?:きちん|ちゃん)\Z")
"""How words in hiragana look behind which `と` compares nothing: はっきりと, のんびりと."""

LONGEST_PART = 40
_RIM = " \t、。,.?？!！「」『』()（）:："


def sub_questions(question: str, most: int) -> tuple[str, ...]:
    """The questions that a comparing question consists of; none when it does not compare."""
    if found := compared_in(question):
        return found[:most]
    case, is_case, asked = tidy_question(question).partition(_IN_CASE_OF)
    if not is_case or case.endswith(_POINTING) or not _names_something(case):
        return ()
    return _clean([f"{case} {asked}", asked])[:most]


def compared_in(question: str) -> tuple[str, ...]:
    """What a question compares; nothing when it does not."""
    text = tidy_question(question)
    if any(cue in text for cue in _DIFFERENCES):
        if found := _differing(text, match := _DIFFERING().search(text)) or _joined_in_kana(text):
            return found
        if match is not None:
            return ()
    lowered = text.lower()
    for cues, pattern in _PATTERNS:
        match = pattern().search(text) if any(cue in lowered for cue in cues) else None
        if match:
            return _clean([match["a"], match["b"]])
    return ()


def _differing(text: str, match: Match[str] | None) -> tuple[str, ...]:
    """The parts around the first `と` that has a name on both sides: たとえば has one inside."""
    while match is not None and match.start() <= LONGEST_PART:
        parts = [text[: match.start()], match["b"]]
        if found := _clean(parts) or _clean_with_kana(parts):
            return found
        match = _DIFFERING().search(text, match.start() + 1)
    return ()


def _joined_in_kana(text: str) -> tuple[str, ...]:
    """The parts of a comparison of two words in hiragana: りんごとみかん.

    Which of several `と` joins them is not written; the one that leaves words of like length is
    taken.
    """
    pairs: list[tuple[str, str]] = []
    match = _DIFFERING_IN_KANA().search(text)
    while match is not None and match.start() <= LONGEST_PART:
        pair = (text[: match.start()].strip(_RIM), match["b"].strip(_RIM))
        if all(map(_is_kana_word, pair)):
            pairs.append(pair)
        match = _DIFFERING_IN_KANA().search(text, match.start() + 1)
    return min(pairs, key=lambda pair: abs(len(pair[0]) - len(pair[1])), default=())


def _is_kana_word(part: str) -> bool:
    """Tell a word in hiragana from words of grammar alone, or half a word."""
    return len(part) >= SHORTEST_KANA and not part.endswith("っ") and bool(without_endings(part))


def _clean(parts: Iterable[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(part.strip(_RIM) for part in parts))
    return found if len(found) > 1 and all(map(_names_something, found)) else ()


def _clean_with_kana(parts: Iterable[str]) -> tuple[str, ...]:
    """Two names of which one is in hiragana, the other without any: かぼちゃとズッキーニ."""
    found = tuple(part.strip(_RIM) for part in parts)
    in_kana = [part for part in found if all(map(is_hiragana, part))]
    others = [part for part in found if not any(map(is_hiragana, part))]
    if len(in_kana) != len(others) or len(others) != 1 or ADVERB().search(found[0]):
        return ()
    return found if _is_kana_word(in_kana[0]) and _names_something(others[0]) else ()


def _names_something(part: str) -> bool:
    """Tell whether it can be compared: neither half a page nor an adverb or a verb alone."""
    units = question_of(part).units if len(part) <= LONGEST_PART else ()
    return any(unit.weight == 1 or unit.words for unit in units)

"""Questions that compare, taken apart into what they compare: by wording, never inside a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.text.characters import KANJI, lazy_pattern
from tebiki.manuals.text.folding import tidy_question
from tebiki.manuals.text.query import question_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from re import Match

_BEFORE = r"(?<![っこひもごおあうきくす落整])"
"""`と` after these signs is mostly inside a word: もっと, こと, ひと, あと, 落とす, 整とん."""

_AFTER = r"(?!き|ころ|して|する|すれ|され|な[るっりら]|いう|いった|は|も|く|り|ど|ら)"
"""Nor does it compare before these: 対象とする, 前提となる."""

_AND = rf"{_BEFORE}と{_AFTER}"
_DIFFERENCES = (
    "違い",
    "ちがい",
    "相違",
    "差",
    "異なる",
    "どっち",
    "どちら",
    "比較",
    "比べ",
    "使い分け",
)
_DIFFERENCE = (
    r"(?:(?<![間勘桁人筋場段門畑当手れき])違い(?!な[いく])|(?<!ま)ちがい|相違(?!な[いく])|差異"
    rf"|(?<![{KANJI}])差(?:額|分)?(?![しすせさそっ{KANJI}])"
    r"|異なる|どっち|どちら|比較(?!的)|比べ|使い分け)"
)
"""The same, but not in 間違い, に違いない, 誤差, 差し込み or 比較的, which compare nothing."""

_AGAINST = r"(?:(?<=[^0-9] )対(?= [^0-9])|(?<=[A-Za-z]{2})対(?=[A-Za-z]{2}))"
"""`対` by itself: 対象 and 反対 are words, and 3対1 is a ratio."""

_FAR = 80
"""Signs between `と` and the difference: longer parts are no names."""

_DIFFERING = lazy_pattern(
    rf"{_AND}(?P<b>.{{1,{_FAR}}}?)(?:と)?(?:の|は|で|を|が|、| ){{0,4}}{_DIFFERENCE}"
)
"""Begins at the `と`, so that each is tried once: a question is hostile until read."""

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

LONGEST_PART = 40
_RIM = " \t、。,.?？!！「」『』()（）:："


def sub_questions(question: str, most: int) -> tuple[str, ...]:
    """The questions that a comparing question consists of; none when it does not compare."""
    text = tidy_question(question)
    if any(cue in text for cue in _DIFFERENCES) and (match := _DIFFERING().search(text)):
        return _differing(text, match)[:most]
    lowered = text.lower()
    for cues, pattern in _PATTERNS:
        match = pattern().search(text) if any(cue in lowered for cue in cues) else None
        if match:
            return _clean([match["a"], match["b"]])[:most]
    case, found, asked = text.partition(_IN_CASE_OF)
    if not found or case.endswith(_POINTING) or not _names_something(case):
        return ()
    return _clean([f"{case} {asked}", asked])[:most]


def _differing(text: str, match: Match[str] | None) -> tuple[str, ...]:
    """The parts around the first `と` that has a name on both sides: たとえば has one inside."""
    while match is not None and match.start() <= LONGEST_PART:
        if found := _clean([text[: match.start()], match["b"]]):
            return found
        match = _DIFFERING().search(text, match.start() + 1)
    return ()


def _clean(parts: Iterable[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(part.strip(_RIM) for part in parts))
    return found if len(found) > 1 and all(map(_names_something, found)) else ()


def _names_something(part: str) -> bool:
    """Tell whether it can be compared: neither half a page nor an adverb or a verb alone."""
    units = question_of(part).units if len(part) <= LONGEST_PART else ()
    return any(unit.weight == 1 or unit.words for unit in units)

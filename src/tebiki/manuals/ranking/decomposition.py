"""Questions that compare: taken apart into what they compare, and the answers brought together.

Wording only, and never inside a word. Pure functions over text and values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tebiki.manuals.ranking.query import question_of
from tebiki.manuals.text.folding import tidy
from tebiki.manuals.text.signs import late

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tebiki.manuals.index.values import Key
    from tebiki.manuals.ranking.gates import Gate
    from tebiki.manuals.ranking.scoring import Scored
    from tebiki.manuals.ranking.settings import FindSettings

_BEFORE = r"(?<![っこひもごおあうきくす])"
"""`と` after these signs is mostly the end of a word: もっと, こと, ひと, あと."""

_AFTER = r"(?!き|ころ|して|いう|いった|は|も|く|り|ど|ら)"
_AND = rf"{_BEFORE}と{_AFTER}"
_DIFFERENCES = (
    "違い",
    "ちがい",
    "相違",
    "差異",
    "差",
    "異なる",
    "どっち",
    "どちら",
    "比較",
    "比べ",
    "使い分け",
)
_DIFFERENCE = rf"(?:{'|'.join(_DIFFERENCES)})"
_FAR = 80
"""Signs of what is compared: longer parts are no names, and a question is hostile until read."""

_PATTERNS = (
    (
        _DIFFERENCES,
        late(
            rf"(?i)(?P<a>.{{2,{_FAR}}}?){_AND}(?P<b>.{{2,{_FAR}}}?)(?:と)?"
            rf"(?:の|は|で|を|が|、| ){{0,4}}{_DIFFERENCE}"
        ),
    ),
    (
        ("between",),
        late(r"(?i)\bdifferences?\s+between\s+(?P<a>.+?)\s+and\s+(?P<b>.+)"),
    ),
    (
        ("compar",),
        late(r"(?i)\bcompar(?:e|ing|ison of)\s+(?P<a>.+?)\s+(?:and|with|to)\s+(?P<b>.+)"),
    ),
    (
        ("vs", "versus", "対"),
        late(
            r"(?i)(?P<a>.*\S)\s*(?<![A-Za-z0-9_.-])(?:vs\.?|versus|対)(?![A-Za-z0-9_-])"
            r"\s*(?P<b>\S.*)"
        ),
    ),
)
"""How a comparison is worded, each with the words without which it is none."""

_TIE = late(r"(?P<a>.{2,}?)の場合の(?P<b>.{2,})")
LONGEST_PART = 40
_RIM = " \t、。,.?？!！「」『』()（）:："
_BESIDE_THAT = re.compile(r"対")


def sub_questions(question: str, most: int) -> tuple[str, ...]:
    """The questions that a comparing question consists of; none when it does not compare."""
    text = tidy(question)
    lowered = text.lower()
    for cues, pattern in _PATTERNS:
        match = pattern().search(text) if any(cue in lowered for cue in cues) else None
        if match and not _is_inside_a_word(text, match):
            return _clean([match["a"], match["b"]])[:most]
    match = _TIE().search(text) if "の場合の" in text else None
    if match:
        return _clean([f"{match['a']} {match['b']}", match["b"]])[:most]
    return ()


def _is_inside_a_word(text: str, match: re.Match[str]) -> bool:
    """`対` compares between words of other scripts only: 対象 and 反対 are words."""
    between = text[match.end("a") : match.start("b")]
    return bool(_BESIDE_THAT.search(between)) and not between.startswith(" ")


def _clean(parts: Iterable[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(part.strip(_RIM) for part in parts))
    return found if len(found) > 1 and all(map(_names_something, found)) else ()


def _names_something(part: str) -> bool:
    """Tell whether it can be compared: neither half a page nor an adverb alone."""
    return len(part) <= LONGEST_PART and any(unit.weight == 1 for unit in question_of(part).units)


def bring_together(rows: list[Scored], answers: list[Gate], settings: FindSettings) -> None:
    """Mix each row's own score with its places in the answers to the sub-questions.

    Reciprocal ranks weighed by the score: what answers one part well comes before what names both
    in passing.
    """
    gains = _gains(answers, settings.manual_find_query_decomp_rrf_k)
    best = max((gains.get(row.stored.key, 0.0) for row in rows), default=0.0)
    if not best:
        return
    top = max(row.score for row in rows)
    base = settings.manual_find_query_decomp_base_weight
    for row in rows:
        gain = gains.get(row.stored.key, 0.0) / best
        if gain:
            row.signals.add("query_decomp_rrf")
        row.add("sub_questions", (1 - base) * (top * gain - row.score))


def _gains(answers: list[Gate], k: int) -> dict[Key, float]:
    gains: dict[Key, float] = {}
    for gate in answers:
        top = gate.rows[0].score
        for rank, row in enumerate(gate.rows):
            gain = (k + 1) / (k + 1 + rank) * row.score / top
            gains[row.stored.key] = gains.get(row.stored.key, 0.0) + gain
    return gains

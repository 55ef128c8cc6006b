"""Whether two sentences disagree about the same thing: one denies it, or their numbers differ.

Words of grammar and of measure only, never of one subject. Silence is safer than a false alarm:
whatever may speak of two things (two products, two years, a rule and its exception) is no conflict.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tebiki.manuals.text.characters import lazy_pattern
from tebiki.manuals.text.function_words import ENGLISH
from tebiki.manuals.text.query import literally, question_of
from tebiki.manuals.text.stemming import STEMS
from tebiki.named_tuples import NamedTuple

IDIOMS = re.compile(
    r"な(?:ければ|くては|いと)(?:ならない|なりません|いけない|いけません)|かも(?:しれ|知れ)(?:ない|ません)|しか(?:ない|ありません)"
    r"|に(?:違い|過ぎ|すぎ)(?:ない|ません)|(?:少|危)ない"
    r"|\bno (?:later|earlier|more|less|longer|fewer|matter)\b|\bnot (?:only|more|less|later)\b"
    r"|\bno\. ?[0-9]"
)
"""Denials in form that deny nothing."""

NEGATIVE = re.compile(
    r"ません|ない(?=$|[。、)」』 ]|と|が|場合|ため|の|こと|もの|で|よう|わけ)|ず(?=$|[。、 ]|に)"
    r"|対象外|除外|不可|禁止|除(?:く|きます|かれます|かれる)(?=$|[。 ])"
    r"|\bnot\b|n't\b|\bnever\b|\bno\b|\bnobody\b|\bnone\b|\bcannot\b|\bexclud|\bprohibit|\bforbid"
)
EXCEPTION = re.compile(
    r"^(?:ただし|但し|なお|例外)|を?除[きい]|を除く(?!$|[。 ])|以外|場合を除|限り"
    r"|\bexcept\b|\bunless\b|\bother than\b|^(?:however|but)\b|\bonly (?:if|when)\b"
)
"""A sentence that narrows a rule; it does not deny it."""

COUNTED = lazy_pattern(
    r"(?<![a-z0-9.,_~第-])([0-9][0-9,]*(?:\.[0-9]+)?)(?!\s?[~-]\s?[0-9]) ?"
    r"(か月|[\u4e00-\u9fff]|[\u30a1-\u30fc]+|[a-z]+|%|°)"
)
UPPER = lazy_pattern(
    r"以内|以下|まで|未満|最大|\bwithin\b|\bat most\b|\bup to\b|\bmaximum\b|less than|no more than"
)
LOWER = lazy_pattern(r"以上|超え|最低|最小|\bat least\b|\bminimum\b|\bmore than\b|no less than")

DIGITS = frozenset("0123456789")
SAME_SUBJECT = 0.6
FEWEST_SHARED = 2


class Statement(NamedTuple):
    """A folded sentence, and what stands above it: its own heading, the ones above, its file."""

    folded: str
    title: str
    trail: tuple[str, ...]
    path: str


def disagreement(one: Statement, other: Statement) -> str | None:
    """How two statements disagree, `polarity` or `number`; None when they do not."""
    if one.folded == other.folded:
        return None
    reason = _difference(one.folded, other.folded)
    return reason if reason and _is_about_the_same(one, other) else None


def _difference(one: str, other: str) -> str | None:
    if is_exception(one) != is_exception(other):
        return None
    if _is_negative(one) != _is_negative(other):
        return "polarity"
    return "number" if _numbers_differ(one, other) else None


@lru_cache(maxsize=1024)
def is_exception(folded: str) -> bool:
    """Tell whether a sentence narrows a rule."""
    return EXCEPTION.search(folded) is not None


@lru_cache(maxsize=1024)
def _is_negative(folded: str) -> bool:
    """Tell whether a sentence denies something; two denials cancel out."""
    return len(NEGATIVE.findall(IDIOMS.sub(" ", folded))) % 2 == 1


def _numbers_differ(one: str, other: str) -> bool:
    """In one unit only: a year and an amount that both differ are two facts of two years."""
    mine, yours = _numbers(one), _numbers(other)
    if sum(not mine[unit] & yours[unit] for unit in mine.keys() & yours.keys()) != 1:
        return False
    # At least so many, at most so many: both can hold.
    return sorted([_bounds(one), _bounds(other)]) != [(False, True), (True, False)]


def _bounds(folded: str) -> tuple[bool, bool]:
    """Tell whether a sentence says at most how many, and at least."""
    return UPPER().search(folded) is not None, LOWER().search(folded) is not None


@lru_cache(maxsize=1024)
def _numbers(folded: str) -> dict[str, set[float]]:
    """Numbers by their unit."""
    found: dict[str, set[float]] = {}
    for number, unit in () if DIGITS.isdisjoint(folded) else COUNTED().findall(folded):
        if unit not in ENGLISH:
            found.setdefault(STEMS[unit], set()).add(float(number.replace(",", "")))
    return found


def _is_about_the_same(one: Statement, other: Statement) -> bool:
    mine, yours = content(one.folded), content(other.folded)
    if len(mine & yours) < max(FEWEST_SHARED, SAME_SUBJECT * max(len(mine), len(yours))):
        return False
    my_title, your_title = names(one.title), names(other.title)
    if mine - yours - your_title and yours - mine - my_title:
        return False  # each names something that the other does not
    return not _headings_part(one, other, my_title - yours, your_title - mine)


def _headings_part(
    one: Statement, other: Statement, mine: frozenset[str], yours: frozenset[str]
) -> bool:
    """Tell whether the headings say that the same words are about two things."""
    if one.title == other.title:
        above = names(" ".join(one.trail)), names(" ".join(other.trail))
        return bool(above[0] - above[1] and above[1] - above[0])
    are_siblings = one.path == other.path and one.trail == other.trail
    are_parallel = bool(mine & yours)
    return (are_siblings or are_parallel) and bool(mine - yours and yours - mine)


@lru_cache(maxsize=1024)
def names(heading: str) -> frozenset[str]:
    """What a heading speaks of, to the letter: a single one can tell two things apart."""
    return frozenset(
        token for unit in literally(heading).units for token in unit.grams + unit.words
    )


@lru_cache(maxsize=1024)
def content(folded: str) -> frozenset[str]:
    """What a text speaks of, without its numbers and its denials."""
    plain = COUNTED().sub(" ", NEGATIVE.sub(" ", IDIOMS.sub(" ", folded)))
    return frozenset(
        token
        for unit in question_of(plain).units
        if unit.weight == 1
        for token in (unit.grams or unit.words)
    )

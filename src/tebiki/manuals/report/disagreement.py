"""Whether two statements disagree: one denies what the other says, or their numbers differ.

Judged by words of grammar, of measure and of argument only, never of one subject. Silence is safer
than a false alarm: whatever may speak of two things (two products, two years, a rule and its
exception) is no conflict. Pure functions over folded text.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tebiki.manuals.text.amounts import AMOUNTS, amount_pattern
from tebiki.manuals.text.folding import is_japanese, lazy_pattern
from tebiki.manuals.text.query import ENGLISH, literally, question_of
from tebiki.named_tuples import NamedTuple

IDIOMS = re.compile(
    r"な(?:ければ|くては|いと)(?:ならない|なりません|いけない|いけません)|かも(?:しれ|知れ)(?:ない|ません)|しか(?:ない|ありません)"
    r"|に(?:違い|過ぎ|すぎ)(?:ない|ません)|(?:少|危)ない"
    r"|\bno (?:later|earlier|more|less|longer|fewer|matter)\b|\bnot (?:only|more|less|later)\b"
    r"|\bno\. ?[0-9]"
)
"""Denials in form that deny nothing."""

NEGATIVE = lazy_pattern(
    r"ません|ない(?=$|[。、)」』 ]|と|が|場合|ため|の|こと|もの|で|よう|わけ)|なかった"
    r"|ず(?=$|[。、 ]|に)"
    r"|対象外|適用外|除外|不可能?|不要|無効|無料|無制限|禁止|[非未]対応"
    r"|任意(?=です|である|と|。|$)|除(?:く|きます|かれます|かれる)(?=$|[。 ])"
)
_NEGATIVE_WORDS = """
not never no nobody none cannot exclude excludes excluded excluding exclusion
prohibit prohibits prohibited prohibiting forbid forbids forbidden forbidding
disallow disallows disallowed ban bans banned impossible invalid disable disables disabled
optional refuse refuses refused reject rejects rejected unable unnecessary unsupported
unavailable unneeded unrequired unlimited ineligible incompatible
"""
NEGATIVE_WORDS = frozenset(_NEGATIVE_WORDS.split())
"""Denials: of grammar, and by a word that says the opposite of another."""

POSITIVE = lazy_pattern(
    r"対象|適用|可能|必要|必須|有効|有料|制限|許可|対応"
    r"|\b(?:allow|permit|includ|enabl|accept|requir|support|limit)(?:e|es|ed|s|ing)?\b"
    r"|\b(?:possible|necessary|needed|mandatory|valid|available|able|must|may)\b"
)
"""What the words above deny: neither is what a sentence is about."""

EXCEPTION = re.compile(
    r"^(?:ただし|但し|なお|例外)|を?除[きい]|を除く(?!$|[。 ])|以外|場合を除|限り"
    r"|\bexcept\b|\bunless\b|\bother than\b|^(?:however|but)\b|\bonly (?:if|when)\b"
)
"""A sentence that narrows a rule; it does not deny it."""

UPPER = lazy_pattern(
    r"以内|以下|まで|未満|最大|\bwithin\b|\bat most\b|\bup to\b|\bmaximum\b|less than|no more than"
)
LOWER = lazy_pattern(r"以上|超え|最低|最小|\bat least\b|\bminimum\b|\bmore than\b|no less than")

EDITIONS = lazy_pattern(
    r"改[訂定正]版?|最新版?|[新旧]版|第[0-9]+版|補足|概要|詳細|説明|案内|参考|付録|追記|について|よくある質問"
    r"|\b(?:revis(?:ed|ion)|updated?|editions?|about|notes?|overview|details?|summary|supplement|appendix"
    r"|guide|faq|introduction|reference|in detail)\b"
)
"""Words of a heading that tell which text it is, and not what of."""

ENGLISH_WORDS = re.compile("[a-z]+(?:'t)?")
CODE_MARKS = lazy_pattern(r"[{}<>=]|;$|\w\(|\):|^[\w-]+: \S+$")
_IN_CODE = "do for from i if in no not of s t this while with"
PROSE = ENGLISH - frozenset(_IN_CODE.split())
"""Words that stand in every sentence, and seldom in code."""

SAME_SUBJECT = 0.6
FEWEST_SHARED = 2
RESTATED = 0.75
"""The share of two sentences, from both ends, in which the one repeats the other."""

SPECIFIC = 28
"""Columns of a sentence that is said again by intent, and not because it is so short."""

PARALLEL = 1 / 3
"""The share of all words that headings of two things of one kind have in common: 製品A, 製品B."""


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
    if reason is None or not (_is_prose(one.folded) and _is_prose(other.folded)):
        return None
    return reason if _is_about_the_same(one, other) else None


@lru_cache(maxsize=1024)
def _is_prose(folded: str) -> bool:
    """Tell a sentence from a line of code, which states nothing."""
    if not folded.isascii():
        return True
    words = ENGLISH_WORDS.findall(folded)
    return not (PROSE if CODE_MARKS().search(folded) else ENGLISH).isdisjoint(words)


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
    # Most deny nothing, not even in form.
    return _denials_in(folded) > 0 and _denials_in(IDIOMS.sub(" ", folded)) % 2 == 1


def _denials_in(folded: str) -> int:
    found = 0 if folded.isascii() else len(NEGATIVE().findall(folded))
    return found + sum(map(_denies, ENGLISH_WORDS.findall(folded)))


def _denies(word: str) -> bool:
    return word in NEGATIVE_WORDS or word.endswith("n't")


def _numbers_differ(one: str, other: str) -> bool:
    """In one place, or one unit, only: a year and an amount that both differ are two facts."""
    mine, yours = AMOUNTS[one], AMOUNTS[other]
    if not mine.every or not yours.every:
        return False
    if mine.rest == yours.rest:
        values = zip(mine.every, yours.every, strict=True)
        return sum(a.value != b.value for a, b in values) == 1
    my_units, your_units = mine.by_unit(), yours.by_unit()
    shared = my_units.keys() & your_units.keys()
    if sum(not my_units[unit] & your_units[unit] for unit in shared) != 1:
        return False
    # At least so many, at most so many: both can hold.
    return sorted([_bounds(one), _bounds(other)]) != [(False, True), (True, False)]


def _bounds(folded: str) -> tuple[bool, bool]:
    """Tell whether a sentence says at most how many, and at least."""
    return UPPER().search(folded) is not None, LOWER().search(folded) is not None


def _is_about_the_same(one: Statement, other: Statement) -> bool:
    mine, yours = content(one.folded), content(other.folded)
    my_title, your_title = names(one.title), names(other.title)
    if mine - yours - your_title and yours - mine - my_title:
        return False  # each names something that the other does not
    if one.path != other.path and is_restated(one.folded, other.folded):
        return not _are_parallel(one, other)
    if len(mine & yours) < max(FEWEST_SHARED, SAME_SUBJECT * max(len(mine), len(yours))):
        return False
    return not _headings_part(one, other, my_title - yours, your_title - mine)


def is_restated(one: str, other: str) -> bool:
    """Tell whether one sentence is the other but for a few letters, and long enough to be."""
    if min(_columns(one), _columns(other)) < SPECIFIC:
        return False
    most = max(len(one), len(other))
    begun = _begin_alike(one, other)
    ended = _begin_alike(one[begun:][::-1], other[begun:][::-1])
    return begun + ended >= RESTATED * most


def _columns(text: str) -> int:
    """How wide a text is: a Japanese character takes two columns."""
    return len(text) if text.isascii() else len(text) + sum(map(is_japanese, text))


def _begin_alike(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    for place, (mine, yours) in enumerate(zip(one, other, strict=False)):
        if mine != yours:
            return place
    return min(len(one), len(other))


def _are_parallel(one: Statement, other: Statement) -> bool:
    """Tell whether the headings name two things of one kind, of which one sentence may be said."""
    if one.title != other.title:
        return _is_parallel(names(one.title), names(other.title))
    return _is_parallel(names(" ".join(one.trail)), names(" ".join(other.trail)))


def _is_parallel(mine: frozenset[str], yours: frozenset[str]) -> bool:
    if not (mine - yours and yours - mine):
        return False
    return len(mine & yours) >= PARALLEL * len(mine | yours)


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
    subject = EDITIONS().sub(" ", heading.lower())
    return frozenset(
        token for unit in literally(subject).units for token in unit.grams + unit.words
    )


@lru_cache(maxsize=1024)
def content(folded: str) -> frozenset[str]:
    """What a text speaks of, without its numbers and its denials."""
    plain = IDIOMS.sub(" ", folded)
    if not plain.isascii():
        plain = NEGATIVE().sub(" ", plain)
    plain = ENGLISH_WORDS.sub(_without_denial, plain)
    plain = POSITIVE().sub(" ", plain)
    plain = amount_pattern(plain).sub(" ", plain)
    return frozenset(
        token
        for unit in question_of(plain).units
        if unit.weight == 1
        for token in (unit.grams or unit.words)
    )


def _without_denial(match: re.Match[str]) -> str:
    return " " if _denies(match[0]) else match[0]

"""Whether two statements disagree: one denies what the other says, or their numbers differ.

Judged by words of grammar, of measure and of argument only, never of one subject. Silence is safer
than a false alarm: whatever may speak of two things (two products, two years, a rule and its
exception) is no conflict. Pure functions over folded text.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tebiki.manuals.report.cases import are_of_two_cases
from tebiki.manuals.report.differing_numbers import (
    LOWER,
    UPPER,
    name_other_numbers,
    numbers_differ,
)
from tebiki.manuals.report.prose import ENGLISH_WORDS, QUOTED, code_in, is_prose
from tebiki.manuals.text.amounts import (
    amount_pattern,
    dates_in_words,
    whole_amounts,
    without_amounts,
)
from tebiki.manuals.text.folding import is_japanese, is_kanji, lazy_pattern, lower
from tebiki.manuals.text.query import literally, question_of
from tebiki.named_tuples import NamedTuple

IDIOMS = re.compile(
    r"な(?:ければ|くては|いと)(?:ならない|なりません|いけない|いけません)|かも(?:しれ|知れ)(?:ない|ません)|しか(?:ない|ありません)"
    r"|に(?:違い|過ぎ|すぎ)(?:ない|ません)|(?:少|危)ない"
    r"|(?:^|[。、 ])(?:まず|ひとまず)(?=[、 ])|必ず|はず(?=[。、 ])|いずれ|思わず"
    r"|少なからず|相変わらず"
    r"|\bno (?:later|earlier|more|less|longer|fewer|matter)\b|\bnot (?:only|more|less|later)\b"
    r"|\bno\. ?[0-9]"
)
"""Denials in form that deny nothing."""

NEGATIVE = lazy_pattern(
    r"ません|ない(?=$|[。、)」』 ]|と|が|場合|ため|の|こと|もの|で|よう|わけ)|なかった"
    r"|ず(?=$|[。、 ]|に)"
    r"|対象外|適用外|除外|不可能?|不要|無効|無料|無制限|禁止|禁じ|[非未]対応|拒否|お断り|断ります"
    r"|かね(?:ます|る(?=$|[。、]))|(?<=[\u4e00-\u9fff\u30a1-\u30fc])なし(?=$|[。、 ]|です|と)"
    r"|休[業館診園]|閉[館店園](?=し|中)|オフ(?=[にでの])"
    r"|省略(?=でき|可)|税抜|任意(?=です|である|と|。|$)|除(?:く|きます|かれます|かれる)(?=$|[。 ])"
)
_NEGATIVE_WORDS = """
not never no nobody none cannot exclude excludes excluded excluding exclusion
prohibit prohibits prohibited prohibiting forbid forbids forbidden forbidding
disallow disallows disallowed ban bans banned impossible invalid disable disables disabled
optional refuse refuses refused reject rejects rejected unable unnecessary unsupported
voluntary closed unavailable unneeded unrequired unlimited ineligible incompatible lack lacks lacked
"""
NEGATIVE_WORDS = frozenset(_NEGATIVE_WORDS.split())
"""Denials: of grammar, and by a word that says the opposite of another."""

GRAMMAR = lazy_pattern(
    r"ません|ない|なかった|ず(?=$|[。、 ]|に)|\b(?:not|never|no|nobody|none|cannot)\b|n't\b"
)
"""Denials that deny whatever they stand with; other words deny their counterpart alone."""

POSITIVE = lazy_pattern(
    r"対象|適用|可能|必要|必須|義務|有効|有料|制限|許可|対応|税込|税抜|オン(?=[にでの])|自由(?=[にでの])"
    r"|営業(?=し|中)|開(?:館|店|園|場)(?=し|中)"
    r"|\b(?:allow|permit|includ|enabl|accept|requir|support|limit)(?:e|es|ed|s|ing)?\b"
    r"|\b(?:possible|necessary|needed|mandatory|valid|available|able|must|may|open)\b"
)
"""What the words above deny: neither is what a sentence is about."""

EXCEPTION = re.compile(
    r"^(?:ただし|但し|なお|例外)|を?除[きい]|を除く(?!$|[。 ])|以外|場合を除|限り"
    r"|\bexcept\b|\bunless\b|\bother than\b|^(?:however|but)\b|\bonly (?:if|when)\b"
)
"""A sentence that narrows a rule; it does not deny it."""

EXAMPLE = lazy_pattern(
    r"^(?:[・*-] ?)?(?:例えば|たとえば|例:|例として|for (?:example|instance)\b|e\.g\.)"
)
"""An example has numbers of its own."""

OPPOSITE = lazy_pattern(r"\b(?:(?:un|non-?|dis)(?P<word>[a-z]{4,})|off)\b")
OPPOSITE_IN_KANJI = lazy_pattern(r"[未非不無](?P<kanji>[\u4e00-\u9fff]{1,2})")
"""Words that deny what another sentence says: off, and by how they begin unpaid, 非公開, 無償."""

QUALIFIED = " ()[]<>「」『』【】・:/|-"
"""After these a heading tells which of several things of one kind is meant: 料金(法人)."""

IDENTIFIER = lazy_pattern("[a-z0-9\u30a1-\u30fc]")

EDITIONS = lazy_pattern(
    r"改[訂定正]版?|最新版?|[新旧]版|第[0-9]+版|補足|概要|詳細|説明|案内|参考|付録|追記|について|よくある質問"
    r"|\b(?:revis(?:ed|ion)|updated?|editions?|about|notes?|overview|details?|summary|supplement|appendix"
    r"|guide|faq|introduction|reference|in detail)\b"
)
"""Words of a heading that tell which text it is, and not what of."""

TOPIC_ENDS = ("は", "が", ":", "は、", "が、")
SAME_SUBJECT = 0.6
FEWEST_SHARED = 2
RESTATED = 0.75
"""The share of two sentences, from both ends, in which the one repeats the other."""

SPECIFIC = 28
"""Columns of a sentence that is said again by intent, and not because it is so short."""

SAME_EXAMPLE = 2 * SPECIFIC
"""Columns of an example that is said again: shorter ones are alike, and have their own numbers."""

SHORTEST_SIDE = 2
"""A single kanji behind a name is a name as well: 会議室桜."""

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
    one, other = _spell_out(one, other), _spell_out(other, one)
    reason = _difference(one.folded, other.folded)
    if reason == "number" and _are_two_examples(one, other):
        return None
    if reason is None or _are_said_of_two_things(one.folded, other.folded):
        return None
    are_prose = is_prose(one.folded) and is_prose(other.folded)
    return reason if are_prose and _is_about_the_same(one, other) else None


def _spell_out(one: Statement, other: Statement) -> Statement:
    """A statement with a denial in place of each word that denies one of the other: 非公開."""
    mine, yours = one.folded, other.folded
    if not _may_be_opposite(mine):  # as most
        return one
    if mine.isascii():
        words = frozenset(ENGLISH_WORDS.findall(yours))
        told = OPPOSITE().sub(
            lambda match: f"not {word}" if (word := match["word"] or "on") in words else match[0],
            mine,
        )
    else:
        told = OPPOSITE_IN_KANJI().sub(lambda match: _without_prefix(match, yours), mine)
    return one._replace(folded=told) if told != mine else one


@lru_cache(maxsize=1024)
def _may_be_opposite(folded: str) -> bool:
    """Tell whether a text has a word that begins as one that denies another."""
    pattern = OPPOSITE if folded.isascii() else OPPOSITE_IN_KANJI
    return pattern().search(folded) is not None


def _without_prefix(match: re.Match[str], yours: str) -> str:
    kanji, whole = match["kanji"], match[0]
    if whole in yours:
        return whole
    if whole[0] == "無" and f"有{kanji[0]}" in yours:
        return f"有{kanji}ない。"
    return f"{kanji}ない。" if len(kanji) > 1 and kanji in yours else whole


def _difference(one: str, other: str) -> str | None:
    if is_exception(one) != is_exception(other):
        return None
    if _is_negative(one) != _is_negative(other):
        return None if name_other_numbers(one, other) else "polarity"
    return "number" if numbers_differ(one, other) else None


def _are_two_examples(one: Statement, other: Statement) -> bool:
    """Tell whether one gives an example, and the other does not say the same again at length."""
    if not (EXAMPLE().search(one.folded) or EXAMPLE().search(other.folded)):
        return False
    is_same = one.path != other.path and is_restated(one.folded, other.folded, SAME_EXAMPLE)
    return not is_same


@lru_cache(maxsize=1024)
def is_exception(folded: str) -> bool:
    """Tell whether a sentence narrows a rule."""
    return EXCEPTION.search(folded) is not None


@lru_cache(maxsize=1024)
def _is_negative(folded: str) -> bool:
    """Tell whether a sentence denies something; two denials cancel out."""
    if not _denials_in(folded):  # as most, not even in form
        return False
    # What is quoted as code, such as `none`, is a name.
    return _denials_in(IDIOMS.sub(" ", QUOTED.sub(" ", folded))) % 2 == 1


def _denials_in(folded: str) -> int:
    found = 0 if folded.isascii() else len(NEGATIVE().findall(folded))
    return found + sum(map(_denies, ENGLISH_WORDS.findall(folded)))


def _denies(word: str) -> bool:
    return word in NEGATIVE_WORDS or word.endswith("n't")


def _is_about_the_same(one: Statement, other: Statement) -> bool:
    mine, yours = content(one.folded), content(other.folded)
    my_title, your_title = names(one.title), names(other.title)
    mine_alone = (mine | lone_kanji(one.folded)) - yours - lone_kanji(other.folded)
    yours_alone = (yours | lone_kanji(other.folded)) - mine - lone_kanji(one.folded)
    if mine_alone - your_title and yours_alone - my_title:
        return False  # each names something that the other does not
    if (my_title - your_title and your_title - my_title) and (
        mine_alone & my_title - your_title or yours_alone & your_title - my_title
    ):
        return False  # what one of them names besides is what it is about
    if one.path != other.path and is_restated(one.folded, other.folded):
        return _names_enough(one.folded) and not _are_parallel(one, other)
    if _is_met(one.folded, yours - mine) or _is_met(other.folded, mine - yours):
        return False
    # What is the same but for a number is about the same, however little it says.
    is_same = whole_amounts(one.folded).rest == whole_amounts(other.folded).rest
    # So is what has one subject, which both headings name.
    is_named = mine == yours and bool(mine & my_title & your_title)
    fewest = 1 if is_same or is_named else FEWEST_SHARED
    if len(mine & yours) < max(fewest, SAME_SUBJECT * max(len(mine), len(yours))):
        return False
    return not _headings_part(one, other, my_title - yours, your_title - mine)


@lru_cache(maxsize=1024)
def _names_enough(folded: str) -> bool:
    """Tell whether a sentence says what it is about: "since 3.4 only" stands in many places."""
    plain = LOWER().sub(" ", UPPER().sub(" ", folded))
    pattern = amount_pattern(plain)
    if len(question_of(pattern.sub(_counted_thing, plain)).units) >= FEWEST_SHARED:
        return True
    first = pattern.search(folded)
    topic = folded[: first.start()] if first else ""
    return topic.endswith(TOPIC_ENDS) and bool(question_of(topic).units)


def _counted_thing(match: re.Match[str]) -> str:
    """In English what is counted is named behind its number: 5 devices."""
    return f" {match['unit'] or match['thing'] or ''} " if match.string.isascii() else " "


def _are_said_of_two_things(one: str, other: str) -> bool:
    """Tell whether both quote some code of their own, or one is said of before, one of after."""
    mine, yours = code_in(one), code_in(other)
    return bool(mine - yours and yours - mine) or are_of_two_cases(one, other)


def _is_met(denial: str, others: frozenset[str]) -> bool:
    """Tell whether a sentence denies by a word, and what the other says is simply something else.

    "That is invalid" denies "that is valid", but not "that has unexpected effects".
    """
    return bool(others) and _is_negative(denial) and GRAMMAR().search(denial) is None


def is_restated(one: str, other: str, shortest: int = SPECIFIC) -> bool:
    """Tell whether one sentence is the other but for a few letters, and long enough to be."""
    if min(_columns(one), _columns(other)) < shortest:
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
        mine, yours = one.title, other.title
    else:
        mine, yours = " ".join(one.trail), " ".join(other.trail)
    my_names, your_names = names(mine), names(yours)
    if not (my_names - your_names and your_names - my_names):
        return False
    shared = len(my_names & your_names)
    return shared >= PARALLEL * len(my_names | your_names) and _name_two(mine, yours)


@lru_cache(maxsize=1024)
def _name_two(one: str, other: str) -> bool:
    """Tell headings of two things of one kind from those of two sides of one thing.

    The kind stands at the same end of both: 製品A and 製品B, Basic plan and Premium plan. What
    follows the same name in Japanese, 休暇の種類 and 休暇の申請, is a side of it, unless it is a
    name too.
    """
    mine, yours = lower(one.strip()), lower(other.strip())
    begun, ended = _begin_alike(mine, yours), _begin_alike(mine[::-1], yours[::-1])
    if ended and (not mine.isascii() or _ends_word(mine[::-1], yours[::-1], ended)):
        return True
    if not begun or mine.isascii():
        return bool(begun) and _ends_word(mine, yours, begun)
    rests = [text[begun:] for text in (mine, yours)]
    if mine[begun - 1] in QUALIFIED or any(rest[:1] in QUALIFIED for rest in rests):
        return True
    return any(len(rest) < SHORTEST_SIDE or IDENTIFIER().search(rest) for rest in rests)


def _ends_word(one: str, other: str, place: int) -> bool:
    """Tell whether a word has ended within what two texts have in common at their beginning."""
    return any(not text[place : place + 1].isalpha() for text in (one, other)) or " " in one[:place]


def _headings_part(
    one: Statement, other: Statement, mine: frozenset[str], yours: frozenset[str]
) -> bool:
    """Tell whether the headings say that the same words are about two things."""
    if one.title == other.title:
        above = names(" ".join(one.trail)), names(" ".join(other.trail))
        return bool(above[0] - above[1] and above[1] - above[0])
    are_siblings = one.path == other.path and one.trail == other.trail
    shared = names(one.title) & names(other.title)
    are_parallel = bool(shared) and _name_two(one.title, other.title)
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
    plain = dates_in_words().sub(" ", plain)
    plain = without_amounts(plain)
    return frozenset(
        token
        for unit in question_of(plain).units
        if unit.weight == 1
        for token in (unit.grams or unit.words)
    )


@lru_cache(maxsize=1024)
def lone_kanji(folded: str) -> frozenset[str]:
    """Words of one kanji, which tell two things apart as others do: 夏の設定, 冬の設定."""
    if folded.isascii():
        return frozenset()
    plain = without_amounts(folded)
    return frozenset(
        unit.surface
        for unit in question_of(plain).units
        if unit.words and len(unit.surface) == 1 and is_kanji(unit.surface)
    )


def _without_denial(match: re.Match[str]) -> str:
    return " " if _denies(match[0]) else match[0]

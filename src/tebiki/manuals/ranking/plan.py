"""A question and its required terms, weighed by a manual: how rare they are and how spelled.

Asks the index for counts only. Sections are scored in `scoring`.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from tebiki.manuals.index.values import Clause, SectionQuery, rarities_of
from tebiki.manuals.ranking.settings import CONSTANTS
from tebiki.manuals.text.folding import fold, is_japanese, is_kanji, is_katakana, lower, tidy
from tebiki.manuals.text.query import Question, Unit, literally, question_of
from tebiki.manuals.text.spellings import closest, most_slips, variants
from tebiki.manuals.text.symbols import needed_symbols
from tebiki.manuals.text.tokenizer import (
    NUMBERS,
    STEMS,
    counted_tokens,
    runs_of,
    spell_words,
    word_tokens,
)
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.manuals.index.values import Postings, Stored

MISSPELT_WEIGHT = 0.7
SHORTEST_MISSPELT = 5
MOST_MISSPELT = 8
"""Words of one question that are looked up: each is compared with all that begin like it."""


def _never() -> bool:
    return False


class Weighed(NamedTuple):
    """A token: how it is looked for in a text or its words, its weight, its rarity, both."""

    token: str
    wanted: str
    is_gram: bool
    weight: float
    idf: float
    worth: float


class Part(NamedTuple):
    """A unit of the question with its tokens' rarity; `needle` finds it in folded text."""

    unit: Unit
    tokens: tuple[tuple[str, float], ...]
    total: float
    mass: float
    needle: str


class Plan(NamedTuple):
    """A question ready to score sections with."""

    question: Question
    tokens: tuple[Weighed, ...]
    parts: tuple[Part, ...]
    mass: float

    @property
    def mean(self) -> float:
        """What one unit is worth."""
        return self.mass / max(1, len(self.parts))

    @property
    def names(self) -> frozenset[str]:
        """What it names, as its parts are written."""
        return frozenset(part.unit.surface for part in self.parts)

    def share_in(self, folded: str) -> float:
        """How much of the question a folded text holds, from 0 to 1."""
        held = sum(part.mass for part in self.parts if part.needle in folded)
        return held / self.mass if self.mass else 0.0

    def weights(self) -> dict[str, float]:
        """Weights by token, for the index."""
        return {weighed.token: weighed.weight for weighed in self.tokens}


def tokens_of(text: str) -> Iterator[str]:
    """What the index is asked for to weigh a question or a term."""
    return (token for unit in question_of(text).units for token in unit.grams + unit.words)


def weigh_question(
    question: Question, postings: Postings, stop: Callable[[], bool] = _never
) -> Plan:
    """Weigh a question by a manual; when `stop` says so, with its words as they are spelled."""
    tokens: dict[str, Weighed] = {}
    parts: list[Part] = []
    spelling = _Spelling(postings, stop)
    units = [spelling.of(unit) for unit in question.units]
    rarity = rarities_of([token for unit in units for token in unit.grams + unit.words], postings)
    for spelled in units:
        every = [(token, True) for token in spelled.grams] + [(t, False) for t in spelled.words]
        weight = spelled.weight / len(every) ** CONSTANTS.share_exponent
        rarities = []
        for token, is_gram in every:
            known, idf = tokens.get(token), rarity[token]
            rarities.append((token, idf))
            if known is None or known.weight < weight:
                wanted = token if is_gram else f" {token} "
                tokens[token] = Weighed(token, wanted, is_gram, weight, idf, weight * idf)
        total = sum(idf for _, idf in rarities)
        mass = spelled.weight * max(idf for _, idf in rarities)
        parts.append(Part(spelled, tuple(rarities), total, mass, _needle(spelled)))
    return Plan(question, tuple(tokens.values()), tuple(parts), sum(part.mass for part in parts))


def plan_of(text: str, postings: Postings, stop: Callable[[], bool] = _never) -> Plan:
    """Take a question apart and weigh it; by its letters when the manual has none of its words."""
    plan = weigh_question(question_of(text), postings, stop)
    if any(postings.frequency(weighed.token) for weighed in plan.tokens):
        return plan
    return weigh_question(literally(text), postings, stop)


class _Spelling:
    """Looks up words that a manual does not have; a few of them, and while there is time."""

    def __init__(self, postings: Postings, stop: Callable[[], bool]) -> None:
        self._postings = postings
        self._stop = stop
        self._left = MOST_MISSPELT

    def of(self, unit: Unit) -> Unit:
        """A word the manual does not have, in the closest spelling that it has."""
        word = unit.surface
        if unit.grams or len(word) < SHORTEST_MISSPELT or not (word.isascii() and word.isalpha()):
            return unit
        if any(self._postings.frequency(token) for token in unit.words):
            return unit
        if not self._left or self._stop():
            return unit
        self._left -= 1
        stem = STEMS[word]
        best = closest(stem, self._postings.near(stem, most_slips(stem)))
        if best is None:
            return unit
        return Unit(best, (), (best,), unit.weight * MISSPELT_WEIGHT, unit.group)


def _needle(unit: Unit) -> str:
    """What to look for in a text: a word without the ending that its stem loses."""
    if unit.grams or not unit.surface.isascii():
        return unit.surface
    stem = STEMS[unit.surface]
    return stem if unit.surface.startswith(stem) else stem[:-1] or unit.surface


TOO_COMMON = 0.85
TOO_RARE = 0.02
FEWEST_SECTIONS = 20
"""In a smaller manual a common term says little, and is kept."""

MOST_VERIFIED = 400
"""Up to so many sections are read to count a term; of more, the index alone tells the number."""

SHORTEST_INFLECTED = 4
WORTH_EXPONENT = 0.7
MARKED_SPACE = "[ `*_]{1,6}"
"""Between two words, with the marks of style around either."""


class Spelled(NamedTuple):
    """How a term is found: folded in its spellings, and as a clause of the index.

    `words` are the spellings of a term of plain words, as the tokens of a text have them, and
    `pattern` finds one of words with symbols. `is_plain` when the index can count it alone.
    """

    spellings: tuple[str, ...]
    words: tuple[str, ...]
    pattern: re.Pattern[str] | None
    clause: Clause
    is_plain: bool

    @property
    def is_exact(self) -> bool:
        """Tell whether the sections that satisfy the clause are those that have the term.

        By its symbols the index finds a term to the letter, and by one symbol what it pairs with.
        """
        return self.is_plain and not self.clause.infix and not self.clause.symbols

    def occurs_in(self, stored: Stored) -> bool:
        """Tell whether a section has the term: in its text, its headings or its path.

        A term of words is none of the letters inside another word; Japanese has no such borders.
        """
        body, head = stored.body, stored.head
        if self.pattern is not None:
            return bool(self.pattern.search(body.folded) or self.pattern.search(head.folded))
        wanted = self.words or self.spellings
        here, above = (body.words, head.words) if self.words else (body.folded, head.folded)
        return any(spelling in here or spelling in above for spelling in wanted)


class RequiredTerm(NamedTuple):
    """A term as asked for and folded, how it is found, and what the manual makes of it."""

    text: str
    folded: str
    spelled: Spelled
    sections: int
    ratio: float
    worth: float

    @property
    def reason(self) -> str | None:
        """What the guard says: too_common, too_rare or nothing."""
        if self.ratio > TOO_COMMON:
            return "too_common"
        return "too_rare" if 0 < self.ratio < TOO_RARE else None

    def occurs_in(self, stored: Stored) -> bool:
        """Tell whether a section has the term."""
        return self.spelled.occurs_in(stored)


def look_up_term(text: str, postings: Postings, spelled: Spelled | None = None) -> RequiredTerm:
    """Look a term up in a manual; `spelled` is how that is done at first, where it is known."""
    spelled = spelled or _spell_term(text)
    sections = sections_with((spelled,), postings)
    if not sections and any(" " in one.strip() for one in spelled.words):
        # None of its words stands beside the next: one may be a name that is written in parts.
        joined = _spell_joined(text)
        if found := sections_with((joined,), postings):
            spelled, sections = joined, found
    tokens = list(tokens_of(text))
    rarity = rarities_of(tokens, postings)
    return RequiredTerm(
        text=text,
        folded=fold(text),
        spelled=spelled,
        sections=sections,
        ratio=sections / postings.sections if postings.sections else 0.0,
        worth=sum([rarity[token] for token in tokens]) / max(1, len(tokens)) ** WORTH_EXPONENT,
    )


def spellings_of(required: tuple[str, ...]) -> tuple[Spelled, ...]:
    """How some terms are looked for at first."""
    return tuple(map(_spell_term, required))


def clauses_of(required: tuple[Spelled, ...]) -> Iterator[tuple[Clause, ...]]:
    """What the index is asked to count for some terms: each of them, and all together."""
    every = tuple(term.clause for term in required)
    yield from ((one,) for one in every)
    if len(every) > 1:
        yield every


def _spell_term(text: str) -> Spelled:
    folded, tidied = fold(text), tidy(text)
    has_japanese = any(map(is_japanese, tidied))
    symbols = needed_symbols(folded)
    words = () if has_japanese or _has_symbols(tidied) else _as_tokens(tidied)
    clause = _clause(tidied, words)._replace(symbols=() if words else symbols.phrases)
    if symbols.is_all:
        clause = Clause((), symbols=symbols.phrases)
    return Spelled(
        spellings=variants(folded),
        words=words,
        pattern=None if has_japanese or words else _pattern(folded),
        clause=clause,
        is_plain=bool(words) or symbols.is_all or _is_one_run(tidied),
    )


def _spell_joined(text: str) -> Spelled:
    """A term of several words, each of which may be a name in small letters: `startupprobe field`.

    A text has such a name by its parts, with its joined form elsewhere, so its letters are read.
    """
    folded = fold(text)
    words = [word_tokens(run)[-1] for _, run in runs_of(folded)]
    return Spelled(
        spellings=(folded,),
        words=(),
        pattern=_pattern(folded, MARKED_SPACE),
        clause=Clause(tuple(((word,),) for word in words)),
        is_plain=False,
    )


def sections_with(terms: tuple[Spelled, ...], postings: Postings) -> int:
    """How many sections of the manual have all of some terms.

    Counted by the index, and read where the index cannot be sure and they are not too many.
    """
    to_read = sections_to_read(terms, postings)
    if to_read is None:
        return postings.count(*(term.clause for term in terms))
    return sum(all(term.occurs_in(one) for term in terms) for one in postings.best(to_read))


def sections_to_read(terms: tuple[Spelled, ...], postings: Postings) -> SectionQuery | None:
    """Ask for the sections that may have all of some terms; None where the index alone can tell."""
    clauses = tuple(term.clause for term in terms)
    counted = postings.count(*clauses)
    if not counted or counted > MOST_VERIFIED or all(term.is_plain for term in terms):
        return None
    return SectionQuery({}, MOST_VERIFIED, must=clauses)


def _clause(tidied: str, words: tuple[str, ...]) -> Clause:
    """What the index can check of a term; the text has the last word."""
    if words:
        return Clause((_phrases(words),))
    runs = [run for _, run in runs_of(tidied)]
    japanese = [_bigrams(run) for run in runs if is_japanese(run[0])]
    others = [_phrases(_as_tokens(run)) for run in runs if not is_japanese(run[0])]
    found = (*filter(None, japanese), *others, *_number_runs(tidied))
    if found:
        return Clause(found)
    return Clause((), runs[0] if runs else "")


def _is_one_run(tidied: str) -> bool:
    return [run for _, run in runs_of(tidied)] == [tidied]


def _has_symbols(tidied: str) -> bool:
    """Tell whether there is anything beside words and the spaces between them."""
    return sum(len(run) for _, run in runs_of(tidied)) + tidied.count(" ") < len(tidied)


def _bigrams(run: str) -> tuple[tuple[str, ...], ...]:
    """A run of Japanese in its spellings, each as the bigrams it consists of."""
    spelled = (tuple(one + other for one, other in pairwise(text)) for text in variants(run))
    return tuple(filter(None, spelled))


def _number_runs(tidied: str) -> list[tuple[tuple[str, ...], ...]]:
    """Numbers with what they count."""
    found: list[tuple[tuple[str, ...], ...]] = []
    for match in NUMBERS.finditer(tidied):
        after = tidied[match.end() : match.end() + 1]
        if is_kanji(after) or is_katakana(after):
            found.append(tuple((token,) for token in counted_tokens("", match.group(), after)))
    return found


def _as_tokens(tidied: str) -> tuple[str, ...]:
    """How words stand among the tokens of a text: names by their parts, and in small letters."""
    spelled = dict.fromkeys(spell_words(one) for one in (tidied, lower(tidied)))
    return tuple(f" {one} " for one in spelled if one)


def _phrases(spelled: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(spelling.split()) for spelling in spelled)


def _pattern(folded: str, space: str = " ") -> re.Pattern[str]:
    """Words with symbols, to the letter; a word between spaces may have another ending."""
    words = [_ending(word) for word in folded.split(" ")]
    before = r"(?<![a-z0-9])" if folded[:1].isalnum() else ""
    after = r"(?![a-z0-9])" if folded[-1:].isalnum() else ""
    return re.compile(before + space.join(words) + after)


def _ending(word: str) -> str:
    if not (word.isascii() and word.isalpha() and len(word) >= SHORTEST_INFLECTED):
        return re.escape(word)
    stem = STEMS[word]
    kept = stem if word.startswith(stem) else stem[:-1]  # policy, polici
    return f"{kept}[a-z]{{0,3}}"

"""A question weighed by a manual: how rare its tokens are there, and what is spelled differently.

Asks the index for frequencies only. Sections are scored in `scoring`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.index.values import rarity_of
from tebiki.manuals.ranking.settings import CONSTANTS
from tebiki.manuals.ranking.spelling import closest
from tebiki.manuals.text.query import Question, Unit, literally, question_of
from tebiki.manuals.text.stemming import STEMS
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.manuals.index.values import Postings

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


def rarity(postings: Postings, token: str) -> float:
    """How rare a token is in a manual."""
    return rarity_of(postings.frequency(token), postings.sections)


def weigh_question(
    question: Question, postings: Postings, stop: Callable[[], bool] = _never
) -> Plan:
    """Weigh a question by a manual; when `stop` says so, with its words as they are spelled."""
    tokens: dict[str, Weighed] = {}
    parts: list[Part] = []
    spelling = _Spelling(postings, stop)
    for unit in question.units:
        spelled = spelling.of(unit)
        every = [(token, True) for token in spelled.grams] + [(t, False) for t in spelled.words]
        weight = spelled.weight / len(every) ** CONSTANTS.share_exponent
        rarities = []
        for token, is_gram in every:
            known = tokens.get(token)
            idf = known.idf if known else rarity(postings, token)
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
        self._known: dict[str, list[str]] = {}
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
        best = closest(STEMS[word], self._words_like(word[0]))
        if best is None:
            return unit
        return Unit(best, (), (best,), unit.weight * MISSPELT_WEIGHT, unit.group)

    def _words_like(self, beginning: str) -> list[str]:
        if beginning not in self._known:
            self._known[beginning] = self._postings.words_like(beginning)
        return self._known[beginning]


def _needle(unit: Unit) -> str:
    """What to look for in a text: a word without the ending that its stem loses."""
    if unit.grams or not unit.surface.isascii():
        return unit.surface
    stem = STEMS[unit.surface]
    return stem if unit.surface.startswith(stem) else stem[:-1] or unit.surface

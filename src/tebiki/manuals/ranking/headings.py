"""What headings and paths add to a score: a question that names them asks for their section.

Pure functions over values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from tebiki.manuals.index.values import short_tokens
from tebiki.manuals.ranking.planning import rarity
from tebiki.manuals.ranking.query import question_of
from tebiki.manuals.ranking.settings import CONSTANTS as C

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.manuals.index.values import Postings, Stored
    from tebiki.manuals.ranking.planning import Plan
    from tebiki.manuals.ranking.terms import RequiredTerm

SHORTEST_NAMED = 2
FOLDERS_OWN = frozenset(["_index", "index", "readme"])
"""File names that stand for their folder."""


@dataclass(slots=True)
class Asked:
    """A question as headings are compared with it; remembers what it has compared."""

    folded: str
    idfs: dict[str, float]
    postings: Postings
    seen: dict[str, tuple[float, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan, postings: Postings) -> Asked:
        """Make one from a plan."""
        return cls(plan.question.folded, {one.token: one.idf for one in plan.tokens}, postings)

    def held(self, heading: str) -> tuple[float, float]:
        """How much of a heading the question holds: its weight, and that as a worth.

        The worth falls with the square of the share, so that a long heading that shares a word
        with the question gains little.
        """
        known = self.seen.get(heading)
        if known is None:
            known = self.seen[heading] = self._compared(heading)
        return known

    def _compared(self, heading: str) -> tuple[float, float]:
        tokens = _tokens(heading)
        shared = sum(self.idfs[token] * share for token, share in tokens if token in self.idfs)
        if not shared:
            return 0.0, 0.0
        whole = shared + sum(
            rarity(self.postings, token) * share for token, share in tokens if token not in self.idfs
        )
        return shared, shared * (shared / whole) ** 2


def parts(
    stored: Stored, asked: Asked, terms: tuple[RequiredTerm, ...]
) -> Iterator[tuple[str, float]]:
    """The parts of a score that come from headings, path and required terms in headings."""
    section = stored.section
    title = section.title
    top = section.trail[0] if section.trail else title
    weight, worth = asked.held(title)
    if worth:
        yield "heading", C.heading * worth
        if len(stored.title.folded) >= SHORTEST_NAMED and stored.title.folded in asked.folded:
            yield "heading_named", C.heading_named * weight
    yield "top_heading", C.top_heading * asked.held(top)[1]
    yield "file_name", C.file_name * asked.held(_file_name(section.path))[1]
    above = short_tokens(top).folded
    for term in terms:
        worth = term.worth / len(terms)
        if term.folded in stored.title.folded:
            yield "term_in_heading", C.term_in_heading * worth
        if term.folded in above:
            yield "term_in_top_heading", C.term_in_top_heading * worth


@lru_cache(maxsize=16384)
def _tokens(heading: str) -> tuple[tuple[str, float], ...]:
    """A heading's tokens, each with its share of the unit that it stands in."""
    found: list[tuple[str, float]] = []
    for unit in question_of(heading).units:
        every = unit.grams + unit.words
        found.extend((token, len(every) ** -C.share_exponent) for token in every)
    return tuple(found)


@lru_cache(maxsize=8192)
def _file_name(path: str) -> str:
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0]
    return folders[-1] if stem.casefold() in FOLDERS_OWN and folders else stem

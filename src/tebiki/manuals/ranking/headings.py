"""What headings and paths add to a score: a question that names them asks for their section.

Pure functions over values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from tebiki.manuals.folding import fold
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
        shared = whole = 0.0
        for token, count in _tokens(heading):
            idf = self.idfs.get(token)
            if idf is None:
                whole += rarity(self.postings, token) / count**C.share_exponent
                continue
            shared += idf / count**C.share_exponent
            whole += idf / count**C.share_exponent
        return (shared, shared * (shared / whole) ** 2) if whole else (0.0, 0.0)


def parts(
    stored: Stored, asked: Asked, terms: tuple[RequiredTerm, ...]
) -> Iterator[tuple[str, float]]:
    """The parts of a score that come from headings, path and required terms in headings."""
    section = stored.section
    top = section.trail[0] if section.trail else section.title
    yield "heading", C.heading * asked.held(section.title)[1]
    yield "top_heading", C.top_heading * asked.held(top)[1]
    yield "file_name", C.file_name * asked.held(_file_name(section.path))[1]
    title = stored.title.folded
    if len(title) >= SHORTEST_NAMED and title in asked.folded:
        yield "heading_named", C.heading_named * asked.held(section.title)[0]
    above = fold(top) if section.trail else title
    for term in terms:
        worth = term.worth / len(terms)
        if term.folded in title:
            yield "term_in_heading", C.term_in_heading * worth
        if term.folded in above:
            yield "term_in_top_heading", C.term_in_top_heading * worth


@lru_cache(maxsize=16384)
def _tokens(heading: str) -> tuple[tuple[str, int], ...]:
    found: list[tuple[str, int]] = []
    for unit in question_of(heading).units:
        every = unit.grams + unit.words
        found.extend((token, len(every)) for token in every)
    return tuple(found)


@lru_cache(maxsize=8192)
def _file_name(path: str) -> str:
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0]
    return folders[-1] if stem.casefold() in FOLDERS_OWN and folders else stem

"""The passes by which an index proposes candidates, and which of them a search is going to ask for.

An engine that is far away is told of them as soon as the question is weighed, so that they, and the
sections that have to be read to count a term, come in one answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tebiki.manuals.index.values import SectionQuery
from tebiki.manuals.ranking.links import LOOKED_AT, linking_sections
from tebiki.manuals.ranking.plan import FEWEST_SECTIONS, TOO_COMMON, sections_to_read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tebiki.manuals.index.values import Postings
    from tebiki.manuals.ranking.plan import Plan, Spelled
    from tebiki.manuals.ranking.settings import FindSettings

Term = TypeVar("Term")

FIRST = 80
"""Sections that the whole question proposes."""

GATED = 30
"""Sections that each pass with required terms proposes."""

FROM_PARTS = 10
"""Sections that each part of a comparison proposes beside them."""

PRESCANNED = 20
"""Sections that headings and paths propose."""

HEADINGS = ("title", "trail", "place")


def each_and_both(terms: tuple[Term, ...]) -> list[tuple[Term, ...]]:
    """Which terms the passes require: each by itself, and then both."""
    return [*((term,) for term in terms), *([terms] if len(terms) > 1 else [])]


def foreseen(
    question: Plan,
    parts: Iterable[Plan],
    required: tuple[Spelled, ...],
    postings: Postings,
    settings: FindSettings,
) -> Iterator[SectionQuery]:
    """What a search asks for while there is time, as far as what is counted tells it before."""
    asked = SectionQuery(question.weights(), FIRST)
    yield asked._replace(first=LOOKED_AT)
    if settings.manual_find_file_prescan_enabled:
        yield asked._replace(limit=PRESCANNED, fields=HEADINGS)
    applied = tuple(term for term in required if not _is_common(term, postings))
    for terms in each_and_both(applied):
        clauses = tuple(term.clause for term in terms)
        if postings.count(*clauses):
            yield asked._replace(limit=GATED, must=clauses)
    for terms in each_and_both(required):
        if (to_read := sections_to_read(terms, postings)) is not None:
            yield to_read
    for part in parts:
        wanted = asked._replace(weights=part.weights(), limit=FROM_PARTS)
        yield from (wanted, wanted._replace(limit=GATED))
    if settings.manual_find_link_weight:
        yield linking_sections(question)


def _is_common(term: Spelled, postings: Postings) -> bool:
    is_large = postings.sections >= FEWEST_SECTIONS
    return is_large and postings.count(term.clause) > TOO_COMMON * postings.sections

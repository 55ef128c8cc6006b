"""Which sections are candidates for a question, and how they score; what a search comes to.

The index only proposes: by the whole question, by headings, by each required term, and by the parts
of a comparison. In which order the steps are taken is told in `find`.
"""

from __future__ import annotations

from itertools import chain, repeat
from math import inf
from typing import TYPE_CHECKING

from tebiki.manuals.index.values import SectionQuery
from tebiki.manuals.ranking.headings import headings_of, tokens_to_weigh
from tebiki.manuals.ranking.links import (
    LOOKED_AT,
    NO_EVIDENCE,
    LinkEvidence,
    gather_evidence,
    places_led_to,
)
from tebiki.manuals.ranking.passes import (
    FIRST,
    FROM_PARTS,
    GATED,
    HEADINGS,
    PRESCANNED,
    each_and_both,
    foreseen,
)
from tebiki.manuals.ranking.plan import (
    FEWEST_SECTIONS,
    MOST_VERIFIED,
    Plan,
    RequiredTerm,
    clauses_of,
    look_up_term,
    plan_of,
    sections_with,
    spellings_of,
    tokens_of,
)
from tebiki.manuals.ranking.scoring import score_sections
from tebiki.manuals.ranking.selection import SUB_QUESTION, Gate, fuse, fuse_parts, gates_of
from tebiki.manuals.text.comparing import sub_questions
from tebiki.manuals.text.folding import fold
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from collections.abc import Set as AbstractSet

    from tebiki.manuals.index.values import Key, Postings, Stored
    from tebiki.manuals.ranking.headings import Scored
    from tebiki.manuals.ranking.leftovers import CandidateSource
    from tebiki.manuals.ranking.selection import Selection
    from tebiki.manuals.ranking.settings import FindSettings


class Deadline:
    """Tells whether a find must end, and remembers that something was left out because of it.

    That is so once it is called off, or the clock shows what was the latest.
    """

    __slots__ = ("_clock", "_is_called_off", "_latest", "has_passed")

    def __init__(
        self,
        is_called_off: Callable[[], bool],
        clock: Callable[[], float] = float,
        latest: float = inf,
    ) -> None:
        self._is_called_off = is_called_off
        self._clock = clock
        self._latest = latest
        self.has_passed = False

    def __call__(self) -> bool:
        """Ask again, unless it is known to have passed."""
        if not self.has_passed:
            self.has_passed = self._is_called_off() or self._clock() >= self._latest
        return self.has_passed


class QueryPart(NamedTuple):
    """A question, or a part of one that compares, weighed by the manual."""

    text: str
    plan: Plan


class QueryPlan(NamedTuple):
    """All that is asked for, weighed by the manual.

    `asked` is the question itself, `full` also has the required terms that it does not name;
    `applied` are the terms that are not too common to require.
    """

    asked: Plan
    full: Plan
    terms: tuple[RequiredTerm, ...]
    applied: tuple[RequiredTerm, ...]
    parts: tuple[QueryPart, ...]


class Proposals(NamedTuple):
    """Sections that the index proposes, each once, in the order of the passes.

    `base` are those that no required term was needed for, `by_part` what each part proposes;
    `holding` counts the sections that satisfied a pass with required terms, None when nobody can
    say that there is none: no such pass, or not all of them in time. `nearest` are those whose
    links are looked at, and `links` is what the links of the manual say about pages.
    """

    stored: list[Stored]
    base: set[Key]
    by_part: list[list[Stored]]
    holding: int | None
    nearest: list[Stored]
    links: LinkEvidence = NO_EVIDENCE


class SubAnswer(NamedTuple):
    """The answer to a part of a comparing question: its pass, and what the part is worth."""

    gate: Gate
    plan: Plan


class Scores(NamedTuple):
    """The scored rows, best first, the passes they went through, and the sections looked at."""

    rows: list[Scored]
    gates: list[Gate]
    sub_answers: list[SubAnswer]
    looked_at: list[Stored]


class Totals(NamedTuple):
    """Sections of the whole manual that have the required terms, however many were scored.

    `strict` have every term that was asked for; `filtered` have at least one of those that the
    guard left, and so pass one of the gates.
    """

    strict: int
    filtered: int

    @classmethod
    def of(
        cls,
        terms: tuple[RequiredTerm, ...],
        applied: tuple[RequiredTerm, ...],
        postings: Postings,
    ) -> Totals:
        """Count them."""
        every = tuple(term.spelled for term in terms)
        both = sections_with(every, postings) if len(terms) > 1 else terms[0].sections
        any_of = sum(term.sections for term in applied)
        return cls(both, any_of - both if len(applied) > 1 else any_of)


class Search(NamedTuple):
    """What a search found, and how; `ranked` are all that were scored, best first.

    `scored` are the files of which every section that was proposed was looked at, `left` the
    sections that were proposed and not looked at.
    It `rests_on_g0` where nothing that was scored has a required term that the guard left, and
    `is_relaxed` where besides no section of the manual satisfied a pass with one: then the terms
    were required, and had to be given up.
    """

    plan: Plan
    terms: tuple[RequiredTerm, ...]
    applied: tuple[RequiredTerm, ...]
    gates: list[Gate]
    sub_answers: list[SubAnswer]
    ranked: list[Scored]
    selection: Selection
    totals: Totals
    rests_on_g0: bool
    is_relaxed: bool
    cut: str | None
    proposed: frozenset[str]
    scored: frozenset[str]
    left: frozenset[Key]

    def unseen(self, scope: AbstractSet[str]) -> AbstractSet[str]:
        """Files of a scope that a cut kept from being looked at."""
        if self.cut is None:
            return frozenset()
        return (scope if self.cut == "time_budget" else self.proposed & scope) - self.scored

    def terms_by_row(self, most: int) -> list[frozenset[str]]:
        """Which of the terms each of the first rows has."""
        best = [row.stored for row in self.selection.rows[:most]]
        return [frozenset(term.text for term in self.terms if term.occurs_in(one)) for one in best]

    @property
    def dropped(self) -> tuple[RequiredTerm, ...]:
        """Terms that the guard left out."""
        return tuple(term for term in self.terms if term not in self.applied)


def plan_query(
    question: str,
    required: tuple[str, ...],
    postings: Postings,
    settings: FindSettings,
    deadline: Deadline,
    *,
    source: CandidateSource | None = None,
) -> QueryPlan:
    """Take a question and its required terms apart, and weigh them by the manual.

    Whoever proposes sections hears here, before the first is asked for, which that are going to be.
    """
    source = source or postings
    texts: tuple[str, ...] = ()
    if settings.manual_find_query_decomp_enabled:
        texts = sub_questions(question, settings.manual_find_query_decomp_max_sub_queries)
    every = (tokens_of(text) for text in (question, *texts, *required))
    spellings = spellings_of(required)
    postings.know(chain.from_iterable(every), clauses_of(spellings))
    asked = full = plan_of(question, postings, deadline)
    parts: list[QueryPart] = []
    for text in texts:
        if deadline():
            break
        parts.append(QueryPart(text, plan_of(text, postings, deadline)))
    plans = [part.plan for part in parts]
    source.foresee(foreseen(asked, plans, spellings, postings, settings))
    terms = tuple(map(look_up_term, required, repeat(postings), spellings))
    # Some may be spelled otherwise now.
    spellings = tuple(term.spelled for term in terms)
    source.foresee(foreseen(asked, plans, spellings, postings, settings))
    is_large = postings.sections >= FEWEST_SECTIONS
    applied = tuple(term for term in terms if not (is_large and term.reason == "too_common"))
    folded = fold(question)
    unnamed = [term.text for term in applied if term.folded not in folded and term.sections]
    if unnamed:
        full = plan_of(" ".join([question, *unnamed]), postings, deadline)
    return QueryPlan(asked, full, terms, applied, tuple(parts))


def propose(
    plan: QueryPlan,
    postings: CandidateSource,
    settings: FindSettings,
    among: Collection[str] | None,
    deadline: Deadline,
) -> Proposals:
    """Ask the index for candidates, pass by pass, while there is time."""
    weights = plan.asked.weights()
    asked = SectionQuery(weights, FIRST, among=among)
    nearest = postings.best(asked._replace(first=LOOKED_AT))
    seen = _by_key(nearest)
    if settings.manual_find_file_prescan_enabled and not deadline():
        headed = postings.best(asked._replace(limit=PRESCANNED, fields=HEADINGS))
        seen |= _new(headed, seen)
    base = set(seen)
    required = _propose_by_terms(plan.applied, asked, postings, deadline)
    seen |= _new(required, seen)
    is_known = bool(plan.applied) and not deadline.has_passed
    by_part: list[list[Stored]] = []
    for part in plan.parts:
        if deadline():
            break
        wanted = SectionQuery(part.plan.weights(), FROM_PARTS, among=among)
        # Which are the first of those found is no matter of the order in which they are given.
        first, found = postings.best(wanted), postings.best(wanted._replace(limit=GATED))
        seen |= _new(first, seen)
        by_part.append(found)
    holding = len(required) if required or is_known else None
    if len(nearest) < LOOKED_AT:
        # Not in the order in which an index gives them: that is no matter of the files.
        others = _new(list(seen.values()), _by_key(nearest))
        nearest = [*nearest, *(others[key] for key in sorted(others))]
    return Proposals(list(seen.values()), base, by_part, holding, nearest[:LOOKED_AT])


def propose_by_links(
    proposals: Proposals,
    plan: QueryPlan,
    postings: Postings,
    among: Collection[str] | None,
) -> Proposals:
    """Add sections that links lead to, of pages that nothing else proposed."""
    # What their headings weigh is counted in one go with what links say.
    postings.know(tokens_to_weigh(headings_of(proposals.stored), plan.full))
    known = {stored.key[0] for stored in proposals.stored}
    links = gather_evidence(plan.asked, proposals.nearest, known, postings)
    places = places_led_to(links, known)
    led_to = postings.sections_at(places) if places else []
    found = {one.key: one for one in led_to if among is None or one.key[0] in among}
    return proposals._replace(
        stored=[*proposals.stored, *found.values()], base=proposals.base | set(found), links=links
    )


def _by_key(found: list[Stored]) -> dict[Key, Stored]:
    return {stored.key: stored for stored in found}


def _new(found: list[Stored], seen: dict[Key, Stored]) -> dict[Key, Stored]:
    return {stored.key: stored for stored in found if stored.key not in seen}


def _propose_by_terms(
    terms: tuple[RequiredTerm, ...],
    asked: SectionQuery,
    postings: CandidateSource,
    deadline: Deadline,
) -> list[Stored]:
    """Sections that have a term, each term in turn, and then both."""
    found: dict[Key, Stored] = {}
    for required in each_and_both(terms):
        if deadline():
            break
        if not all(term.sections for term in required):
            continue  # no section of the manual has one of them
        # The index proposes sections that have the term's words; where none of the best has
        # the term itself, more are read.
        those = _find_having(required, asked._replace(limit=GATED), postings)
        if not those and not all(term.spelled.is_plain for term in required):
            those = _find_having(required, asked._replace(limit=MOST_VERIFIED), postings)
        found |= _by_key(those)
    return list(found.values())


def _find_having(
    required: tuple[RequiredTerm, ...], asked: SectionQuery, postings: CandidateSource
) -> list[Stored]:
    def holds(one: Stored) -> bool:
        return all(term.occurs_in(one) for term in required)

    clauses = tuple(term.spelled.clause for term in required)
    is_exact = all(term.spelled.is_exact for term in required)
    found = postings.best(asked._replace(must=clauses, holds=holds if is_exact else None))
    return list(filter(holds, found))


def score(
    proposals: Proposals,
    plan: QueryPlan,
    postings: Postings,
    settings: FindSettings,
    deadline: Deadline,
) -> Scores:
    """Score what was proposed, as far as the cap and the time allow, and fuse the passes."""
    looked_at: list[Stored] = []
    within = proposals.stored[: settings.manual_find_scan_hard_cap]
    postings.know(tokens_to_weigh(headings_of(within), plan.full))
    in_time = _in_time(within, deadline, looked_at)
    rows = score_sections(in_time, plan.full, plan.applied, postings, settings, stop=deadline)
    gates = gates_of(rows, proposals.base, plan.applied)
    fuse(gates)
    answers: list[SubAnswer] = []
    weight = 1 - settings.manual_find_query_decomp_base_weight
    for part, found in zip(plan.parts, proposals.by_part, strict=False):
        if deadline():
            break
        in_time = _in_time(found, deadline, [])
        scored = score_sections(in_time, part.plan, (), postings, settings, stop=deadline)
        if scored:
            gate = Gate(SUB_QUESTION, (), weight, tuple(scored), part.text)
            answers.append(SubAnswer(gate, part.plan))
    fuse_parts(rows, [answer.gate for answer in answers], settings)
    rows.sort(key=lambda row: row.order)
    return Scores(rows, gates, answers, looked_at)


def _in_time(found: list[Stored], deadline: Deadline, looked_at: list[Stored]) -> Iterator[Stored]:
    """One after the other while there is time, and the first in any case; notes them."""
    for stored in found:
        if looked_at and deadline():
            return
        looked_at.append(stored)
        yield stored


def files_of_sections(sections: list[Stored]) -> frozenset[str]:
    """The files that some sections are in."""
    return frozenset([stored.key[0] for stored in sections])

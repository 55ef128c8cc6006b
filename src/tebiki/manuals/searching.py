"""One search over a fresh index: candidates, gates, sub-questions, choice.

Joins `index` and `ranking`; what a caller is told of it is `finding`'s business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.ranking.decomposition import bring_together, sub_questions
from tebiki.manuals.ranking.gates import SUB_QUESTION, Gate, fuse, gates_of, passing
from tebiki.manuals.ranking.plan import Plan, plan_of
from tebiki.manuals.ranking.scoring import scored
from tebiki.manuals.ranking.selection import Chosen, chosen
from tebiki.manuals.ranking.terms import (
    FEWEST_SECTIONS,
    MOST_VERIFIED,
    RequiredTerm,
    required_term,
    sections_with,
)
from tebiki.manuals.text.folding import fold
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from collections.abc import Set as AbstractSet

    from tebiki.manuals.index.values import Key, Postings, Stored
    from tebiki.manuals.ranking.row import Scored
    from tebiki.manuals.ranking.settings import FindSettings

FIRST = 80
"""Sections that the whole question proposes."""

GATED = 30
"""Sections that each pass with required terms proposes."""

FROM_PARTS = 10
"""Sections that each part of a comparison proposes beside them."""

PRESCANNED = 20
"""Sections that headings and paths propose."""

HEADINGS = ("title", "trail", "place")


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


class SubAnswer(NamedTuple):
    """The answer to a part of a comparing question: its pass, and what the part is worth."""

    gate: Gate
    plan: Plan


class Search(NamedTuple):
    """What a search found, and how; `ranked` are all that were scored, best first.

    `scored` are the files of which every section that was proposed was looked at.
    `passed` are the sections that satisfied a pass with required terms; None when there were no
    such passes, or when the time was over before the last of them and none had been found.
    """

    plan: Plan
    terms: tuple[RequiredTerm, ...]
    applied: tuple[RequiredTerm, ...]
    gates: list[Gate]
    sub_answers: list[SubAnswer]
    ranked: list[Scored]
    chosen: Chosen
    totals: Totals
    passed: int | None
    cut: str | None
    proposed: frozenset[str]
    scored: frozenset[str]

    def unseen(self, scope: AbstractSet[str]) -> AbstractSet[str]:
        """Files of a scope that a cut kept from being looked at."""
        if self.cut is None:
            return frozenset()
        return (scope if self.cut == "time_budget" else self.proposed & scope) - self.scored

    @property
    def dropped(self) -> tuple[RequiredTerm, ...]:
        """Terms that the guard left out."""
        return tuple(term for term in self.terms if term not in self.applied)

    @property
    def rests_on_g0(self) -> bool:
        """Tell whether nothing that was scored has a required term that the guard left."""
        return not any(gate.terms and gate.rows for gate in self.gates)

    @property
    def is_relaxed(self) -> bool:
        """Tell whether the terms were required, and had to be given up."""
        return self.passed == 0 and self.rests_on_g0


def searched(
    question: str,
    required: tuple[str, ...],
    postings: Postings,
    settings: FindSettings,
    *,
    max_candidates: int,
    stop: Callable[[], bool],
    among: Collection[str] | None = None,
) -> Search:
    """Search a manual; when `stop` says so, with what has been proposed and scored until then.

    Asked between passes, before each section that is scored, and before each sub-question.
    """
    late = _Late(stop)
    terms = tuple(required_term(text, postings) for text in required)
    applied = tuple(term for term in terms if not _is_dropped(term, postings))
    asked = plan_of(question, postings, late)
    proposals = _Proposals(postings, asked.weights(), among, late)
    proposals.first(settings)
    passed = proposals.gated(applied)
    subs = _sub_proposals(question, postings, settings, among=among, late=late)
    for sub in subs:
        proposals.keep(sub.first)
    plan = _with_terms(question, applied, asked, postings, late)
    cap = settings.manual_find_scan_hard_cap
    proposed = proposals.stored
    looked_at: list[Stored] = []
    within = _in_time(proposed[:cap], late, looked_at)
    rows = scored(within, plan, applied, postings, settings, stop=late)
    gates = gates_of(rows, proposals.base, applied)
    fuse(gates)
    answered = _sub_answers(subs, postings, settings, rows, late)
    rows.sort(key=lambda row: row.order)
    cut = "time_budget" if late.is_true else None
    if cut is None and len(proposed) > cap:
        cut = "candidate_cap"
    return Search(
        plan=plan,
        terms=terms,
        applied=applied,
        gates=gates,
        sub_answers=answered,
        ranked=rows,
        chosen=chosen(rows, max_candidates, settings, passing(gates)),
        totals=Totals.of(terms, applied, postings),
        passed=passed,
        cut=cut,
        proposed=_files(proposed),
        scored=_files(looked_at) - _files(proposed[len(looked_at) :]),
    )


class _Late:
    """Tells whether the time is over, and whether anything was left out because of that."""

    __slots__ = ("_stop", "is_true")

    def __init__(self, stop: Callable[[], bool]) -> None:
        self._stop = stop
        self.is_true = False

    def __call__(self) -> bool:
        self.is_true = self.is_true or self._stop()
        return self.is_true


def _in_time(found: list[Stored], late: _Late, looked_at: list[Stored]) -> Iterator[Stored]:
    """One after the other while there is time, and the first in any case; notes them."""
    for stored in found:
        if looked_at and late():
            return
        looked_at.append(stored)
        yield stored


class _Proposals:
    """Sections that passes over the index propose, each once."""

    def __init__(
        self,
        postings: Postings,
        weights: dict[str, float],
        among: Collection[str] | None,
        late: _Late,
    ) -> None:
        self._postings = postings
        self._weights = weights
        self._among = among
        self._late = late
        self._seen: dict[Key, Stored] = {}
        self.base: set[Key] = set()

    @property
    def stored(self) -> list[Stored]:
        """All of them, in the order of the passes."""
        return list(self._seen.values())

    def first(self, settings: FindSettings) -> None:
        """What the question proposes without any required term."""
        found = self._postings.best(self._weights, FIRST, among=self._among)
        if settings.manual_find_file_prescan_enabled and not self._late():
            found += self._postings.best(
                self._weights, PRESCANNED, among=self._among, fields=HEADINGS
            )
        self.keep(found)
        self.base.update(self._seen)

    def gated(self, terms: tuple[RequiredTerm, ...]) -> int | None:
        """What each term, and both, propose; gives how many sections satisfied a pass.

        None when nobody can say that there is none: no pass, or not all of them in time.
        """
        passes = [(term,) for term in terms] + ([terms] if len(terms) > 1 else [])
        found: dict[Key, Stored] = {}
        for required in passes:
            if self._late():
                break
            # The index proposes sections that have the term's words; where none of the best has
            # the term itself, more are read.
            passed = self._passed(required, GATED) or self._passed(required, MOST_VERIFIED)
            found |= {stored.key: stored for stored in passed}
        self.keep(list(found.values()))
        is_known = bool(terms) and not self._late.is_true
        return len(found) if found or is_known else None

    def _passed(self, required: tuple[RequiredTerm, ...], limit: int) -> list[Stored]:
        if limit > GATED and all(term.spelled.is_plain for term in required):
            return []
        clauses = tuple(term.spelled.clause for term in required)

        def holds(one: Stored) -> bool:
            return all(term.occurs_in(one) for term in required)

        is_exact = all(term.spelled.is_exact for term in required)
        found = self._postings.best(
            self._weights, limit, clauses, self._among, holds=holds if is_exact else None
        )
        return list(filter(holds, found))

    def keep(self, found: list[Stored]) -> None:
        """Take in what a pass proposes."""
        for stored in found:
            self._seen.setdefault(stored.key, stored)


def _files(sections: list[Stored]) -> frozenset[str]:
    return frozenset([stored.key[0] for stored in sections])


def _is_dropped(term: RequiredTerm, postings: Postings) -> bool:
    return term.reason == "too_common" and postings.sections >= FEWEST_SECTIONS


def _with_terms(
    question: str, terms: tuple[RequiredTerm, ...], asked: Plan, postings: Postings, late: _Late
) -> Plan:
    """The question and the terms that it does not name itself."""
    folded = fold(question)
    unnamed = [term.text for term in terms if term.folded not in folded and term.sections]
    return plan_of(" ".join([question, *unnamed]), postings, late) if unnamed else asked


class _Sub(NamedTuple):
    """A part of a comparing question, and what it proposes."""

    text: str
    plan: Plan
    first: list[Stored]
    found: list[Stored]


def _sub_proposals(
    question: str,
    postings: Postings,
    settings: FindSettings,
    *,
    among: Collection[str] | None,
    late: _Late,
) -> list[_Sub]:
    """Take a comparison apart, and ask the index for each part."""
    if not settings.manual_find_query_decomp_enabled:
        return []
    subs: list[_Sub] = []
    for part in sub_questions(question, settings.manual_find_query_decomp_max_sub_queries):
        if late():
            break
        plan = plan_of(part, postings, late)
        weights = plan.weights()
        # Which are the first of those found is no matter of the order in which they are given.
        first, found = (postings.best(weights, most, among=among) for most in (FROM_PARTS, GATED))
        subs.append(_Sub(part, plan, first, found))
    return subs


def _sub_answers(
    subs: list[_Sub],
    postings: Postings,
    settings: FindSettings,
    rows: list[Scored],
    late: _Late,
) -> list[SubAnswer]:
    """Answer the sub-questions of a comparison, and mix their answers in."""
    weight = 1 - settings.manual_find_query_decomp_base_weight
    answered: list[SubAnswer] = []
    for text, plan, _, found in subs:
        if late():
            break
        answers = scored(_in_time(found, late, []), plan, (), postings, settings, stop=late)
        if answers:
            gate = Gate(SUB_QUESTION, (), weight, tuple(answers), text)
            answered.append(SubAnswer(gate, plan))
    bring_together(rows, [answer.gate for answer in answered], settings)
    return answered

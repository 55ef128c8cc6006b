"""Where the sentences of the sections found disagree: which pairs are compared, and in what order.

The best sentences of all sections with each other, those of one text's versions, and any sentence
that is said again elsewhere almost to the letter. When two disagree is told in `disagreement`.
Pure functions over values.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from tebiki.manuals.report.disagreement import content, disagreement, is_restated
from tebiki.manuals.report.evidence import Evidence, evidence_of, held_by
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tebiki.manuals.ranking.plan import Plan
    from tebiki.manuals.ranking.selection import Selection

TWINS_READ = 8
"""So many other versions of each section are compared with it."""

MOST_BETWEEN_TWINS = 12
FEWEST_SHARED = 2
END_CHARS = 10
"""Sentences that neither begin nor end with so many characters alike are not compared."""

LONGEST_COMPARED = 500
MOST_ENDING_ALIKE = 12


class ClaimConflict(NamedTuple):
    """Two pieces of evidence that speak of the same and disagree: in polarity or in a number."""

    first: Evidence
    second: Evidence
    reason: str
    terms: tuple[str, ...]


def conflicts_among(
    evidences: tuple[Evidence, ...], selection: Selection, plan: Plan
) -> tuple[ClaimConflict, ...]:
    """Every pair that disagrees about something that was asked for.

    Some of their evidence may be new: other versions of a section, and other sentences of it.
    """
    found = conflicts_in(evidences)
    found += _between_twins(evidences, selection, plan)
    known = {frozenset((one.first.row.key, one.second.row.key)) for one in found}
    new = len(evidences) + len(found)
    again = _said_again(evidences, plan, new + 1)
    return found + tuple(
        one for one in again if frozenset((one.first.row.key, one.second.row.key)) not in known
    )


def conflicts_in(evidences: Sequence[Evidence]) -> tuple[ClaimConflict, ...]:
    """Every pair of best sentences that disagrees."""
    statements = [evidence.statement for evidence in evidences]
    found: list[ClaimConflict] = []
    for (first, one), (second, other) in combinations(zip(evidences, statements, strict=True), 2):
        if terms := _shared(first, second):
            reason = disagreement(one, other)
            if reason:
                found.append(ClaimConflict(first, second, reason, terms))
    return tuple(found)


def _shared(first: Evidence, second: Evidence) -> tuple[str, ...]:
    """What of the question both hold, if that is enough to be about it."""
    shared = first.held & second.held
    if len(shared) >= _enough(first.held, second.held):
        return tuple(sorted(shared))
    # 必要 and 不要, 30日 and 60日 are what they disagree about.
    mine, yours = _subjects(first.held), _subjects(second.held)
    return tuple(sorted(shared)) if len(mine & yours) >= _enough(mine, yours) else ()


def _enough(mine: frozenset[str], yours: frozenset[str]) -> int:
    return min(FEWEST_SHARED, max(len(mine), len(yours), 1))


def _subjects(held: frozenset[str]) -> frozenset[str]:
    return frozenset(surface for surface in held if content(surface))


def _between_twins(
    evidences: Sequence[Evidence], selection: Selection, plan: Plan
) -> tuple[ClaimConflict, ...]:
    """Where two versions of one text, of which one is given, disagree about what is asked for.

    Each statement once, however many copies make it.
    """
    found: list[ClaimConflict] = []
    said: set[tuple[str, str]] = set()
    for first in evidences:
        own = first.row.stored
        for twin in selection.twins.get(own.key, [])[:TWINS_READ]:
            if len(found) >= MOST_BETWEEN_TWINS or twin.stored.body.folded == own.body.folded:
                continue
            place = len(evidences) + len(found) + 1
            (second,) = evidence_of([twin], plan, place)
            between = conflicts_in((first, second)) or _said_again((first, second), plan, place)
            for one in between[:1]:
                if (first.evidence_id, one.second.folded) not in said:
                    said.add((first.evidence_id, one.second.folded))
                    found.append(one)
    return tuple(found)


def _said_again(evidences: Sequence[Evidence], plan: Plan, place: int) -> tuple[ClaimConflict, ...]:
    """Sentences that stand in two files almost to the letter, and disagree; one for two sections.

    A section may hold better sentences than the one that another file contradicts.
    """
    found: list[ClaimConflict] = []
    seen: set[frozenset[str]] = set()
    for (first, one), (second, other) in _alike(evidences):
        pair = frozenset((first.evidence_id, second.evidence_id))
        if pair in seen or one[1] == other[1] or not is_restated(one[1], other[1]):
            continue
        number = place + 2 * len(found)
        mine, yours = _other(first, one, plan, number), _other(second, other, plan, number + 1)
        if terms := _shared(mine, yours):
            reason = disagreement(mine.statement, yours.statement)
            if reason:
                seen.add(pair)
                found.append(ClaimConflict(mine, yours, reason, terms))
    return tuple(found)


Sentence = tuple[int, str]
"""Its place in its section, and its folded text."""


def _alike(
    evidences: Sequence[Evidence],
) -> Iterator[tuple[tuple[Evidence, Sentence], tuple[Evidence, Sentence]]]:
    """Sentences of two files that begin or end alike."""
    first: dict[str, tuple[Evidence, Sentence]] = {}
    several: dict[str, list[tuple[Evidence, Sentence]]] = {}
    for evidence in evidences:
        for sentence in ((evidence.place, evidence.folded), *evidence.also):
            folded = sentence[1]
            if END_CHARS < len(folded) <= LONGEST_COMPARED:
                one = (evidence, sentence)
                # Of two lengths, so that no beginning is taken for an end.
                for key in (folded[:END_CHARS], folded[-END_CHARS - 1 :]):
                    known = first.setdefault(key, one)
                    if known is not one:  # as few are
                        several.setdefault(key, [known]).append(one)
    for those in several.values():
        for one, other in combinations(those[:MOST_ENDING_ALIKE], 2):
            if one[0].row.path != other[0].row.path:
                yield one, other


def _other(evidence: Evidence, sentence: Sentence, plan: Plan, number: int) -> Evidence:
    """The evidence itself, or another sentence of its section as one of its own."""
    place, folded = sentence
    if folded == evidence.folded:
        return evidence
    held = held_by(plan, folded)
    return evidence._replace(
        evidence_id=f"ev:{number}", folded=folded, place=place, held=held, also=()
    )

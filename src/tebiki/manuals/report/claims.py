"""Claims, evidence and where evidence disagrees, from the sentences of the sections found.

Cues are words of grammar and of argument, never of one subject. Pure functions over values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.report.conflicts import conflicts_among
from tebiki.manuals.report.evidence import Evidence, evidence_of
from tebiki.manuals.text.folding import fold, lazy_pattern
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.manuals.ranking.candidates import QueryPart
    from tebiki.manuals.ranking.plan import Plan
    from tebiki.manuals.ranking.selection import Selection
    from tebiki.manuals.report.conflicts import ClaimConflict

FACETS = {
    "definition": "とは|定義|意味|何ですか|what is|what are|define|definition|meaning",
    "procedure": "手順|方法|手続|やり方|するには|どのように|how to|how do|how can|procedure",
    "eligibility": "対象|条件|資格|要件|必要|できる人|誰が|eligib|qualif|require|who can|who may",
    "exceptions": "例外|対象外|除く|除き|ただし|但し|except|unless|exclu|not apply|not allowed",
    "compare": "違い|比較|異な|相違|どちら|差異|differ|compar|versus",
}
"""What a question may be after, in this order, and the wording that shows it."""

CUES = {facet: wording.split("|") for facet, wording in FACETS.items()}
WHOLE_WORDS = {
    "procedure": lazy_pattern(r"(?<![a-z])steps?(?![a-z])"),
    "compare": lazy_pattern(r"(?<![a-z])vs(?![a-z])"),
}
"""Wording that stands inside other words as well."""

EVIDENCE_READ = 12
"""So many of the best candidates give evidence."""

SUPPORTS = 0.6
RELATED = 0.25


class Edge(NamedTuple):
    """How a piece of evidence bears on a claim."""

    claim_id: str
    evidence_id: str
    relation: str
    confidence: float


class Claim(NamedTuple):
    """A facet of the question, and what the evidence makes of it."""

    claim_id: str
    facet: str
    text: str
    status: str
    confidence: float


class Graph(NamedTuple):
    """Claims, evidence and what connects them."""

    claims: tuple[Claim, ...]
    evidences: tuple[Evidence, ...]
    edges: tuple[Edge, ...]
    conflicts: tuple[ClaimConflict, ...]
    coverage: float
    last_gain: float

    @property
    def unsupported(self) -> tuple[str, ...]:
        """Facets that nothing supports."""
        supported = {claim.facet for claim in self.claims if claim.status != "unresolved"}
        return tuple(dict.fromkeys(c.facet for c in self.claims if c.facet not in supported))


def graph_of(whole: QueryPart, parts: Sequence[QueryPart], selection: Selection) -> Graph:
    """Build the graph of a question from the best rows."""
    plan = whole.plan
    evidences = evidence_of(selection.rows[:EVIDENCE_READ], plan)
    conflicts = conflicts_among(evidences, selection, plan)
    coverage, last_gain = _gains(plan, evidences)
    evidences += _new_in(conflicts, evidences)
    claims: list[Claim] = []
    edges: list[Edge] = []
    for query in (whole, *parts):
        for facet in facets_of(query.text):
            claim_id = f"claim:{facet}:{len(claims) + 1}"
            found = _edges(claim_id, facet, query.plan, evidences, conflicts)
            claims.append(_judge(claim_id, facet, query.text, found))
            edges.extend(found)
    return Graph(tuple(claims), evidences, tuple(edges), conflicts, coverage, last_gain)


def facets_of(question: str) -> tuple[str, ...]:
    """What a question is after."""
    folded = fold(question)
    return tuple(facet for facet in FACETS if shows(facet, folded)) or ("unknown",)


def shows(facet: str, folded: str) -> bool:
    """Tell whether a folded text has the wording of a facet."""
    if any(cue in folded for cue in CUES[facet]):
        return True
    return facet in WHOLE_WORDS and WHOLE_WORDS[facet]().search(folded) is not None


def _new_in(
    conflicts: Sequence[ClaimConflict], evidences: Sequence[Evidence]
) -> tuple[Evidence, ...]:
    """The evidence that only conflicts brought up."""
    known = {one.evidence_id for one in evidences}
    sides = (side for pair in conflicts for side in (pair.first, pair.second))
    return tuple({one.evidence_id: one for one in sides if one.evidence_id not in known}.values())


def _edges(
    claim_id: str,
    facet: str,
    claimed: Plan,
    evidences: Sequence[Evidence],
    conflicts: Sequence[ClaimConflict],
) -> list[Edge]:
    """How each piece of evidence bears on a claim, judged by the claim's own terms."""
    pairs = [pair for pair in conflicts if not claimed.names.isdisjoint(pair.terms)]
    disputed = {one.evidence_id for pair in pairs for one in (pair.first, pair.second)}
    found: list[Edge] = []
    for evidence in evidences:
        coverage = claimed.share_in(evidence.folded)
        if evidence.evidence_id in disputed:
            relation = "contradicts"
        elif coverage >= SUPPORTS and _has_cue(facet, evidence):
            relation = "supports"
        elif coverage >= RELATED:
            relation = "requires_followup"
        else:
            continue
        confidence = round(min(0.98, 0.2 + 0.75 * coverage), 3)
        found.append(Edge(claim_id, evidence.evidence_id, relation, confidence))
    return found


def _has_cue(facet: str, evidence: Evidence) -> bool:
    if facet in {"unknown", "definition"}:
        return True  # a sentence that holds the terms of a question defines or answers it
    section = evidence.row.stored.section
    around = fold(" ".join([*section.trail, section.title]))
    return shows(facet, evidence.folded) or shows(facet, around)


def _judge(claim_id: str, facet: str, text: str, edges: Sequence[Edge]) -> Claim:
    supports = [edge.confidence for edge in edges if edge.relation == "supports"]
    is_disputed = any(edge.relation == "contradicts" for edge in edges)
    status = "conflicted" if is_disputed else "supported" if supports else "unresolved"
    best = max([edge.confidence for edge in edges], default=0.0)
    confidence = best if status == "supported" else best / 2
    return Claim(claim_id, facet, text, status, round(confidence, 3))


def _gains(plan: Plan, evidences: Sequence[Evidence]) -> tuple[float, float]:
    """How much of the question all evidence holds, and how much the last piece added to it."""
    seen: set[str] = set()
    total = gain = 0.0
    masses = {part.unit.surface: part.mass for part in plan.parts}
    whole = sum(masses.values())
    for evidence in evidences:
        gain = sum(masses[name] for name in evidence.held - seen) / whole if whole else 0.0
        seen |= evidence.held
        total += gain
    return total, gain

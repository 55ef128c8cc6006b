"""The rows behind a find, one function for each kind of `limits.KINDS`.

Those of candidates are written out when somebody reads them: a find is answered with five of its
candidates, and kept with all of them, and what they are made from is a tenth of their size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

from tebiki.manuals.documents.folders import HARMLESS, Skipped
from tebiki.manuals.ranking.selection import SUB_QUESTION, contributions
from tebiki.manuals.report.evidence import Matches, Quote
from tebiki.named_tuples import NamedTuple
from tebiki.values.pages import page_row

if TYPE_CHECKING:
    from tebiki.manuals.index.refresh import Fresh
    from tebiki.manuals.index.values import Key
    from tebiki.manuals.ranking.candidates import Search
    from tebiki.manuals.ranking.headings import Scored
    from tebiki.manuals.ranking.selection import Contribution, Gate
    from tebiki.manuals.ranking.settings import FindSettings
    from tebiki.manuals.report.claims import Claim, Graph
    from tebiki.manuals.report.evidence import Evidence, Saying
    from tebiki.manuals.request import Leftover

Row = dict[str, Any]
DIGITS = 4


class RowSource(Protocol):
    """What can be written out as a row."""

    def row(self) -> Row:
        """The row, new each time."""


Value = TypeVar("Value", bound=RowSource)


class Candidate(NamedTuple):
    """A section that was found: where it is, and every part of its score."""

    manual_id: str
    key: Key
    title: str
    trail: tuple[str, ...]
    end_line: int
    saying: Saying | Quote | None
    score: float
    matched: dict[str, int]
    coverage: float
    signals: set[str]
    parts: dict[str, float]
    copies: Sequence[Key]
    first_page: str = ""

    def row(self) -> Row:
        """The row of a candidate."""
        return {
            "ref": self.ref(),
            "title": self.title,
            "trail": [title for title in self.trail if title],
            "end_line": self.end_line,
            "snippet": self.saying.text if self.saying else None,
            "score": round(self.score, DIGITS),
            "matched_tokens": list(self.matched),
            "token_hits": dict(self.matched),
            "match_coverage": round(self.coverage, DIGITS),
            "signals": sorted(self.signals),
            "rank_explain": [f"{part}={value:.4f}" for part, value in self.parts.items()],
            "copies": [{"path": path, "start_line": line} for path, line, _ in self.copies],
            **self._pages(),
            **page_row(self.first_page, "first_"),
        }

    def head(self) -> Row:
        """The row as far as its short form goes: a snippet would have to be looked up."""
        return {
            "ref": self.ref(),
            "title": self.title,
            "score": round(self.score, DIGITS),
            "matched_tokens": list(self.matched),
            **self._pages(),
        }

    def _pages(self) -> Row:
        """The page of the original on which the answer stands, else on which the section begins."""
        if not self.first_page:
            return {}
        return page_row(self.saying.page if self.saying else self.first_page)

    def ref(self) -> Row:
        """Where the section is."""
        path, line, json_path = self.key
        return {
            "target": "manual",
            "manual_id": self.manual_id,
            "path": path,
            "start_line": line,
            "json_path": json_path or None,
            "title": self.title,
        }


class Fused(NamedTuple):
    """What each pass gave to a candidate."""

    candidate: Candidate
    rank: int
    contributions: tuple[Contribution, ...]

    def row(self) -> Row:
        """The row of a candidate's passes."""
        one = self.candidate
        return {
            "candidate_key": "|".join(filter(None, [one.manual_id, *map(str, one.key)])),
            "rank": self.rank,
            "score": round(one.score, DIGITS),
            "ref": one.ref(),
            "contributions": [{**gave._asdict(), "rrf": gave.rrf} for gave in self.contributions],
        }


class Rows(Sequence[Row], Generic[Value]):
    """Rows that are written out one by one, as they are asked for."""

    __slots__ = ("values",)

    def __init__(self, values: Sequence[Value]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Rows, list)) and list(self) == list(other)

    def __hash__(self) -> int:
        raise TypeError("rows have no hash, as lists have none")

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...

    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            return [value.row() for value in self.values[place]]
        return self.values[place].row()

    def heads(self, place: slice) -> list[Row]:
        """The rows as far as their short form goes, which takes half the time."""
        return [
            value.head() if isinstance(value, Candidate) else value.row()
            for value in self.values[place]
        ]


LARGE_CHARS = 8000
BIASED_FROM = 5
"""Fewer candidates than this say nothing about one file having too many."""


def title_of(row: Scored) -> str:
    """A section's heading, or the nearest one above it, or its file's name."""
    section = row.stored.section
    if section.title:
        return section.title
    above = [title for title in section.trail if title]
    return above[-1] if above else section.path.rpartition("/")[2]


def candidates(manual_id: str, search: Search, graph: Graph) -> Rows[Candidate]:
    """What was found, best first, with its best sentence and every part of its score."""
    # The first of a section is its best; others may be there because they are disputed.
    best_first = reversed(graph.evidences)
    sayings = {evidence.row.key: _snippet_source(evidence) for evidence in best_first}
    copies = search.selection.copies
    matches = Matches(search.plan)
    return Rows(
        [
            Candidate(
                manual_id=manual_id,
                key=row.key,
                title=title_of(row),
                trail=row.stored.section.trail,
                end_line=row.stored.section.end_line,
                saying=sayings.get(row.key),
                score=row.score,
                matched=matches.of(row),
                coverage=row.coverage,
                signals=row.signals,
                parts=row.parts,
                copies=copies.get(row.key, ()),
                first_page=row.stored.section.page,
            )
            for row in search.selection.rows
        ]
    )


def _snippet_source(evidence: Evidence) -> Saying | Quote:
    """What a row keeps of a sentence: where it is to be found, unless that is a large text."""
    section = evidence.row.stored.section
    is_large = len(section.text) > LARGE_CHARS
    return Quote(evidence.text, evidence.page) if is_large else evidence.saying


def unscanned(fresh: Fresh, search: Search, only: Leftover | None) -> list[Row]:
    """Files in scope that were not searched to the end, and why."""
    reasons = {skipped.path: skipped.reason for skipped in fresh.skipped}
    reasons |= dict.fromkeys(fresh.unreached, "time_budget")
    for path in search.unseen(fresh.paths):
        reasons.setdefault(path, search.cut or "candidate_cap")
    return [
        {"path": path, "reason": reason}
        for path, reason in sorted(reasons.items())
        if only is None or only.has(path)
    ]


def left_out(unread: list[Row], fresh: Fresh) -> Sequence[Row]:
    """All files that were not searched: those above, and those that search does not take."""
    if not fresh.unsupported:
        return unread
    return Rows([*(Skipped(**row) for row in unread), *fresh.unsupported])


def conflicts(manual_id: str, graph: Graph) -> list[Row]:
    """Pairs of evidence that disagree; both are shown."""
    return [
        {
            "ref": _short_ref(manual_id, pair.first),
            "reason": pair.reason,
            "terms": list(pair.terms),
            "text": pair.first.text,
            "evidence_id": pair.first.evidence_id,
            **page_row(pair.first.page),
            "conflict_with": [
                {
                    "ref": _short_ref(manual_id, pair.second),
                    "text": pair.second.text,
                    "evidence_id": pair.second.evidence_id,
                    **page_row(pair.second.page),
                }
            ],
        }
        for pair in graph.conflicts
    ]


def gaps(
    search: Search, graph: Graph, unread: list[Row], bias: float, settings: FindSettings
) -> list[Row]:
    """What is missing: a term, support for a facet, a file, or breadth.

    Of a term that the time did not suffice to look for nothing is said.
    """
    is_late = any(row["reason"] == "time_budget" for row in unread)
    missing = [term.text for term in search.terms if not term.sections and not is_late]
    rows: list[Row] = [{"gap": "term_not_found", "term": text} for text in missing]
    rows += [{"gap": "facet_without_support", "facet": facet} for facet in graph.unsupported]
    rows += [{"gap": "file_unread", **row} for row in unread if row["reason"] not in HARMLESS]
    count = len(search.selection.rows)
    if count < settings.adaptive_candidate_low_base:
        rows.append({"gap": "few_candidates", "candidates": count})
    if count >= BIASED_FROM and bias >= settings.adaptive_file_bias_base:
        rows.append({"gap": "one_file_dominates", "file_bias_ratio": round(bias, DIGITS)})
    return rows


def gate_runs(search: Search, graph: Graph, cut: str | None) -> list[Row]:
    """Each pass: what it required, how many of the scored sections passed it, what it was worth."""
    exceptions = {one.row.key for one in graph.evidences if one.is_exception}
    cutoff = cut or ("dynamic_cutoff" if search.selection.is_cut else None)
    gates = [*search.gates, *(answer.gate for answer in search.sub_answers)]
    return [
        {
            "gate": gate.name,
            "required_terms": list(gate.terms),
            "query": gate.query or None,
            "candidates_count": len(gate.rows),
            "file_bias_ratio": round(bias_of(gate.rows), DIGITS),
            "exception_hits": sum(row.key in exceptions for row in gate.rows),
            "top_score": round(max(row.score for row in gate.rows), DIGITS) if gate.rows else None,
            "scoring_mode": "lexical",
            "cutoff_reason": cutoff,
            "weight": round(gate.weight, DIGITS),
            "weight_reason": _weight_reason(gate),
            "selected": bool(gate.rows) and (bool(gate.terms) or search.rests_on_g0),
        }
        for gate in gates
    ]


def _weight_reason(gate: Gate) -> str:
    if gate.name == SUB_QUESTION:
        return "share_of_the_score_beside_base_weight"
    return "share_of_required_terms" if gate.terms else "base"


def bias_of(rows: Sequence[Scored]) -> float:
    """The largest share that one file has of some rows."""
    paths = Counter([row.path for row in rows])
    return max(paths.values()) / len(rows) if rows else 0.0


def fusion_debug(search: Search, given: Rows[Candidate]) -> Rows[Fused]:
    """What each pass gave to each candidate."""
    gave = contributions(search.gates, {row.key for row in search.selection.rows})
    return Rows(
        [Fused(one, rank, tuple(gave[one.key])) for rank, one in enumerate(given.values, 1)]
    )


def claim_graph(manual_id: str, graph: Graph) -> Row:
    """The graph of claims and evidence."""
    return {
        "claims": [_claim(claim) for claim in graph.claims],
        "evidences": [
            {
                "evidence_id": evidence.evidence_id,
                "ref": {"target": "manual", **_short_ref(manual_id, evidence)},
                "signals": sorted(evidence.row.signals),
                "score": round(evidence.row.score, DIGITS),
                "text": evidence.text,
                **page_row(evidence.page),
                "snippet_digest": evidence.digest,
            }
            for evidence in graph.evidences
        ],
        "edges": [
            {
                "from_claim_id": edge.claim_id,
                "to_evidence_id": edge.evidence_id,
                "relation": edge.relation,
                "confidence": edge.confidence,
            }
            for edge in graph.edges
        ],
        "facets": _facets(graph),
    }


def _claim(claim: Claim) -> Row:
    return {
        "claim_id": claim.claim_id,
        "facet": claim.facet,
        "text": claim.text,
        "status": claim.status,
        "confidence": claim.confidence,
    }


def _facets(graph: Graph) -> list[Row]:
    rows: list[Row] = []
    for facet in dict.fromkeys(claim.facet for claim in graph.claims):
        statuses = [claim.status for claim in graph.claims if claim.facet == facet]
        supported = statuses.count("supported")
        missing = "missing" if statuses.count("unresolved") == len(statuses) else "partial"
        rows.append(
            {
                "facet": facet,
                "claim_count": len(statuses),
                "supported_count": supported,
                "conflicted_count": statuses.count("conflicted"),
                "unresolved_count": statuses.count("unresolved"),
                "coverage_status": "covered" if supported == len(statuses) else missing,
            }
        )
    return rows


def _short_ref(manual_id: str, evidence: Evidence) -> Row:
    path, line, _ = evidence.row.key
    return {"manual_id": manual_id, "path": path, "start_line": line}

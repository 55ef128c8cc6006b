"""The answer to a find: status, what was applied, summary, next steps, and every list behind it.

Truthful about what was not looked at. Cache, traces and the wire's short form are elsewhere.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tebiki.manuals.documents.file_types import has_headings
from tebiki.manuals.documents.folders import HARMLESS
from tebiki.manuals.limits import READABLE_CHARS
from tebiki.manuals.ranking.candidates import QueryPart, Search
from tebiki.manuals.ranking.selection import TOP_K
from tebiki.manuals.report import rows as found_rows
from tebiki.manuals.report.claims import Graph, graph_of
from tebiki.manuals.request import Leftover
from tebiki.manuals.text.folding import fold
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.manuals.index.refresh import Fresh
    from tebiki.manuals.ranking.settings import FindSettings
    from tebiki.manuals.request import FindRequest


class Verdict(NamedTuple):
    """A status, why it is not the best one, and which gate the answer rests on."""

    status: str
    failure_reason: str | None
    gate: str
    gate_reason: str
    top_hits: int


def verdict(search: Search, cut: str | None, *, is_whole: bool = True) -> Verdict:
    """Judge a search; a cut one is judged from what it returned.

    One that is not whole left files out that could not be read: a term may be in there.
    """
    top = search.terms_by_row(TOP_K)
    status, why = _judge(search, top, cut)
    if status == "required_none_matched" and not is_whole:
        names = [term.text for term in search.terms]
        status = "term_dropped_or_weakened"
        why = _why("required_terms_not_found_in_readable_files", names)
    gate = "g0" if search.rests_on_g0 else "g_req"
    return Verdict(status, why, gate, _gate_reason(search), sum(map(bool, top)))


def _gate_reason(search: Search) -> str:
    if not search.applied:
        return "no_required_term_left_after_df_guard"
    if search.is_relaxed:
        return "required_gate_empty_fallback_to_g0"
    return "required_gate_cut_short" if search.rests_on_g0 else "g0_and_g_req_fused"


def _judge(search: Search, top: list[frozenset[str]], cut: str | None) -> tuple[str, str | None]:
    held = frozenset[str]().union(*top)
    absent = [term.text for term in search.terms if term.text not in held]
    if cut is not None:
        return ("term_dropped_or_weakened" if absent else "required_effective"), cut
    return _judge_whole(search, absent, len(top))


def _judge_whole(search: Search, absent: list[str], top: int) -> tuple[str, str | None]:
    missing = [term.text for term in search.terms if not term.sections]
    if len(missing) == len(search.terms):
        return "required_none_matched", _why("required_terms_not_found_in_manual_scope", missing)
    if search.is_relaxed:
        names = [term.text for term in search.applied]
        return "required_fallback", _why("zero_candidates_with_required_terms", names)
    reasons = {
        "some_required_terms_not_found_in_manual_scope": missing,
        "required_terms_too_common": [term.text for term in search.dropped],
        f"required_terms_not_in_top_{top}": absent,
    }
    for reason, names in reasons.items():
        if names:
            return "term_dropped_or_weakened", _why(reason, names)
    return "required_effective", None


def _why(reason: str, terms: list[str]) -> str:
    return f"{reason}:{','.join(terms)}"


EXHAUSTIVE = re.compile(
    r"網羅|漏れ[な無]く|もれなく|すべて|全て|全部|全件|包括的|余すところなく"
    r"|\b(?:all|every|everything|exhaustive(?:ly)?|complete list|without exception)\b"
)

Row = dict[str, Any]


def next_actions(
    query: str,
    manual_id: str,
    *,
    search: Search,
    said: Verdict,
    conflicts: list[Row],
    fresh: Fresh,
) -> list[Row]:
    """The steps that are worth taking, the best first."""
    top = search.selection.rows[0].key[:2] if search.selection.rows else None
    steps: list[Row] = []
    if EXHAUSTIVE.search(fold(query)):
        path, line = top or (min(fresh.paths, default=""), 1)
        if path:
            params = {"manual_id": manual_id, "path": path, "start_line": line}
            steps.append(_step("scan", 0.7, params))
    # Both sides of a dispute; and nothing twice, since a section that is read again goes on.
    disputed = [side["ref"] for row in conflicts[:1] for side in (row, *row["conflict_with"])]
    steps += [_step("read", 0.7, _how_to_read(ref)) for ref in disputed]
    if top:
        ref = {"manual_id": manual_id, "path": top[0], "start_line": top[1]}
        if ref not in disputed:
            steps.append(_step("read", 0.65, _how_to_read(ref)))
        params = {"kind": "integrated_top", "offset": 0}
        steps.append(_step("hits", 0.6, params))
    found = [term.text for term in search.terms if term.sections]
    if said.status != "required_effective" and found and len(found) < len(search.terms):
        params = {"query": query, "manual_id": manual_id, "required_terms": found}
        steps.append(_step("find", 0.5, params))
    return steps


def _how_to_read(ref: Row) -> Row:
    """How to read a hit: by its section, or around its line where no headings part the text."""
    if has_headings(ref["path"]):
        return {"ref": ref}
    return {"ref": ref, "scope": "snippet", "expand": {"after_chars": READABLE_CHARS}}


def _step(kind: str, confidence: float, params: Row) -> Row:
    return {"type": kind, "confidence": confidence, "params": params}


class Found(NamedTuple):
    """Everything a find can tell; `lists` by the kinds of `limits.KINDS`.

    It does not know its trace: the same answer may be given again under another one.
    """

    status: str
    failure_reason: str | None
    complete: bool
    unscanned: int
    applied: Row
    summary: Row
    next_actions: list[Row]
    claim_graph: Row | None
    lists: dict[str, Sequence[Row]]
    left: Leftover
    unsupported: dict[str, int]

    @property
    def missing_terms(self) -> list[str]:
        """The required terms that are nowhere."""
        missing: list[str] = self.applied["required_terms_missing"]
        return missing

    @property
    def is_answer(self) -> bool:
        """Tell whether something was found, and no required term is nowhere."""
        return bool(self.lists["candidates"]) and not self.missing_terms

    def to_json(self) -> Row:
        """Everything, as JSON can hold it."""
        lists = {kind: list(rows) for kind, rows in self.lists.items()}
        return {**self._asdict(), "lists": lists, "left": self.left.to_json()}

    @staticmethod
    def from_json(row: Row) -> Found:
        """The same, from what `to_json` gave."""
        return Found(**{**row, "left": Leftover.from_json(row["left"])})


def report(request: FindRequest, fresh: Fresh, search: Search, settings: FindSettings) -> Found:
    """Put a search into words and rows."""
    rows = search.selection.rows
    unscanned = found_rows.unscanned(fresh, search, request.only)
    is_cut = search.cut is not None or any(row["reason"] == "time_budget" for row in unscanned)
    complete = not is_cut and all(row["reason"] in HARMLESS for row in unscanned)
    cut = search.cut or ("time_budget" if is_cut else None)
    said = verdict(search, cut, is_whole=complete)
    parts = [QueryPart(answer.gate.query, answer.plan) for answer in search.sub_answers]
    graph = graph_of(QueryPart(request.query, search.plan), parts, search.selection)
    candidates = found_rows.candidates(request.manual_id, search, graph)
    conflicts = found_rows.conflicts(request.manual_id, graph)
    bias = found_rows.bias_of(rows)
    gaps = found_rows.gaps(search, graph, unscanned, bias, settings)
    lists: dict[str, Sequence[Row]] = {
        "candidates": candidates,
        "integrated_top": candidates,
        "unscanned": found_rows.left_out(unscanned, fresh),
        "conflicts": conflicts,
        "gaps": gaps,
        "gate_runs": found_rows.gate_runs(search, graph, cut),
        "fusion_debug": found_rows.fusion_debug(search, candidates),
        "claims": [],
        "evidences": [],
        "edges": [],
    }
    shown = None
    if request.include_claim_graph:
        shown = found_rows.claim_graph(request.manual_id, graph)
        lists |= {kind: shown[kind] for kind in ("claims", "evidences", "edges")}
    files, nodes = _count_scanned(fresh, search, unscanned, request.only)
    return Found(
        status=said.status,
        failure_reason=said.failure_reason,
        complete=complete,
        unscanned=len(lists["unscanned"]),
        applied=_applied_row(request, search, said, cut),
        summary={
            "scanned_files": files,
            "scanned_nodes": nodes,
            "candidates": len(rows),
            "file_bias_ratio": round(bias, 4),
            "conflict_count": len(conflicts),
            "gap_count": len(gaps),
            "integration_status": _integration(search, graph, conflicts, gaps, settings),
        },
        next_actions=next_actions(
            request.query,
            request.manual_id,
            search=search,
            said=said,
            conflicts=conflicts,
            fresh=fresh,
        ),
        claim_graph=shown,
        lists=lists,
        left=_leftover_of(search, fresh, cut, unscanned, request.only),
        unsupported=dict(fresh.kinds),
    )


def scope_of(fresh: Fresh, only: Leftover) -> frozenset[str]:
    """The files that were left, as far as there are such files now."""
    return frozenset(filter(only.has, fresh.paths))


def _leftover_of(
    search: Search, fresh: Fresh, cut: str | None, unscanned: list[Row], only: Leftover | None
) -> Leftover:
    """What there is to go on with; who had no time may not even have seen all files."""
    paths = frozenset(row["path"] for row in unscanned)
    if cut == "candidate_cap":
        return Leftover(paths, sections=search.left, state=fresh.fingerprint)
    if cut != "time_budget":
        return Leftover(paths)
    if only is None or only.searched is not None:
        before = only.searched if only is not None and only.searched is not None else frozenset()
        return Leftover(paths, before | (search.scored - paths))
    left = only.sections_in(fresh.fingerprint)
    if left is None:
        return Leftover(paths)
    done = {row.key for row in search.ranked}
    return Leftover(paths, sections=left - done, state=fresh.fingerprint)


def _count_scanned(
    fresh: Fresh, search: Search, unscanned: list[Row], only: Leftover | None
) -> tuple[int, int]:
    """How many files in scope were searched to the end, and how many sections they have.

    Where single sections were left, those that were scored now.
    """
    scope = fresh.paths if only is None else scope_of(fresh, only)
    missing = {path for row in unscanned if (path := row["path"]) in scope}
    files = len(scope) - len(missing)
    if only is not None and only.sections_in(fresh.fingerprint) is not None:
        return files, len(search.ranked)
    if only is None and len(missing) <= files:  # the few are counted, whichever they are
        return files, fresh.sections - (fresh.postings.sections_in(missing) if missing else 0)
    return files, fresh.postings.sections_in(scope - missing) if files else 0


def _integration(
    search: Search, graph: Graph, conflicts: list[Row], gaps: list[Row], settings: FindSettings
) -> str:
    """Ready when the evidence holds enough, or when reading on would bring nothing new."""
    if not search.selection.rows:
        return "blocked"
    is_enough = graph.coverage >= settings.coverage_min_ratio
    is_exhausted = graph.last_gain < settings.marginal_gain_min
    return (
        "ready" if not conflicts and not gaps and (is_enough or is_exhausted) else "needs_followup"
    )


def _applied_row(request: FindRequest, search: Search, said: Verdict, cut: str | None) -> Row:
    return {
        "manual_id": request.manual_id,
        "requested_expand_scope": request.expand_scope,
        "expand_scope": False,
        "required_terms_source": "user",
        "required_terms_decision_reason": "provided_by_caller",
        "requested_required_terms": list(request.required_terms),
        "required_terms": [term.text for term in search.applied],
        "required_terms_df_filtered": [
            {
                "term": term.text,
                "doc_freq": term.sections,
                "doc_freq_ratio": round(term.ratio, 4),
                "reason": term.reason,
                "dropped": term in search.dropped,
            }
            for term in search.terms
            if term.reason == "too_rare" or term in search.dropped
        ],
        "required_terms_relaxed": search.is_relaxed,
        "required_terms_relax_reason": "zero_candidates_with_required_terms"
        if search.is_relaxed
        else None,
        "required_effect_status": said.status,
        "required_failure_reason": said.failure_reason,
        "required_strict_candidates": search.totals.strict,
        "required_filtered_candidates": search.totals.filtered,
        "required_terms_match_stats": [
            {
                "term": term.text,
                "matched_docs": term.sections,
                "matched_doc_ratio": round(term.ratio, 4),
            }
            for term in search.terms
        ],
        # Of a term that was not looked for everywhere nobody can say that it is missing.
        "required_terms_missing": []
        if cut == "time_budget"
        else [term.text for term in search.terms if not term.sections],
        "required_top_k": min(TOP_K, len(search.selection.rows)),
        "required_top_hits": said.top_hits,
        "selected_gate": said.gate,
        "gate_selection_reason": said.gate_reason,
    }

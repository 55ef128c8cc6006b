"""Whether the required terms did their work, judged from the text of the sections returned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.ranking.selection import TOP_K
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.manuals.ranking.candidates import Search


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
    top = [row.stored for row in search.selection.rows[:TOP_K]]
    hits = sum(any(term.occurs_in(stored) for term in search.terms) for stored in top)
    status, why = _judge(search, cut)
    if status == "required_none_matched" and not is_whole:
        names = [term.text for term in search.terms]
        status = "term_dropped_or_weakened"
        why = _why("required_terms_not_found_in_readable_files", names)
    gate = "g0" if search.rests_on_g0 else "g_req"
    return Verdict(status, why, gate, _gate_reason(search), hits)


def _gate_reason(search: Search) -> str:
    if not search.applied:
        return "no_required_term_left_after_df_guard"
    if search.is_relaxed:
        return "required_gate_empty_fallback_to_g0"
    return "required_gate_cut_short" if search.rests_on_g0 else "g0_and_g_req_fused"


def _judge(search: Search, cut: str | None) -> tuple[str, str | None]:
    top = [row.stored for row in search.selection.rows[:TOP_K]]
    absent = [
        term.text for term in search.terms if not any(term.occurs_in(stored) for stored in top)
    ]
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

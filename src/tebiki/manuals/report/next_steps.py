"""What to do next after a find: which of the library's methods, and with which parameters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tebiki.manuals.documents.walking import file_type
from tebiki.manuals.limits import READABLE_CHARS
from tebiki.manuals.text.folding import fold

if TYPE_CHECKING:
    from tebiki.manuals.index.refresh import Fresh
    from tebiki.manuals.ranking.candidates import Search
    from tebiki.manuals.report.status import Verdict

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
    steps += [_step("read", 0.7, _reading(ref)) for ref in disputed]
    if top:
        ref = {"manual_id": manual_id, "path": top[0], "start_line": top[1]}
        if ref not in disputed:
            steps.append(_step("read", 0.65, _reading(ref)))
        params = {"kind": "integrated_top", "offset": 0}
        steps.append(_step("hits", 0.6, params))
    found = [term.text for term in search.terms if term.sections]
    if said.status != "required_effective" and found and len(found) < len(search.terms):
        params = {"query": query, "manual_id": manual_id, "required_terms": found}
        steps.append(_step("find", 0.5, params))
    return steps


def _reading(ref: Row) -> Row:
    """How to read a hit: a JSON file is read from its beginning, unless a snippet is wanted."""
    if file_type(ref["path"]) != "json":
        return {"ref": ref}
    return {"ref": ref, "scope": "snippet", "expand": {"after_chars": READABLE_CHARS}}


def _step(kind: str, confidence: float, params: Row) -> Row:
    return {"type": kind, "confidence": confidence, "params": params}

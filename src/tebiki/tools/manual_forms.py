"""What the manuals engine found, as callers read it: short over the wire, or in full.

Functions over the engine's values, for the tools, the command line and evaluations. Nothing of the
engine is imported here: a first call must not wait for what another one needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.files.limits import MOST_CHARS
from tebiki.manuals.limits import MOST_INLINE, MOST_SECTIONS_READ
from tebiki.tools.outputs import lines_form, page_form
from tebiki.values.pages import page_row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tebiki.errors import TebikiError
    from tebiki.manuals.client_memory import FindAnswer, Hits
    from tebiki.manuals.contents import Contents, FileItem, Scope
    from tebiki.manuals.listing import Item, Listing
    from tebiki.manuals.reading import Passage, ScanPart
    from tebiki.manuals.why_not import Fate

Form = dict[str, Any]

FIRST_CALL = "manual_ls"
REMEDIES = {
    "list_first": f"Call {FIRST_CALL} first: it tells which manuals there are and by which ids.",
    "list": "manual_ls lists those there are.",
    "list_files": "manual_ls and manual_toc list those there are.",
    "read": "Read it with manual_read or manual_scan.",
    "scan": "Use manual_scan.",
    "search": "Use manual_find.",
}
"""Which tools help where an engine knows a remedy."""

MOST_SKIPPED_SHOWN = 20
REF_KEYS = ("manual_id", "path", "start_line")
ROW_KEYS = {
    "candidates": ("score", "matched_tokens", "page", "slide"),
    "integrated_top": ("title", "score", "matched_tokens", "page", "slide"),
}
"""What the short form of a ranked row has beside its ref."""


def listing_form(listing: Listing) -> Form:
    """What is directly below an id."""
    form: Form = {"id": listing.id, "items": [_item_form(item) for item in listing.items]}
    return form | ({"unsupported": dict(listing.unsupported)} if listing.unsupported else {})


def _item_form(item: Item) -> Form:
    form = {"id": item.id, "name": item.name, "kind": item.kind}
    return form | ({"path": item.path, "file_type": item.file_type} if item.path else {})


def contents_form(contents: Contents) -> Form:
    """One page of a manual's files."""
    end = contents.scope.offset + len(contents.items)
    form: Form = {
        "applied": _scope_form(contents.scope),
        "total_files": contents.total_files,
        "next_cursor": {"offset": end} if end < contents.total_files else None,
        "items": [_file_form(item) for item in contents.items],
    }
    if contents.unsupported:
        form["unsupported"] = dict(contents.unsupported)
    if not contents.skipped:
        return form
    skipped = [file.row() for file in contents.skipped[:MOST_SKIPPED_SHOWN]]
    return form | {"total_skipped": len(contents.skipped), "skipped": skipped}


def _scope_form(scope: Scope) -> Form:
    return {
        "manual_id": scope.manual_id,
        "path_prefix": scope.path_prefix,
        "depth": "deep" if scope.is_deep else "shallow",
        "max_files": scope.max_files,
        "include_headings": scope.is_deep,
        "max_headings_per_file": scope.max_headings,
        "offset": scope.offset,
    }


def _file_form(item: FileItem) -> Form:
    headings = [
        {"title": one.title, "line_start": one.line, **page_row(one.page)} for one in item.headings
    ]
    form: Form = {"path": item.path, "headings": headings}
    if item.has_more:
        form["more_headings"] = True
    return form | ({"unreadable": item.reason} if item.reason else {})


def passage_form(passage: Passage) -> Form:
    """What was read around a place."""
    page = passage.page
    form: Form = {
        "text": page.text,
        "truncated": not page.is_last if passage.goes_on else page.is_cut,
        "applied": {
            "scope": passage.scope,
            "max_sections": MOST_SECTIONS_READ if passage.scope == "sections" else None,
            "max_chars": MOST_CHARS,
            "mode": "scan_fallback" if passage.goes_on else "read",
        },
    }
    first, last = passage.pages
    form |= page_row(first)
    if last != first:
        form |= page_row(last, "last_")
    if passage.goes_on:
        form |= {"applied_range": lines_form(page), "eof": page.is_last}
    if passage.goes_on or page.is_cut:
        form["next_cursor"] = {"char_offset": page.next_offset}
    return form


def scan_form(part: ScanPart) -> Form:
    """A page of a file that is read on and on."""
    return {"manual_id": part.manual_id, "path": part.path, **page_form(part.page)}


def find_form(answer: FindAnswer) -> Form:
    """What a model needs to go on after a find, and no more."""
    found = answer.found
    page = answer.first_hits(min(answer.inline_limit, MOST_INLINE))
    form: Form = {
        "trace_id": answer.trace_id,
        "candidates": page.total,
        "status": found.status,
        "failure_reason": found.failure_reason,
        # The hits are the next step; steps with their parameters are in the full form.
        "next_actions": [],
        "inline_hits": hits_form(page),
        "complete": found.complete,
        "unscanned": found.unscanned,
    }
    return form | ({"unsupported": found.unsupported} if found.unsupported else {})


def full_find_form(answer: FindAnswer) -> Form:
    """Everything a find can tell but the rows, for Python and the command line."""
    found = answer.found
    form: Form = {
        "trace_id": answer.trace_id,
        "status": found.status,
        "failure_reason": found.failure_reason,
        "complete": found.complete,
        "unscanned": found.unscanned,
        "applied": found.applied,
        "summary": found.summary,
        "next_actions": [_step_form(step, answer.trace_id) for step in found.next_actions],
    }
    if found.unsupported:
        form["unsupported"] = found.unsupported
    if found.claim_graph is not None:
        form["claim_graph"] = found.claim_graph
    return form


def _step_form(step: Form, trace_id: str) -> Form:
    """A step by the name of the tool that takes it; rows are those of this find."""
    params = {"trace_id": trace_id, **step["params"]} if step["type"] == "hits" else step["params"]
    return {**step, "type": f"manual_{step['type']}", "params": params}


def hits_form(page: Hits) -> Form:
    """Rows as short as a model can use them."""
    if page.kind not in ROW_KEYS:
        return full_hits_form(page)
    form = _page_form(page, [_short_row(page.kind, row, page.manual_id) for row in page.rows])
    if page.manual_id is None:
        return form
    return {"trace_id": page.trace_id, "manual_id": page.manual_id, **form}


def full_hits_form(page: Hits) -> Form:
    """Every row whole."""
    return _page_form(page, [dict(row) for row in page.rows])


def _page_form(page: Hits, items: list[Form]) -> Form:
    return {
        "trace_id": page.trace_id,
        "kind": page.kind,
        "offset": page.offset,
        "limit": page.limit,
        "total": page.total,
        "items": items,
    }


def _short_row(kind: str, row: Mapping[str, Any], shared: str | None) -> Form:
    ref = {
        key: row["ref"][key]
        for key in REF_KEYS
        if key in row["ref"] and not (key == "manual_id" and shared is not None)
    }
    return {"ref": ref, **{key: row[key] for key in ROW_KEYS[kind] if key in row}}


def fate_form(fate: Fate) -> Form:
    """How far a section came in a find."""
    return {
        "ref": {"path": fate.path, "start_line": fate.start_line},
        "title": fate.title,
        "stage": fate.stage,
        "words": fate.words,
        "score": fate.score,
        "parts": dict(fate.parts),
    }


def name_tools(failure: TebikiError) -> None:
    """Add to a failure by which tool a client helps itself."""
    if failure.remedy is not None:
        failure.args = (f"{failure} {REMEDIES[failure.remedy]}",)
    if failure.remedy == "list_first":
        failure.details = {"required_first_call": FIRST_CALL}

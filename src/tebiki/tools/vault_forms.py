"""What the vault answers, as callers read it; what is not here goes out as its fields stand.

Functions over the engine's values, for the tools and the command line. Nothing of the engine is
imported here: a server is listed before its engine is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.files.limits import MOST_CHARS
from tebiki.tools.outputs import lines_form, page_form

if TYPE_CHECKING:
    from tebiki.manuals.folder_search import FolderHits
    from tebiki.vault.results import ReadPart, Replaced, VaultListing, VaultScanPart

Form = dict[str, Any]


def listing_form(listing: VaultListing) -> Form:
    """What is in a folder."""
    return {"base_path": listing.base_path, "items": [item._asdict() for item in listing.items]}


def read_form(part: ReadPart) -> Form:
    """A page of a range or of a whole file."""
    page = part.page
    reason = "none" if page.is_last else "max_chars" if page.is_cut else "range_end"
    return {
        "text": page.text,
        "truncated": not page.is_last,
        "returned_chars": len(page.text),
        "applied_range": lines_form(page),
        "next_cursor": {"char_offset": page.next_offset},
        "truncated_reason": reason,
        "applied": {
            "full": part.full,
            "max_chars": MOST_CHARS,
            "encoding": page.encoding,
            "etag": part.etag,
        },
    }


def scan_form(part: VaultScanPart) -> Form:
    """A page of a file that is read on and on."""
    form = page_form(part.page)
    return form | {"applied": {**form["applied"], "etag": part.etag}}


def folder_hits_form(found: FolderHits) -> Form:
    """What was found in the notes."""
    items = [hit._asdict() for hit in found.hits]
    return {
        "total": found.total,
        "items": items,
        "complete": found.complete,
        "unscanned": found.unscanned,
    }


def replaced_form(done: Replaced) -> Form:
    """What was replaced, or would be; a diff where there is one."""
    form = done._asdict()
    return form if done.diff is not None else {k: v for k, v in form.items() if k != "diff"}

"""What the results of file tools have in common: their schemas, and the form of a page of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.files.limits import MOST_CHARS

if TYPE_CHECKING:
    from tebiki.files.reading import Page

TEXT = {"type": "string"}
FLAG = {"type": "boolean"}
COUNT = {"type": "integer"}
OBJECT = {"type": "object"}
OBJECTS = {"type": "array", "items": OBJECT}
NOTHING = {"type": "null"}
# Branches and not a list of types: some hosts map schemas onto dialects with one type each.
TEXT_OR_NULL = {"anyOf": [TEXT, NOTHING]}
OBJECT_OR_NULL = {"anyOf": [OBJECT, NOTHING]}
CURSOR = {"type": "object", "properties": {"char_offset": {"anyOf": [COUNT, NOTHING]}}}


def or_error(properties: dict[str, Any]) -> dict[str, Any]:
    """Admit the error object too: some clients validate a failed result all the same."""
    failure = {"code": TEXT, "message": TEXT, "details": OBJECT}
    return {"type": "object", "properties": {**properties, **failure}}


def page_form(page: Page) -> dict[str, Any]:
    """A page of a file that is read on and on."""
    return {
        "text": page.text,
        "applied_range": lines_form(page),
        "next_cursor": {"char_offset": page.next_offset},
        "eof": page.is_last,
        "truncated": not page.is_last,
        "truncated_reason": "none" if page.is_last else "max_chars",
        "applied": {"max_chars": MOST_CHARS, "encoding": page.encoding},
    }


def lines_form(page: Page) -> dict[str, int]:
    """The lines that a page has."""
    return {"start_line": page.first_line, "end_line": page.last_line}

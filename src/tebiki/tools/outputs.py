"""The words in which file tools describe their results as JSON schema: data, and one rule."""

from __future__ import annotations

from typing import Any

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

"""Halves of surrogate pairs, which JSON may hold and no UTF-8 reader can take."""

from __future__ import annotations

from typing import Any


def without_lone_surrogates(text: str) -> str:
    """Put a replacement sign in the place of each half that stands alone."""
    if text.isascii():
        return text
    # In UTF-16 a half is one unit, and one sign takes its place; in UTF-8 it would be three.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def without_lone_surrogates_inside(value: Any) -> Any:
    """Do the same to every string of a JSON value, the names of keys included."""
    if isinstance(value, str):
        return without_lone_surrogates(value)
    if isinstance(value, list):
        return [without_lone_surrogates_inside(entry) for entry in value]
    if isinstance(value, dict):
        return {
            without_lone_surrogates(key): without_lone_surrogates_inside(entry)
            for key, entry in value.items()
        }
    return value

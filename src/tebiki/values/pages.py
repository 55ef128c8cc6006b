"""A page of an original, `page 12` or `slide 3`: as rows have it, and as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

KINDS = ("page", "slide")


def page_row(page: str, before: str = "") -> dict[str, int]:
    """A page as part of a row, `{"page": 12}`; nothing where none is known.

    `before` stands in front of its name: `first_page`.
    """
    kind, _, number = page.partition(" ")
    return {f"{before}{kind}": int(number)} if number else {}


def page_words(row: Mapping[str, Any], before: str = "") -> str:
    """The page in a row, for people; empty where none is known."""
    known = (kind for kind in KINDS if f"{before}{kind}" in row)
    return next((f"{kind} {row[before + kind]}" for kind in known), "")

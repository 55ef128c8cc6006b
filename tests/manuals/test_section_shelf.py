"""Sections of published manuals that a server has at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tebiki.manuals.index.opensearch.shelf import LATELY, SectionShelf

if TYPE_CHECKING:
    from tebiki.manuals.index.values import Stored

SECTION = cast("Stored", object())


def test_a_shelf_is_bare_until_most_of_what_is_looked_for_is_there() -> None:
    """And again when others are asked for: so long they come along with whatever names them."""
    shelf = SectionShelf()
    shelf.put("kept", SECTION, 100)

    told = [shelf.is_bare]
    for section_id in ("kept", "other", "kept"):
        for _ in range(5 * LATELY):
            shelf.get(section_id)
        told.append(shelf.is_bare)

    assert told == [True, False, True, False]


def test_a_shelf_forgets_what_came_first() -> None:
    """It is bounded, however much is put there."""
    shelf = SectionShelf(most_bytes=100_000)

    for number in range(1000):
        shelf.put(str(number), SECTION, 1000)

    assert shelf.get("0") is None
    assert shelf.get("999") is SECTION

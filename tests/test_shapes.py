"""Shapes at their edges: what a value may be where a schema alone does not tell."""

from __future__ import annotations

import pytest

from tebiki.shapes import Integer, NotOfShape


def test_an_integer_ends_where_a_float_does() -> None:
    """So that whoever divides it gets a number."""
    assert Integer(least=1).read(10**300) / 1000 == 1e297

    with pytest.raises(NotOfShape, match="must be an integer of at least 1, got a number of 401"):
        Integer(least=1).read(10**400)
    with pytest.raises(NotOfShape, match="must be an integer"):
        Integer().from_text("-" + "9" * 400)

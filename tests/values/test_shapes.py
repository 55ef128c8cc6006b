"""Shapes at their edges: what a value may be where a schema alone does not tell."""

from __future__ import annotations

import pytest

from tebiki.values.shapes import Integer, NotOfShape, Number


def test_an_integer_ends_where_a_float_does() -> None:
    """So that whoever divides it gets a number."""
    assert Integer(least=1).read(10**300) / 1000 == 1e297

    with pytest.raises(NotOfShape, match="must be an integer of at least 1, got a number of 401"):
        Integer(least=1).read(10**400)
    with pytest.raises(NotOfShape, match="must be an integer"):
        Integer().from_text("-" + "9" * 400)


@pytest.mark.parametrize("shape", [Integer(), Number()], ids=["integer", "number"])
def test_a_number_is_written_in_plain_digits(shape: Integer | Number) -> None:
    """Python alone would take underscores and the digits of other scripts too."""
    for text in ("1_0", "１０", "١٠"):
        with pytest.raises(NotOfShape, match="must be"):
            shape.from_text(text)

    assert shape.from_text(" +10\n") == 10


def test_a_number_may_have_a_point_and_an_exponent() -> None:
    """Where an integer may not."""
    assert [Number().from_text(text) for text in ("-1.5", ".5", "1e3")] == [-1.5, 0.5, 1000]

    for text in ("1.0", "1e3"):
        with pytest.raises(NotOfShape, match="must be an integer"):
            Integer().from_text(text)

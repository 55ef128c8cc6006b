"""Ours are what `typing.NamedTuple` makes of the same class, at a third of the price."""

from __future__ import annotations

import pickle
import typing

import pytest

from tebiki.named_tuples import NamedTuple


class Point(NamedTuple):
    """Somewhere."""

    x: int
    y: int = 2

    @property
    def far(self) -> bool:
        """Tell whether it is not here."""
        return self.x + self.y > 10

    def moved(self, by: int) -> Point:
        """The point beside it."""
        return self._replace(x=self.x + by)


class TypingPoint(typing.NamedTuple):
    """Somewhere."""

    x: int
    y: int = 2


def test_ours_is_a_named_tuple() -> None:
    """It is made, compared, taken apart, shown and kept like one."""
    point = Point(1)

    assert point == Point(x=1, y=2) == (1, 2)
    assert repr(point) == "Point(x=1, y=2)"
    assert point.moved(9).far
    assert not point.far
    assert Point.__bases__ == (tuple,)
    assert pickle.loads(pickle.dumps(point)) == point  # noqa: S301
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point(y=1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "told",
    ["_fields", "_field_defaults", "__doc__", "__module__", "__slots__", "__match_args__"],
)
def test_ours_tells_the_same_of_itself(told: str) -> None:
    """As one that `typing` has made."""
    assert getattr(Point, told) == getattr(TypingPoint, told)


def test_its_types_can_be_asked_for() -> None:
    """They are kept as text, and read by whoever wants them."""
    assert typing.get_type_hints(Point) == typing.get_type_hints(TypingPoint)


def test_ours_has_no_second_base() -> None:
    """It would be lost without a word."""
    with pytest.raises(ValueError, match="too many values"):

        class Both(NamedTuple, dict):  # type: ignore[misc, type-arg]
            x: int


def test_a_field_without_a_default_comes_first() -> None:
    """Otherwise it would be given the default of another one."""
    with pytest.raises(TypeError, match="come last"):

        class Wrong(NamedTuple):
            x: int = 1
            y: int  # type: ignore[misc]

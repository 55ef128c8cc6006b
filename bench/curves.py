"""Curves over logarithmic axes, as SVG inside a page and in its colours. Pure functions.

Drawn as wide as a phone, so that the words in them stay readable there; the page limits the width.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from tebiki.evals.markup import Markup, tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WIDTH, HEIGHT = 360, 230
LEFT, RIGHT, TOP, FOOT = 40, 18, 20, 24
STEPS = (1, 2, 5)
FEW_DECADES = 1.5
"""An axis that spans less is marked between the powers of ten too."""

FACTORS = ((1e6, "M"), (1e3, "k"))
ROUNDED_UP = 0.9995
"""Three digits of so much of a factor are those of the factor itself."""

INSET = 12
SHORTEST = 8
"""How many times the least value of its axis the most one is, at least."""

LABEL_ABOVE, LABEL_BELOW = -8, 16


class Curve(NamedTuple):
    """Values by size, all above zero; a yardstick is drawn faintly and without its numbers."""

    name: str
    points: tuple[tuple[float, float], ...]
    is_yardstick: bool = False


class Axis(NamedTuple):
    """A stretch of a logarithmic axis, on so many units of the drawing."""

    least: float
    most: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """Where a value stands."""
        whole = math.log10(self.most / self.least)
        return self.start + (self.end - self.start) * math.log10(value / self.least) / whole

    def marks(self) -> list[float]:
        """The round values to draw a line at."""
        steps = STEPS if math.log10(self.most / self.least) < FEW_DECADES else STEPS[:1]
        powers = range(math.floor(math.log10(self.least)), math.ceil(math.log10(self.most)) + 1)
        marks = [step * 10.0**power for power in powers for step in steps]
        return [mark for mark in marks if self.least <= mark <= self.most]


def drawn(title: str, curves: Sequence[Curve]) -> Markup:
    """A plot of curves that have a point."""
    sizes = [size for curve in curves for size, _ in curve.points]
    values = [value for curve in curves for _, value in curve.points]
    wide = _axis(sizes, LEFT + INSET, WIDTH - RIGHT)
    tall = _axis(values, HEIGHT - FOOT - LABEL_BELOW, TOP, shortest=SHORTEST)
    parts = [*_grid(sorted(set(sizes)), wide, tall), *_lines(curves, wide, tall)]
    return tag(
        "svg",
        tag("title", title),
        *parts,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        xmlns="http://www.w3.org/2000/svg",
    )


def short(value: float) -> str:
    """A number with at most three digits that matter."""
    for factor, letter in FACTORS:
        if value >= factor * ROUNDED_UP:
            return f"{value / factor:.3g}{letter}"
    return f"{value:.3g}"


def classes(curves: Iterable[Curve]) -> list[str]:
    """The class of each curve: ours by one count, yardsticks by another."""
    seen = {True: 0, False: 0}
    names = []
    for curve in curves:
        seen[curve.is_yardstick] += 1
        names.append(f"{'yard' if curve.is_yardstick else 'ours'}{seen[curve.is_yardstick]}")
    return names


def _axis(values: Sequence[float], start: float, end: float, shortest: float = 2) -> Axis:
    """An axis with room for all; long enough that what is nearly the same looks so."""
    least, most = min(values), max(values)
    missing = shortest * least / most
    if missing > 1:
        least, most = least / math.sqrt(missing), most * math.sqrt(missing)
    return Axis(least, most, start, end)


def _grid(sizes: Sequence[float], wide: Axis, tall: Axis) -> list[Markup]:
    """Lines at round values, and a mark at each size that was measured."""
    floor = HEIGHT - FOOT
    parts = []
    for mark in tall.marks():
        y = tall.place(mark)
        parts.append(tag("line", x1=LEFT, x2=WIDTH - RIGHT + 8, y1=y, y2=y, class_="grid"))
        parts.append(_text(short(mark), LEFT - 6, y + 4, "end"))
    for size in sizes:
        x = wide.place(size)
        parts.append(tag("line", x1=x, x2=x, y1=floor, y2=floor + 4, class_="axis"))
        parts.append(_text(short(size), x, HEIGHT - 6, "middle"))
    parts.append(tag("line", x1=LEFT, x2=WIDTH - RIGHT + 8, y1=floor, y2=floor, class_="axis"))
    return parts


def _lines(curves: Sequence[Curve], wide: Axis, tall: Axis) -> list[Markup]:
    lines: list[Markup] = []
    dots: list[Markup] = []
    labels: list[Markup] = []
    most = _most([curve for curve in curves if not curve.is_yardstick])
    for curve, kind in zip(curves, classes(curves), strict=True):
        places = [(wide.place(size), tall.place(value)) for size, value in curve.points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        lines.append(tag("polyline", points=path, class_=f"curve {kind}"))
        for (x, y), (size, value) in zip(places, curve.points, strict=True):
            told = tag("title", f"{curve.name}: {short(value)} at {short(size)}")
            dots.append(tag("circle", told, cx=x, cy=y, r=3, class_=f"dot {kind}"))
            if not curve.is_yardstick:
                away = LABEL_ABOVE if value >= most[size] else LABEL_BELOW
                labels.append(_text(short(value), x, y + away, "middle", "label halo"))
    return lines + dots + labels


def _most(curves: Sequence[Curve]) -> dict[float, float]:
    """The largest value at each size: its number stands above it, all others below."""
    found: dict[float, float] = {}
    for size, value in (point for curve in curves for point in curve.points):
        found[size] = max(value, found.get(size, value))
    return found


def _text(words: str, x: float, y: float, anchor: str, kind: str = "value") -> Markup:
    return tag("text", words, x=x, y=y, text_anchor=anchor, class_=kind)

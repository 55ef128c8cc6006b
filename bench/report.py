"""Figures and how they are shown: spreads, rows with ratio and target, tables, JSON.

Nothing here measures anything, and nothing draws: `page` and `markdown` do.
"""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

HEADINGS = ("", "median", "p5..p95", "n", "ratio", "target", "met")


@dataclass(frozen=True, slots=True)
class Spread:
    """Samples of one figure, summed up."""

    median: float
    p5: float
    p95: float
    count: int


def spread_of(samples: Sequence[float]) -> Spread:
    """Sum up samples; a single one is its own median and has no width."""
    if len(samples) == 1:
        return Spread(samples[0], samples[0], samples[0], 1)
    twentieths = statistics.quantiles(samples, n=20, method="inclusive")
    return Spread(statistics.median(samples), twentieths[0], twentieths[-1], len(samples))


@dataclass(frozen=True, slots=True)
class Goal:
    """What a row is to reach, in words, and whether it does."""

    words: str
    met: bool


def at_most(value: float, limit: float, unit: str) -> Goal:
    """Make the goal of a figure that may not be larger."""
    return Goal(f"<= {limit:g}{unit}", value <= limit)


def at_least(value: float, limit: float, unit: str) -> Goal:
    """Make the goal of a figure that may not be smaller."""
    return Goal(f">= {limit:g}{unit}", value >= limit)


def below(value: float, limit: float, unit: str) -> Goal:
    """Make the goal of a figure that must be smaller."""
    return Goal(f"< {limit:g}{unit}", value < limit)


@dataclass(frozen=True, slots=True)
class Point:
    """Where a row's median stands in a plot of `page`: on which curve, and over which size."""

    plot: str
    curve: str
    size: float


@dataclass(frozen=True, slots=True)
class Row:
    """One figure; the ratio is to the yardstick's median."""

    what: str
    unit: str
    spread: Spread
    ratio: float | None = None
    goal: Goal | None = None
    point: Point | None = None

    def cells(self) -> tuple[str, ...]:
        """The row for a person, one text for each of `HEADINGS`."""
        spread, goal = self.spread, self.goal
        width = f"{figure(spread.p5)}..{figure(spread.p95)}" if spread.count > 1 else ""
        return (
            self.what,
            f"{figure(spread.median)} {self.unit}".rstrip(),
            width,
            str(spread.count),
            "" if self.ratio is None else f"{self.ratio:.2f}x",
            "" if goal is None else goal.words,
            "" if goal is None else ("yes" if goal.met else "NO"),
        )


def count_row(what: str, count: float, goal: Goal | None = None) -> Row:
    """A row of something that was counted."""
    return Row(what, "", spread_of([count]), goal=goal)


def none_row(what: str, count: int) -> Row:
    """A row of something that must not be."""
    return count_row(what, count, Goal("= 0", count == 0))


@dataclass(frozen=True, slots=True)
class Table:
    """What one measurement found."""

    name: str
    title: str
    rows: tuple[Row, ...]

    def as_json(self) -> dict[str, Any]:
        """Every figure, unrounded."""
        return asdict(self)

    def missed(self) -> list[str]:
        """What did not reach its goal."""
        return [row.what for row in self.rows if row.goal is not None and not row.goal.met]

    def text(self) -> str:
        """The table for a person."""
        lines = [HEADINGS, *(row.cells() for row in self.rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
        shown = [_aligned(line, widths) for line in lines]
        return "\n".join([f"== {self.name}: {self.title}", *shown, ""])


def table_of(content: Mapping[str, Any]) -> Table:
    """Read back what `as_json` gave."""
    return Table(content["name"], content["title"], tuple(map(_row_of, content["rows"])))


def _row_of(content: Mapping[str, Any]) -> Row:
    goal, point = content["goal"], content["point"]
    return Row(
        content["what"],
        content["unit"],
        Spread(**content["spread"]),
        content["ratio"],
        None if goal is None else Goal(**goal),
        None if point is None else Point(**point),
    )


def _aligned(cells: Iterable[str], widths: Sequence[int]) -> str:
    first, *rest = (
        cell.rjust(width) if column else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([first, *rest]).rstrip()


def figure(value: float) -> str:
    """Three digits that matter, without an exponent; a whole number has no others."""
    if value == int(value):
        return f"{int(value):,}"
    for limit, decimals in ((10, 2), (100, 1)):
        if abs(value) < limit:
            return f"{value:.{decimals}f}"
    return f"{value:,.0f}"

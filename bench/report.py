"""Figures and how they are shown: spreads, rows with ratio and target, tables, JSON.

Nothing here measures anything.
"""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


def below(value: float, limit: float, unit: str) -> Goal:
    """Make the goal of a figure that must be smaller."""
    return Goal(f"< {limit:g}{unit}", value < limit)


@dataclass(frozen=True, slots=True)
class Row:
    """One figure; the ratio is to the yardstick's median."""

    what: str
    unit: str
    spread: Spread
    ratio: float | None = None
    goal: Goal | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """What one measurement found."""

    name: str
    title: str
    rows: tuple[Row, ...]

    def as_json(self) -> dict[str, Any]:
        """Every figure, unrounded."""
        return asdict(self)

    def text(self) -> str:
        """The table for a person."""
        lines = [HEADINGS, *(_cells(row) for row in self.rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
        shown = [_aligned(line, widths) for line in lines]
        return "\n".join([f"== {self.name}: {self.title}", *shown, ""])


def _aligned(cells: Iterable[str], widths: Sequence[int]) -> str:
    first, *rest = (
        cell.rjust(width) if column else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([first, *rest]).rstrip()


def _cells(row: Row) -> tuple[str, ...]:
    spread, goal = row.spread, row.goal
    width = f"{_figure(spread.p5)}..{_figure(spread.p95)}" if spread.count > 1 else ""
    return (
        row.what,
        f"{_figure(spread.median)} {row.unit}",
        width,
        str(spread.count),
        "" if row.ratio is None else f"{row.ratio:.2f}x",
        "" if goal is None else goal.words,
        "" if goal is None else ("yes" if goal.met else "NO"),
    )


def _figure(value: float) -> str:
    """Three digits that matter, without an exponent."""
    for limit, decimals in ((10, 2), (100, 1)):
        if abs(value) < limit:
            return f"{value:.{decimals}f}"
    return f"{value:.0f}"

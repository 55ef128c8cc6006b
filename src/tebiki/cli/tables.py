"""Tables, also with a bar in each row that fits a width; pure.

Not here: printing (`render.py`) and what the numbers mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.cli.plain import cells, cut
from tebiki.cli.render import Styled
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

GAP = 2
SHORTEST_NAME = 4
SHORTEST_BAR, LONGEST_BAR = 6, 60
FULL, EIGHTHS = "█", " ▏▎▍▌▋▊▉"
BLOCKS = FULL + EIGHTHS.strip()


class Bars(NamedTuple):
    """Rows of cells, the first a name and the others numbers; each row has a bar of 0 to 1."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    shares: tuple[float, ...]

    def lines(self, width: int, *, blocks: bool) -> Iterator[tuple[str | Styled, ...]]:
        """Lay the table out, line by line; without blocks the bars are plain signs."""
        widths = self._widths(width)
        left = width - sum(widths) - GAP * len(widths)
        length = max(SHORTEST_BAR, min(LONGEST_BAR, left))
        yield (Styled(_row(self.head, widths), "bold"),)
        for row, share in zip(self.rows, self.shares, strict=True):
            bar = _bar(share, length, blocks=blocks)
            yield (
                (_row(row, widths), " " * GAP, Styled(bar, "cyan")) if bar else (_row(row, widths),)
            )

    def _widths(self, width: int) -> list[int]:
        """How wide each column is; the name gives way when there is no room for a bar."""
        columns = zip(self.head, *self.rows, strict=True)
        widths = [max(map(cells, column)) for column in columns]
        numbers = sum(widths[1:]) + GAP * len(widths)
        widths[0] = max(SHORTEST_NAME, min(widths[0], width - numbers - SHORTEST_BAR))
        return widths


def align(rows: list[list[str]]) -> list[str]:
    """Rows of cells as lines: the first column to the left, the others to the right."""
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    return [_row(tuple(row), widths).rstrip() for row in rows]


def _row(row: tuple[str, ...], widths: list[int]) -> str:
    name, *numbers = row
    short = cut(name, widths[0])
    padded = [
        " " * (size - cells(number)) + number
        for number, size in zip(numbers, widths[1:], strict=True)
    ]
    return (" " * GAP).join([short + " " * (widths[0] - cells(short)), *padded])


def _bar(share: float, length: int, *, blocks: bool) -> str:
    """A bar; whatever is more than nothing can be seen."""
    if share <= 0:
        return ""
    if not blocks:
        return "#" * max(1, round(share * length))
    eighths = max(1, round(share * length * 8))
    return FULL * (eighths // 8) + EIGHTHS[eighths % 8].strip()

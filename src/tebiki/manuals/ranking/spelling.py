"""Words that differ by a slip of the finger. Pure functions over words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LONG_WORD = 8
"""From this length on two slips are forgiven instead of one."""


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word with the fewest slips; None when all have too many."""
    most = 2 if len(word) >= LONG_WORD else 1
    letters = set(word)
    best: tuple[int, str] | None = None
    for other in known:
        if abs(len(other) - len(word)) > most or not other.isalpha():
            continue
        # A slip takes at most one letter away and brings another: most words end here.
        if len(letters.symmetric_difference(other)) > 2 * most:
            continue
        slips = slips_between(word, other, most)
        if slips <= most and (best is None or (slips, other) < best):
            best = (slips, other)
    return best[1] if best else None


def slips_between(one: str, other: str, most: int) -> int:
    """How many letters to add, drop, change or swap; more than `most` are not counted on."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before_that, before, row = before, row, [i]
        for j, match in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != match))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == match:
                cost = min(cost, before_that[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]

"""Numbers over ranked answers: hit, rank, recall, precision, gain, percentiles. Pure functions.

An answer may come more than once, as a file does of which several sections are found: what counts
is the place of its first. Places are counted from 1, and 0 means that there is none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

T = TypeVar("T")
GAIN_AT = 10
"""How far nDCG looks."""


def first_rank(answers: Sequence[T], expected: Collection[T]) -> int:
    """The place of the first right answer."""
    return next((at for at, one in enumerate(answers, 1) if one in expected), 0)


def hit(answers: Sequence[T], expected: Collection[T], k: int) -> float:
    """1 when a right answer is among the first k."""
    return float(first_rank(answers[:k], expected) > 0)


def reciprocal_rank(answers: Sequence[T], expected: Collection[T], k: int) -> float:
    """One over the place of the first right answer among the first k."""
    rank = first_rank(answers[:k], expected)
    return 1 / rank if rank else 0.0


def recall(answers: Sequence[T], expected: Collection[T], k: int) -> float:
    """The share of the right answers that are among the first k."""
    wanted = set(expected)
    return len(wanted & set(answers[:k])) / len(wanted) if wanted else 0.0


def precision(answers: Sequence[T], expected: Collection[T], k: int) -> float:
    """The share of the first k that are right; of those there are, when they are fewer than k."""
    shown = answers[:k]
    return sum(one in expected for one in shown) / len(shown) if shown else 0.0


def gain(answers: Sequence[T], expected: Collection[T], at: int = GAIN_AT) -> float:
    """NDCG: each right answer counts once, the less the later it comes; 1 when all come first."""
    seen: set[T] = set()
    found = 0.0
    for place, one in enumerate(answers[:at], 1):
        if one in expected and one not in seen:
            seen.add(one)
            found += _discount(place)
    best = sum(_discount(place) for place in range(1, min(len(set(expected)), at) + 1))
    return found / best if best else 0.0


def mean(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return sum(values) / len(values) if values else None


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that this share of the values does not exceed (nearest rank)."""
    ordered = sorted(values)
    # Rounded: 0.07 of 100 is a little more than 7 to a computer.
    place = math.ceil(round(share * len(ordered), 6))
    return ordered[max(place, 1) - 1] if ordered else None


def _discount(place: int) -> float:
    return 1 / math.log2(place + 1)

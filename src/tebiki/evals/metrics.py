"""Numbers over ranked answers: hit, reciprocal rank, latency. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

T = TypeVar("T")
HIT_AT = 5
RANK_AT = 10


@dataclass(frozen=True, slots=True)
class Score:
    """One case: whether it was found early, and one over the rank of the first."""

    hit: float
    reciprocal_rank: float


def score_of(answers: Sequence[T], expected: Collection[T]) -> Score:
    """Score ranked answers."""
    rank = next((at for at, one in enumerate(answers[:RANK_AT], 1) if one in expected), 0)
    return Score(float(0 < rank <= HIT_AT), 1 / rank if rank else 0.0)


def mean(scores: Sequence[Score]) -> Score:
    """The mean of each number; zeros for nothing."""
    count = len(scores) or 1
    return Score(
        sum(one.hit for one in scores) / count,
        sum(one.reciprocal_rank for one in scores) / count,
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0

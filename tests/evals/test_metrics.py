"""Numbers over ranked answers, checked by hand."""

from __future__ import annotations

import pytest

from tebiki.evals.metrics import Score, mean, percentile, score_of


@pytest.mark.parametrize(
    ("answers", "hit", "reciprocal_rank"),
    [
        (["a", "x"], 1.0, 1.0),
        (["x", "a", "b"], 1.0, 1 / 2),
        (["x"] * 4 + ["b"], 1.0, 1 / 5),
        (["x"] * 5 + ["a"], 0.0, 1 / 6),
        (["x"] * 9 + ["a"], 0.0, 1 / 10),
        (["x"] * 10 + ["a"], 0.0, 0.0),
        ([], 0.0, 0.0),
    ],
)
def test_a_case_is_scored_by_its_first_right_answer(
    answers: list[str], hit: float, reciprocal_rank: float
) -> None:
    """Among the first five for a hit, among the first ten for a rank."""
    assert score_of(answers, {"a", "b"}) == Score(hit, reciprocal_rank)


def test_means() -> None:
    """Each number by itself; nothing gives zeros."""
    assert mean([Score(1.0, 1.0), Score(0.0, 0.5)]) == Score(0.5, 0.75)
    assert mean([]) == Score(0.0, 0.0)


@pytest.mark.parametrize(("share", "value"), [(0.0, 1), (0.5, 51), (0.95, 96), (1.0, 100)])
def test_percentiles(share: float, value: int) -> None:
    """Whatever the order."""
    assert percentile(list(range(100, 0, -1)), share) == value
    assert percentile([], share) == 0

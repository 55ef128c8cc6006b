"""The numbers, by cases worked out by hand and by what must always hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.evals import metrics
from tebiki.evals.cases import Case
from tebiki.evals.measures import MEASURES, measure_all
from tebiki.evals.run import Outcome, SearchReply
from tebiki.evals.thresholds import verdicts
from tebiki.evals.tokens import tokens_in

if TYPE_CHECKING:
    from random import Random

files = st.sampled_from("abcdefgh")
answers = st.lists(files, max_size=15)
expected = st.sets(files, min_size=1, max_size=5)
cuts = st.integers(1, 12)
AT_A_CUT = (metrics.hit, metrics.recall, metrics.precision, metrics.reciprocal_rank)


@pytest.mark.requirement("eval:measures:rates")
def test_by_hand() -> None:
    """Sections of x, a, a, y, b, where a, b and c answer."""
    found, right = ["x", "a", "a", "y", "b"], {"a", "b", "c"}

    assert metrics.first_rank(found, right) == 2
    assert (metrics.hit(found, right, 1), metrics.hit(found, right, 2)) == (0.0, 1.0)
    assert metrics.reciprocal_rank(found, right, 5) == 1 / 2
    assert metrics.recall(found, right, 4) == 1 / 3
    assert metrics.recall(found, right, 5) == 2 / 3
    assert metrics.precision(found, right, 5) == 3 / 5
    assert metrics.precision(found, right, 50) == 3 / 5
    best = 1 + 1 / math.log2(3) + 1 / 2
    assert metrics.gain(found, right) == pytest.approx((1 / math.log2(3) + 1 / math.log2(6)) / best)


@pytest.mark.parametrize(
    ("found", "hit", "reciprocal_rank"),
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
    found: list[str], hit: float, reciprocal_rank: float
) -> None:
    """Among the first five for a hit, among the first ten for a rank."""
    assert metrics.hit(found, {"a", "b"}, 5) == hit
    assert metrics.reciprocal_rank(found, {"a", "b"}, 10) == reciprocal_rank


def test_percentiles_are_values_of_the_set() -> None:
    """By nearest rank; of nothing there is none."""
    hundred = [float(number) for number in range(100, 0, -1)]

    shares = (0, 0.07, 0.5, 0.95, 1)
    assert [metrics.percentile(hundred, share) for share in shares] == [1, 7, 50, 95, 100]
    assert metrics.percentile([3.0], 0.5) == 3.0
    assert metrics.percentile([], 0.5) is None


@given(answers, expected, cuts)
def test_every_number_is_a_share(found: list[str], right: set[str], k: int) -> None:
    """From nothing to all, and more is seen further down."""
    for score in (*AT_A_CUT, metrics.gain):
        assert 0 <= score(found, right, k) <= 1
    for score in (metrics.hit, metrics.recall, metrics.reciprocal_rank):
        assert score(found, right, k) <= score(found, right, k + 1)
    assert bool(metrics.hit(found, right, k)) == bool(metrics.recall(found, right, k))


@given(expected, answers)
def test_what_comes_first_is_best(right: set[str], rest: list[str]) -> None:
    """All the right ones before all others is the most there is."""
    first = sorted(right)

    assert metrics.gain(first + rest, right) == pytest.approx(1)
    assert metrics.recall(first + rest, right, len(first)) == 1
    assert metrics.precision(first + rest, right, len(first)) == 1


@given(answers, expected, cuts, st.randoms(use_true_random=False))
def test_order_inside_the_cut_is_no_matter_to_shares(
    found: list[str], right: set[str], k: int, random: Random
) -> None:
    """And never to the names of the files."""
    inside = found[:k]
    random.shuffle(inside)

    for score in (metrics.hit, metrics.recall, metrics.precision):
        assert score(inside + found[k:], right, k) == score(found, right, k)
    renamed = [one.upper() for one in found]
    for score in AT_A_CUT:
        assert score(renamed, {one.upper() for one in right}, k) == score(found, right, k)


def outcome(*paths: str, seconds: float = 0.001, forbidden: str = "", error: str = "") -> Outcome:
    """A case that `a` answers, with these files found."""
    case = Case("1", "q", "m", ("q",), frozenset("a"), forbidden=frozenset(forbidden))
    told = SearchReply(tuple((path, 1) for path in paths), gaps=len(paths), tokens=10 * len(paths))
    return Outcome(case, told, seconds, error or None)


def test_measures_over_several_outcomes() -> None:
    """Each over the cases that can tell."""
    outcomes = [
        outcome("a", "x", seconds=0.001, forbidden="x"),
        outcome("y", "a", seconds=0.003, forbidden="x"),
        outcome(seconds=0.002, error="no"),
    ]

    values = measure_all(outcomes, 1)

    assert set(values) == {measure.name for measure in MEASURES}
    assert (values["hit"], values["mrr"], values["forbidden"]) == (1 / 3, 1 / 3, 0)
    assert measure_all(outcomes, 2)["mrr"] == pytest.approx((1 + 1 / 2) / 3)
    assert measure_all(outcomes, 2)["forbidden"] == 1 / 2
    assert (values["gap"], values["error"], values["section_hit"]) == (2 / 3, 1 / 3, None)
    assert (values["p50_ms"], values["p95_ms"]) == (2, 3)


def test_a_bar_is_reached_from_its_own_side() -> None:
    """What could not be measured reaches none."""
    values = {**dict.fromkeys([one.name for one in MEASURES], None), "hit": 0.9, "p95_ms": 20.0}
    bars = {"hit": 0.9, "p95_ms": 19.0, "section_hit": 0.0}

    assert [one.is_met for one in verdicts(values, bars)] == [True, False, False]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("abcd", 1), ("abcde", 2), ("日本語", 3), ("日本 ab", 3), ("カタカナ（全角）", 8)],
)
def test_tokens_of_a_text(text: str, tokens: int) -> None:
    """A Japanese sign is one, four other characters are one."""
    assert tokens_in(text) == tokens


@given(st.text(), st.text())
def test_tokens_grow_with_the_text(one: str, other: str) -> None:
    """And two texts together never cost more than apart."""
    assert tokens_in(one) <= tokens_in(one + other) <= tokens_in(one) + tokens_in(other)

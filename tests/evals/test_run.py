"""A run over a set: who is asked, what is timed, what the table shows."""

from __future__ import annotations

from tebiki.evals.cases import Case
from tebiki.evals.report import table
from tebiki.evals.run import run

KNOWN = Case("1", "q1", "m", ("t",), frozenset(["a.md"]), frozenset([("a.md", 1)]))
UNKNOWN = Case("2", "q2", "m", ("t",), frozenset(["b.md"]), frozenset())


def test_a_run_scores_files_and_sections() -> None:
    """Sections only of the cases that know theirs; only the search is timed."""
    ticks = iter([0.0, 1.0, 10.0, 13.0])
    answers = {"q1": [("a.md", 9), ("a.md", 1)], "q2": [("x.md", 1)]}
    result = run(
        [KNOWN, UNKNOWN], lambda case: case.query, lambda query: answers[query], lambda: next(ticks)
    )
    assert (result.cases, result.by_file.hit, result.by_file.reciprocal_rank) == (2, 0.5, 0.5)
    assert (result.by_section.hit, result.by_section.reciprocal_rank) == (1.0, 0.5)
    assert (result.median_seconds, result.p95_seconds) == (3.0, 3.0)
    assert result.missed == ("2",)
    assert table({"set": result}).splitlines()[-1] == (
        "| set | 2 | 0.5000 | 0.5000 | 1.0000 | 0.5000 | 3000.0 | 3000.0 |"
    )


def test_an_empty_set_has_zeros() -> None:
    """And does not divide by nothing."""
    result = run([], lambda case: case, lambda _: [], lambda: 0.0)
    assert (result.cases, result.by_file.hit, result.median_seconds) == (0, 0.0, 0.0)

"""A run over a set: who is asked, what is timed, what the table shows."""

from __future__ import annotations

from bench.set_tables import missed_cases, run, table
from tebiki.errors import NotFound
from tebiki.evals.cases import Case
from tebiki.evals.measures import measure_all
from tebiki.evals.run import SearchReply

KNOWN = Case("1", "q1", "m", ("t",), frozenset(["a.md"]), frozenset([("a.md", 1)]))
UNKNOWN = Case("2", "q2", "m", ("t",), frozenset(["b.md"]), frozenset())


def test_a_run_scores_files_and_sections() -> None:
    """Sections only of the cases that know theirs; only the search is timed."""
    ticks = iter([0.0, 1.0, 10.0, 13.0])
    answers = {"q1": (("a.md", 9), ("a.md", 1)), "q2": (("x.md", 1),)}
    outcomes = run(
        [KNOWN, UNKNOWN],
        lambda case: case.query,
        lambda _case, query: SearchReply(answers[query]),
        lambda: next(ticks),
    )
    values = measure_all(outcomes, 5)
    assert (len(outcomes), values["hit"], values["mrr"]) == (2, 0.5, 0.5)
    assert (values["section_hit"], values["section_mrr"]) == (1.0, 0.5)
    assert (values["p50_ms"], values["p95_ms"]) == (1000.0, 3000.0)
    assert missed_cases(outcomes) == ["2"]
    assert table({"set": outcomes}).splitlines()[-1] == (
        "| set | 2 | 0.5000 | 0.5000 | 1.0000 | 0.5000 | 1000.0 | 3000.0 |"
    )


def test_an_empty_set_has_no_numbers() -> None:
    """And does not divide by nothing."""
    assert set(measure_all([], 5).values()) == {None}
    assert table({"set": []}).splitlines()[-1] == "| set | 0 | - | - | - | - | - | - |"


def test_a_case_that_cannot_be_asked_is_an_error_of_its_own() -> None:
    """The others are still asked."""

    def find(case: Case) -> str:
        if case is KNOWN:
            raise NotFound("no such manual")
        return case.query

    first, second = run([KNOWN, UNKNOWN], find, lambda *_: SearchReply((("b.md", 1),)), lambda: 0.0)

    assert (first.error, first.reply.refs) == ("no such manual", ())
    assert (second.error, second.paths) == (None, ("b.md",))

"""A run over question sets, and its results as a table that reads as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tebiki.evals.measures import BY_NAME, measure_all, rank_of
from tebiki.evals.run import ask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tebiki.evals.cases import Case
    from tebiki.evals.run import Outcome, SearchReply

Found = TypeVar("Found")

HIT_AT, RANK_AT = 5, 10
FIGURES = (
    ("hit", HIT_AT),
    ("mrr", RANK_AT),
    ("section_hit", HIT_AT),
    ("section_mrr", RANK_AT),
    ("p50_ms", HIT_AT),
    ("p95_ms", HIT_AT),
)
"""What is told of a set, each measure with its cut."""


def run(
    cases: Iterable[Case],
    find: Callable[[Case], Found],
    reply_to: Callable[[Case, Found], SearchReply],
    clock: Callable[[], float],
) -> list[Outcome]:
    """Ask every case."""
    return [ask(case, find, reply_to, clock) for case in cases]


def table(results: Mapping[str, Sequence[Outcome]]) -> str:
    """One row a set: by file, by section (of the questions that know theirs), and time."""
    headings = ["set", "questions", *(BY_NAME[name].label(k) for name, k in FIGURES)]
    rows = [[name, str(len(one)), *figures(one, FIGURES)] for name, one in results.items()]
    return markdown(headings, rows)


def figures(outcomes: Sequence[Outcome], wanted: Sequence[tuple[str, int]]) -> list[str]:
    """Some measures of a set, each with its cut, as they are shown."""
    values = {k: measure_all(outcomes, k) for k in {k for _, k in wanted}}
    return [BY_NAME[name].show(values[k][name]) for name, k in wanted]


def missed_cases(outcomes: Sequence[Outcome]) -> list[str]:
    """The names of the cases without a right file among the first."""
    return [one.case.case_id for one in outcomes if not 0 < rank_of(one) <= HIT_AT]


def markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows below their headings."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)

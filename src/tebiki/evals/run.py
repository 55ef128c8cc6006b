"""Runs a question set through a search and measures answers and time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from tebiki.evals.metrics import Score, mean, percentile, score_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tebiki.evals.cases import Case

Answer = list[tuple[str, int]]
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Result:
    """A set's numbers: by file, by section (of the cases that know theirs), and in seconds.

    `missed` names the cases without a right file among the first five.
    """

    cases: int
    by_file: Score
    by_section: Score
    median_seconds: float
    p95_seconds: float
    missed: tuple[str, ...]


def run(
    cases: Sequence[Case],
    find: Callable[[Case], Found],
    answer: Callable[[Found], Answer],
    clock: Callable[[], float],
) -> Result:
    """Ask every case; only `find` is timed, `answer` gives path and line of what was found."""
    by_file: list[Score] = []
    by_section: list[Score] = []
    seconds: list[float] = []
    missed: list[str] = []
    for case in cases:
        begun = clock()
        found = find(case)
        seconds.append(clock() - begun)
        refs = answer(found)
        by_file.append(score_of([path for path, _ in refs], case.paths))
        if not by_file[-1].hit:
            missed.append(case.case_id)
        if case.refs:
            by_section.append(score_of(refs, case.refs))
    return Result(
        len(cases),
        mean(by_file),
        mean(by_section),
        percentile(seconds, 0.5),
        percentile(seconds, 0.95),
        tuple(missed),
    )

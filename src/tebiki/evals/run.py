"""Runs a question set through an engine's find and measures answers and time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tebiki.evals.metrics import Score, mean, percentile, score_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tebiki.evals.cases import Case

Answer = list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Result:
    """A set's numbers: by file, by section (of the cases that know theirs), and in seconds."""

    cases: int
    by_file: Score
    by_section: Score
    median_seconds: float
    p95_seconds: float
    missed: tuple[str, ...]


def run(cases: Sequence[Case], ask: Callable[[Case], Answer], clock: Callable[[], float]) -> Result:
    """Ask every case; `ask` gives path and line of what was found, best first."""
    by_file: list[Score] = []
    by_section: list[Score] = []
    seconds: list[float] = []
    missed: list[str] = []
    for case in cases:
        begun = clock()
        answer = ask(case)
        seconds.append(clock() - begun)
        by_file.append(score_of([path for path, _ in answer], case.paths))
        if case.refs:
            by_section.append(score_of(answer, case.refs))
        if not by_file[-1].hit:
            missed.append(case.case_id)
    return Result(
        len(cases),
        mean(by_file),
        mean(by_section),
        percentile(seconds, 0.5),
        percentile(seconds, 0.95),
        tuple(missed),
    )

"""What went wrong in an evaluation, case by case, and why a file was missed.

Asks the library what became of each section of a missed file, and tells of the one that came
furthest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tebiki.errors import TebikiError
from tebiki.evals.asking import request_of
from tebiki.evals.measures import forbidden_shown, missed_files, rank_of
from tebiki.manuals.why_not import STAGES
from tebiki.tools import manual_forms as forms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tebiki.evals.run import Outcome
    from tebiki.manuals.library import Library
    from tebiki.manuals.why_not import Fate

KINDS = {
    "error": "no answer",
    "missed": "no expected file among the first",
    "forbidden": "a forbidden file among the first",
    "partly": "not every expected file among the first",
}
"""What can be wrong with a case, the worst first."""

MOST_EXPLAINED = 100
"""Cases; to explain one costs several finds."""

MOST_SECTIONS = 12
"""Of a missed file, that are asked about."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A case that went wrong: what, the files it is about, and why each was missed."""

    outcome: Outcome
    kind: str
    forbidden: tuple[str, ...]
    whys: tuple[tuple[str, str], ...]

    def as_json(self) -> dict[str, Any]:
        """Give the trouble for a program."""
        return {
            "case_id": self.outcome.case.case_id,
            "kind": self.kind,
            "forbidden": list(self.forbidden),
            "missed": [{"path": path, "why": why} for path, why in self.whys],
            "error": self.outcome.error,
        }


def kind_of(outcome: Outcome, k: int) -> str | None:
    """What is wrong with an outcome: the worst of `KINDS`, or nothing."""
    if outcome.error is not None:
        return "error"
    if not 0 < rank_of(outcome) <= k:
        return "missed"
    if forbidden_shown(outcome, k):
        return "forbidden"
    return "partly" if missed_files(outcome, k) else None


def troubles_of(library: Library, outcomes: Iterable[Outcome], k: int) -> list[Trouble]:
    """Every case that went wrong, the worst kind first; only so many are explained."""
    order = list(KINDS)
    wrong = [(kind, one) for one in outcomes if (kind := kind_of(one, k)) is not None]
    wrong.sort(key=lambda pair: order.index(pair[0]))
    return [
        Trouble(
            one,
            kind,
            forbidden_shown(one, k),
            _whys(library, one, k) if at < MOST_EXPLAINED and one.error is None else (),
        )
        for at, (kind, one) in enumerate(wrong)
    ]


def _whys(library: Library, outcome: Outcome, k: int) -> tuple[tuple[str, str], ...]:
    return tuple((path, _why(library, outcome, path)) for path in missed_files(outcome, k))


def _why(library: Library, outcome: Outcome, path: str) -> str:
    case = outcome.case
    try:
        lines: list[int | None] = [line for own, line in sorted(case.refs) if own == path]
        lines = lines or _lines(library, case.manual_id, path) or [None]
        fates = [library.why_not(request_of(case), path, line) for line in lines[:MOST_SECTIONS]]
    except TebikiError as refused:
        return f"{refused} (is the path in expected_paths right?)"
    return _words(min(fates, key=_distance))


def _lines(library: Library, manual_id: str, path: str) -> list[int | None]:
    """Where the sections of a file begin; none are known of a JSON file."""
    contents = library.toc(manual_id, path, depth="deep", max_headings=MOST_SECTIONS)
    page = forms.contents_form(contents)
    return [row["line_start"] for item in page["items"] for row in item["headings"]]


def _distance(fate: Fate) -> tuple[int, float]:
    return STAGES.index(fate.stage), -(fate.score or 0.0)


def _words(fate: Fate) -> str:
    return f"line {fate.start_line}, {fate.title}: {fate.words}"

"""The sample workspace is what its README says, and its questions are answered."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.evals.cases import dataset_in
from tebiki.manuals.request import FindRequest
from tests.manuals.conftest import SAMPLES
from tests.manuals.libraries import library_at

if TYPE_CHECKING:
    from tebiki.evals.cases import Case
    from tebiki.manuals.library import Library

QUESTIONS = SAMPLES.parent / "questions.jsonl"
CASES = dataset_in(QUESTIONS).cases
SHOWN = 5
CONTRADICTIONS = {
    "kaede-fukugouki": ({"操作/印刷.md", "保守/データの保護.md"}, ("3 日", "7 日")),
    "lantern-backup": ({"guides/restore.md", "reference/retention.md"}, ("14", "30")),
}


@pytest.fixture(name="samples", scope="module")
def _samples() -> Library:
    """The library of the two sample manuals, each indexed once for all questions."""
    numbers = itertools.count()
    return library_at(SAMPLES, new_id=lambda: f"find {next(numbers)}")


def answered(library: Library, query: str, manual: str, *terms: str) -> str:
    """The trace of a find."""
    return library.find(FindRequest(query, manual, terms)).trace_id


def test_every_question_names_files_that_exist() -> None:
    """Those that answer it and those that only look alike."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]

    named = [
        SAMPLES / row["manual_id"] / path
        for row in rows
        for path in [*row["expected_paths"], *row.get("forbidden_paths", [])]
    ]

    assert len({row["case_id"] for row in rows}) == len(rows) >= 30
    assert [path for path in named if not path.is_file()] == []


@pytest.mark.requirement("samples:manuals:two")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.case_id)
def test_every_question_is_answered_by_the_first_hits(samples: Library, case: Case) -> None:
    """By one of the files that answer it."""
    trace = answered(samples, case.query, case.manual_id, *case.required_terms)

    first = samples.hits(trace, "integrated_top", limit=SHOWN).rows

    assert {row["ref"]["path"] for row in first} & case.paths


@pytest.mark.requirement("samples:manuals:two")
@pytest.mark.parametrize(
    ("manual", "query", "term"),
    [
        ("kaede-fukugouki", "留め置き印刷のデータは何日保存されますか", "留め置き"),
        ("kaede-fukugouki", "留め置きの印刷データは何日間保存されますか", "印刷データ"),
        ("lantern-backup", "How long can a deleted snapshot be restored?", "snapshot"),
        ("lantern-backup", "how long can a deleted snapshot be restored", "snapshot"),
    ],
)
def test_each_manual_contradicts_itself_once(
    samples: Library, manual: str, query: str, term: str
) -> None:
    """Both places are shown, with what they say, and there is something to follow up."""
    answer = samples.find(FindRequest(query, manual, (term,)))

    (row,) = samples.hits(answer.trace_id, "conflicts").rows

    disagreeing, numbers = CONTRADICTIONS[manual]
    said = [row["text"], row["conflict_with"][0]["text"]]
    assert places(row) == disagreeing
    assert all(any(number in text for text in said) for number in numbers)
    assert answer.found.summary["integration_status"] == "needs_followup"


def places(row: Any) -> set[str]:
    """The files of a conflict."""
    return {row["ref"]["path"], *(other["ref"]["path"] for other in row["conflict_with"])}


def test_other_questions_meet_no_other_contradiction(samples: Library) -> None:
    """The texts agree with each other everywhere else."""
    known = [disagreeing for disagreeing, _ in CONTRADICTIONS.values()]

    met = [
        places(row)
        for case in CASES
        for row in samples.hits(
            answered(samples, case.query, case.manual_id, *case.required_terms), "conflicts"
        ).rows
    ]

    assert [pair for pair in met if pair not in known] == []

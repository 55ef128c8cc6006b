"""Question sets: one case a line, with the files and sections that answer it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Case:
    """A question and where its answer is."""

    case_id: str
    query: str
    manual_id: str
    required_terms: tuple[str, ...]
    paths: frozenset[str]
    refs: frozenset[tuple[str, int]]


def cases_in(file: Path) -> list[Case]:
    """Read a set."""
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [
        Case(
            row["case_id"],
            row["query"],
            row["manual_id"],
            tuple(row["required_terms"]),
            frozenset(row["expected_paths"]),
            frozenset((ref["path"], ref["start_line"]) for ref in row.get("expected_refs", ())),
        )
        for row in rows
    ]

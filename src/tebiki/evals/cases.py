"""Question sets: one case a line, with the files and sections that answer it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tebiki.errors import InvalidArguments

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
    """Read a set; blank lines are passed over.

    Raises:
        InvalidArguments: a line is no case; says which one and why.
    """
    cases: list[Case] = []
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            cases.append(_case(json.loads(line)))
        except (ValueError, TypeError, KeyError) as error:
            why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise InvalidArguments(f"{file.name}, line {number}: no case: {why}.") from error
    return cases


def _case(row: Any) -> Case:
    if not isinstance(row, dict):
        raise TypeError("not an object")
    return Case(
        _text(row, "case_id"),
        _text(row, "query"),
        _text(row, "manual_id"),
        tuple(_texts(row, "required_terms")),
        frozenset(_texts(row, "expected_paths")),
        frozenset((_text(ref, "path"), _line(ref)) for ref in row.get("expected_refs", ())),
    )


def _text(row: dict[str, Any], key: str) -> str:
    if not isinstance(value := row[key], str) or not value.strip():
        raise TypeError(f"'{key}' is no text")
    return value


def _texts(row: dict[str, Any], key: str) -> list[str]:
    values = row[key]
    if not isinstance(values, list) or not values or not all(isinstance(v, str) for v in values):
        raise TypeError(f"'{key}' is no list of texts")
    return values


def _line(ref: dict[str, Any]) -> int:
    if type(value := ref["start_line"]) is not int or value < 1:
        raise TypeError("'start_line' is no line")
    return value

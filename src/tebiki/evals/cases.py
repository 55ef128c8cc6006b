"""Question sets: one case a line, with the files and sections that answer it.

Paths are kept in one Unicode form, so that a set written on one system fits manuals of another.
Not here: asking the questions, and what the answers are worth.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tebiki.errors import InvalidArguments
from tebiki.files.names import nfc
from tebiki.manuals.limits import LONGEST_QUERY, LONGEST_TERM, MOST_TERMS
from tebiki.manuals.ranking.derived_terms import derive_terms
from tebiki.values.shapes import Field, Integer, ListOf, NotOfShape, RecordShape, Text

if TYPE_CHECKING:
    from pathlib import Path

Place = tuple[str, int]
"""A section: its file, and the line it begins at."""

MOST_BYTES = 64 * 1024 * 1024
"""Of a set: some hundred thousand questions."""

NEAR = 0.8
"""An unknown key as like a known one as this is a slip; any other is the user's own affair."""

WORDS = Text(not_blank=True)
REF = RecordShape(
    (
        Field("path", WORDS, "File of the section.", required=True),
        Field("start_line", Integer(least=1), "Line of its heading.", required=True),
    )
)
CASE = RecordShape(
    (
        Field(
            "query",
            Text(not_blank=True, longest=LONGEST_QUERY),
            "The question.",
            required=True,
        ),
        Field("manual_id", WORDS, "The manual it is put to.", required=True),
        Field("expected_paths", ListOf(WORDS, least=1), "Files that answer it.", required=True),
        Field("forbidden_paths", ListOf(WORDS), "Files that look alike and do not."),
        Field(
            "required_terms",
            ListOf(Text(not_blank=True, longest=LONGEST_TERM)),
            "Words the answer must contain; two count.",
        ),
        Field("expected_refs", ListOf(REF), "Sections that answer it."),
        Field("case_id", WORDS, "Its name; the line number if left out."),
        Field("facet", WORDS, "The group it is told with."),
    )
)


@dataclass(frozen=True, slots=True)
class Case:
    """A question and where its answer is."""

    case_id: str
    query: str
    manual_id: str
    required_terms: tuple[str, ...]
    paths: frozenset[str]
    refs: frozenset[Place] = frozenset()
    forbidden: frozenset[str] = frozenset()
    facet: str | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A set of cases, and the hash of the bytes it was read from."""

    name: str
    sha256: str
    cases: tuple[Case, ...]


def dataset_in(file: Path) -> Dataset:
    """Read a set; blank lines are passed over.

    Raises:
        InvalidArguments: there is no such file, or a line is no case; says which and why.
    """
    try:
        with file.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
    except OSError as refused:
        why = refused.strerror or str(refused)
        raise InvalidArguments(f"the dataset {file} cannot be read: {why}") from refused
    if len(data) > MOST_BYTES:
        raise InvalidArguments(f"the dataset {file} has more than {MOST_BYTES} bytes; split it")
    cases: list[Case] = []
    lines_by_id: dict[str, int] = {}
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            case = _case(line, number)
            _name(case, lines_by_id)
        except NotOfShape as refused:
            named = refused.where.removeprefix(".")
            words = f"{named} {refused}" if named else str(refused)
            raise InvalidArguments(f"{file.name}, line {number}: {words}") from refused
        cases.append(case)
    if not cases:
        raise InvalidArguments(f"{file.name} has no cases; write one JSON object a line")
    return Dataset(file.name, hashlib.sha256(data).hexdigest(), tuple(cases))


def same_path(path: str) -> str:
    """The form in which paths are compared."""
    return nfc(path.replace("\\", "/").removeprefix("./"))


def _case(line: bytes, number: int) -> Case:
    row = _keep_known(CASE, _json(line))
    if isinstance(row, dict) and isinstance(refs := row.get("expected_refs"), list):
        row["expected_refs"] = [_keep_known(REF, ref) for ref in refs]
    given = CASE.read(row)
    terms = tuple(given["required_terms"] or ())[:MOST_TERMS]
    return Case(
        given["case_id"] or str(number),
        given["query"],
        given["manual_id"],
        terms or derive_terms(given["query"]),
        frozenset(map(same_path, given["expected_paths"])),
        frozenset(
            (same_path(ref["path"]), ref["start_line"]) for ref in given["expected_refs"] or ()
        ),
        frozenset(map(same_path, given["forbidden_paths"] or ())),
        given["facet"],
        number,
    )


def _name(case: Case, lines_by_id: dict[str, int]) -> None:
    """Note the name of a case; no other may have it."""
    if (other := lines_by_id.setdefault(case.case_id, case.line)) != case.line:
        raise NotOfShape(f"is also that of line {other}", ".case_id")


def _json(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as broken:
        raise NotOfShape(f"not JSON: {broken}") from broken


def _keep_known(record: RecordShape, row: Any) -> Any:
    """A row without keys that mean nothing to us; one that looks like a slip is refused."""
    if not isinstance(row, dict):
        return row
    names = [known.name for known in record.fields]
    for key in row:
        if key not in names and (near := difflib.get_close_matches(key, names, 1, NEAR)):
            raise NotOfShape(f"is not a field; did you mean {near[0]}?", f".{key}")
    return {key: value for key, value in row.items() if key in names}

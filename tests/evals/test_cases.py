"""Question sets are read whole, or refused with the line that is wrong."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.errors import InvalidArguments
from tebiki.evals.cases import Case, cases_in

if TYPE_CHECKING:
    from pathlib import Path

ROW: dict[str, Any] = {
    "case_id": "set:1",
    "query": "期限は何日ですか",
    "manual_id": "m",
    "required_terms": ["期限"],
    "expected_paths": ["a.md"],
    "expected_refs": [{"path": "a.md", "start_line": 3}],
    "lang": "ja",
}


def test_a_set_is_read(tmp_path: Path) -> None:
    """Fields that are not known, and blank lines, are passed over; refs may be left out."""
    plain = {key: value for key, value in ROW.items() if key != "expected_refs"}
    file = tmp_path / "dev.jsonl"
    file.write_text(f"{json.dumps(ROW)}\n\n{json.dumps(plain)}\n", encoding="utf-8")
    whole, short = cases_in(file)
    assert whole == Case(
        "set:1",
        "期限は何日ですか",
        "m",
        ("期限",),
        frozenset(["a.md"]),
        frozenset([("a.md", 3)]),
    )
    assert short.refs == frozenset()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "no case"),
        ("[]", "not an object"),
        (json.dumps(ROW | {"query": " "}), "'query' is no text"),
        (json.dumps(ROW | {"query": 5}), "'query' is no text"),
        (json.dumps({"case_id": "x"}), "'query' is missing"),
        (json.dumps(ROW | {"required_terms": "期限"}), "'required_terms' is no list of texts"),
        (json.dumps(ROW | {"expected_paths": []}), "'expected_paths' is no list of texts"),
        (json.dumps(ROW | {"expected_refs": [{"path": "a.md"}]}), "'start_line' is missing"),
        (
            json.dumps(ROW | {"expected_refs": [{"path": "a.md", "start_line": "3"}]}),
            "'start_line' is no line",
        ),
        (json.dumps(ROW | {"expected_refs": 5}), "no case"),
        ("\udcff", "no case"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, why: str) -> None:
    """With its number and what is wrong with it."""
    file = tmp_path / "dev.jsonl"
    text = f"{json.dumps(ROW)}\n\n{line}\n"
    file.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(InvalidArguments, match=rf"dev\.jsonl, line 3: .*{re.escape(why)}"):
        cases_in(file)

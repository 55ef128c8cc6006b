"""Whatever a manual says and whatever is asked: scores are told whole, and in order."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.manuals.searchable import Searchable
from tests.support.examples import examples

WORDS = (
    "申請",
    "期限",
    "30日",
    "受付窓口",
    "Backup",
    "policies",
    "E-1042",
    "は",
    "の",
    "。",
    " ",
    "\n",
)
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map("".join)
SECTION = st.tuples(st.sampled_from(["# 申請", "## 期限 30日", "# Backup", "本文"]), TEXT)
FILES = st.lists(st.lists(SECTION, min_size=1, max_size=4), min_size=1, max_size=6)
QUERY = st.lists(st.sampled_from(WORDS[:-2]), min_size=1, max_size=6).map("".join)
TERMS = st.lists(st.sampled_from(WORDS[:7]), min_size=1, max_size=2, unique=True)
ROUNDING = 0.00005


@pytest.mark.requirement("manuals:ranking:parts-add-up")
@examples(40)
@given(files=FILES, query=QUERY, terms=TERMS)
def test_the_parts_add_up(files: list[list[tuple[str, str]]], query: str, terms: list[str]) -> None:
    """To the score, but for the rounding of each; rows come best first, and match something."""
    with tempfile.TemporaryDirectory() as folder:
        manual = Searchable(Path(folder), None)
        for number, sections in enumerate(files):
            text = "\n\n".join(f"{heading}\n{body}" for heading, body in sections)
            manual.write(f"{number}.md", text)
        found = manual.ask(query, *terms)
    rows = found.lists["candidates"]
    for row in rows:
        values = [float(part.partition("=")[2]) for part in row["rank_explain"]]
        assert abs(sum(values) - row["score"]) <= ROUNDING * (len(values) + 1)
        assert row["matched_tokens"]
        assert 0 <= row["match_coverage"] <= 1 + ROUNDING
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)
    assert found.complete

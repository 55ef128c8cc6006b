"""Manuals at their edges, on the real process: the usual budget, empty parts, partial evidence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.interaction.manual_calls import Reader, Workspace


@pytest.mark.requirement("manuals:find:budget-defaults")
def test_the_usual_budget(reader: Reader, workspace: Workspace) -> None:
    """Naming it is the same question: the kept answer is given, and for no other budget."""
    workspace.write("m/a.md", "# Lantern\n\nThe lantern is lit.\n")
    (workspace.folder / "vault").mkdir()

    reader.find("lantern")
    reader.find("lantern", budget={"time_ms": 60_000, "max_candidates": 200})
    reader.find("lantern", budget={"time_ms": 60_001})
    reader.find("lantern", budget={"max_candidates": 199})

    stats = (workspace.folder / "vault/.system/adaptive_stats.jsonl").read_text(encoding="utf-8")
    hits = [json.loads(line)["cache_hit"] for line in stats.splitlines()]
    assert hits == [False, True, False, False]


@pytest.mark.requirement("manuals:comparisons:failing-part")
def test_a_part_of_a_comparison_that_finds_nothing(reader: Reader, workspace: Workspace) -> None:
    """It is passed over; the other part and the whole question are answered."""
    workspace.write("m/a.md", "# E-1042\n\nThe disk is full.\n")
    workspace.write("m/b.md", "# Other\n\nSomething else.\n")

    found = reader.find("E-1042とZZYZX-9の違い", "E-1042")

    parts = [row["query"] for row in reader.rows(found, "gate_runs") if row["query"]]
    assert parts == ["E-1042"]
    assert found["inline_hits"]["items"][0]["ref"]["path"] == "a.md"


@pytest.mark.requirement("manuals:claims:follow-up")
def test_partial_evidence_asks_for_a_follow_up(reader: Reader, workspace: Workspace) -> None:
    """A sentence with some of the words, and no cue of what was asked, supports nothing."""
    workspace.write("m/a.md", "# 窓口\n\n申請の窓口は三階です。\n")

    found = reader.find("申請の窓口での手順", "申請", include_claim_graph=True)

    assert [row["status"] for row in reader.rows(found, "claims")] == ["unresolved"]
    assert [row["relation"] for row in reader.rows(found, "edges")] == ["requires_followup"]


@pytest.mark.requirement("manuals:sections:context")
def test_the_chapter_tells_equal_sections_apart(reader: Reader, workspace: Workspace) -> None:
    """Whichever chapter the question names, its own section of the same title comes first."""
    chapters = {"Printer": "Hold the left button.", "Scanner": "Lift the lid for a while."}
    text = "".join(f"# {name}\n\n## Reset\n\n{words}\n\n" for name, words in chapters.items())
    workspace.write("m/a.md", text)

    found = [reader.places(f"{name} reset", "reset")[0] for name in chapters]

    assert found == [("a.md", 3), ("a.md", 9)]


@pytest.mark.requirement("manuals:ranking:base-score")
def test_a_rare_word_outweighs_a_common_one(reader: Reader, workspace: Workspace) -> None:
    """Even where the common one stands twice, and the required term is everywhere."""
    for number in range(12):
        text = f"# Page {number}\n\nA common word, quite common, on page {number}.\n"
        workspace.write(f"m/c{number:02}.md", text)
    workspace.write("m/z.md", "# Page last\n\nA seldom word, not so usual, on this page.\n")

    assert reader.places("common seldom", "page")[0] == ("z.md", 1)

"""`tebiki manuals find --full`: everything that a search knows, for people and programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.command import run_command

if TYPE_CHECKING:
    from pathlib import Path

APPLIED = {
    "manual_id",
    "requested_expand_scope",
    "expand_scope",
    "required_terms_source",
    "required_terms_decision_reason",
    "requested_required_terms",
    "required_terms",
    "required_terms_df_filtered",
    "required_terms_relaxed",
    "required_terms_relax_reason",
    "required_effect_status",
    "required_failure_reason",
    "required_strict_candidates",
    "required_filtered_candidates",
    "required_terms_match_stats",
    "required_terms_missing",
    "required_top_k",
    "required_top_hits",
    "selected_gate",
    "gate_selection_reason",
}
SUMMARY = {
    "scanned_files",
    "scanned_nodes",
    "candidates",
    "file_bias_ratio",
    "conflict_count",
    "gap_count",
    "integration_status",
}


def found(home: Path, query: str, *terms: str) -> dict[str, Any]:
    """What a program reads of a find in full."""
    required = [word for term in terms for word in ("--require", term)]
    words = ("manuals", "find", "m", query, *required, "--full")
    document: dict[str, Any] = json.loads(run_command(home, *words, face="tebiki").stdout)
    return document


def write(home: Path, count: int) -> None:
    """A manual in which every section but one is alike."""
    folder = home / "manuals" / "m"
    folder.mkdir(parents=True)
    (folder / "fuse.md").write_text("# Fuse\n\nThe fuse is under the lid of the lantern.\n")
    for number in range(count):
        text = f"# Part {number}\n\nThe lantern has part {number}.\n"
        (folder / f"p{number:02}.md").write_text(text)


@pytest.mark.requirement(
    "manuals:full:applied",
    "manuals:full:summary",
    "manuals:full:next-actions",
    "manuals:hits:full",
    "manuals:cli:find",
)
def test_everything_a_find_knows(tmp_path: Path) -> None:
    """What was applied, a summary, steps that can be called, and rows with all their parts."""
    write(tmp_path, 3)

    document = found(tmp_path, "where is the fuse", "fuse", "zzyzx")

    applied, summary = document["applied"], document["summary"]
    assert set(applied) == APPLIED
    assert applied["requested_required_terms"] == ["fuse", "zzyzx"]
    assert applied["required_terms_missing"] == ["zzyzx"]
    assert applied["required_effect_status"] == "term_dropped_or_weakened"
    assert set(summary) == SUMMARY
    assert (summary["scanned_files"], summary["scanned_nodes"]) == (4, 4)
    steps = {step["type"]: step for step in document["next_actions"]}
    assert all(0 < step["confidence"] <= 1 for step in steps.values())
    ref = {"manual_id": "m", "path": "fuse.md", "start_line": 1}
    assert steps["manual_read"]["params"] == {"ref": ref}
    assert steps["manual_hits"]["params"]["trace_id"] == document["trace_id"]
    assert set(document["claim_graph"]) == {"claims", "evidences", "edges", "facets"}
    first = document["candidates"][0]
    assert {"token_hits", "match_coverage", "rank_explain", "signals"} <= set(first)
    assert first["ref"]["path"] == "fuse.md"


@pytest.mark.requirement("manuals:gates:too-rare")
def test_a_rare_term_is_reported_and_kept(tmp_path: Path) -> None:
    """In one of sixty sections, and dropped where it is in all of them."""
    write(tmp_path, 60)

    rare = found(tmp_path, "where is the fuse", "fuse")["applied"]
    common = found(tmp_path, "where is the fuse", "lantern")["applied"]

    (row,) = rare["required_terms_df_filtered"]
    assert (row["term"], row["reason"], row["dropped"]) == ("fuse", "too_rare", False)
    assert (row["doc_freq"], rare["required_terms"]) == (1, ["fuse"])
    (row,) = common["required_terms_df_filtered"]
    assert (row["reason"], row["dropped"], row["doc_freq_ratio"]) == ("too_common", True, 1.0)
    assert common["required_terms"] == []

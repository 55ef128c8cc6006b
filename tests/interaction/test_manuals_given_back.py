"""What one answer gives is taken by the next call as it stands: cursors, refs and traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Reader, Workspace

CAP = 4


@pytest.mark.requirement("manuals:scan:given-back")
def test_the_cursor_of_the_last_page_is_the_end(reader: Reader, workspace: Workspace) -> None:
    """An empty page; a cursor that is absent, null or empty is the beginning."""
    workspace.write("m/a.md", "# A\n\nText.\n")
    last = reader.use("scan", manual_id="m", path="a.md")
    assert last["next_cursor"] == {"char_offset": None}

    after = reader.use("scan", manual_id="m", path="a.md", cursor=last["next_cursor"])

    assert (after["text"], after["eof"], after["truncated"]) == ("", True, False)
    assert after["next_cursor"] == {"char_offset": None}
    for beginning in (None, {}, {"start_line": None}, {"start_line": 1, "char_offset": None}):
        first = reader.use("scan", manual_id="m", path="a.md", cursor=beginning)
        assert first["text"] == last["text"], beginning
    line = reader.use("scan", manual_id="m", path="a.md", cursor=last["next_cursor"], start_line=3)
    assert line["text"] == "Text.\n"


@pytest.mark.requirement("manuals:read:target")
def test_the_ref_of_an_evidence_is_read_as_it_is(reader: Reader, workspace: Workspace) -> None:
    """With its target, which is always a manual."""
    workspace.write("m/a.md", "# Lantern\n\nThe lantern burns for 8 hours.\n")
    found = reader.find("how long does the lantern burn", "lantern", include_claim_graph=True)
    (row, *_) = reader.rows(found, "evidences")
    assert row["ref"]["target"] == "manual"

    assert "8 hours" in reader.use("read", ref=row["ref"])["text"]
    refused = reader.use("read", ref={**row["ref"], "target": "vault"})
    assert refused["code"] == "invalid_parameter"


def write_parts(workspace: Workspace) -> None:
    """Two files of many sections about the same."""
    for name in ("a", "b"):
        parts = (f"## Part {name}{n}\n\nThe lantern of part {n}.\n\n" for n in range(9))
        workspace.write(f"m/{name}.md", "".join(parts))


@pytest.mark.requirement("manuals:unscanned:sections")
def test_going_on_after_a_cap_scores_what_was_left(
    open_manuals: OpenManuals, workspace: Workspace
) -> None:
    """No section comes twice, none is missed, and at the end the search is complete."""
    write_parts(workspace)
    reader = open_manuals(MANUAL_FIND_SCAN_HARD_CAP=str(CAP))
    found = reader.find("lantern")
    seen = [(row["ref"]["path"], row["ref"]["start_line"]) for row in reader.rows(found)]
    assert (len(seen), found["failure_reason"]) == (CAP, "candidate_cap")

    while not found["complete"]:
        found = reader.find("lantern", only_unscanned_from_trace_id=found["trace_id"])
        more = [(row["ref"]["path"], row["ref"]["start_line"]) for row in reader.rows(found)]
        assert 0 < len(more) <= CAP
        assert not set(more) & set(seen)
        seen += more

    assert len(seen) == 18


@pytest.mark.requirement("manuals:unscanned:sections")
def test_going_on_in_files_that_changed_searches_them_whole(
    open_manuals: OpenManuals, workspace: Workspace
) -> None:
    """What was left may stand elsewhere by now."""
    write_parts(workspace)
    reader = open_manuals(MANUAL_FIND_SCAN_HARD_CAP=str(CAP))
    found = reader.find("lantern")

    workspace.write("m/b.md", "# Lantern\n\nThe lantern, and a wick.\n")
    rest = reader.find("wick", only_unscanned_from_trace_id=found["trace_id"])

    assert [row["ref"]["path"] for row in reader.rows(rest)] == ["b.md"]

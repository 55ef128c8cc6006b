"""How a find went, on the real process: status, gates, completeness, and the time budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Json, Reader, Workspace


@pytest.fixture(name="manual")
def _manual(workspace: Workspace) -> None:
    """Forty sections with a word in all of them, and two words that are rare."""
    for number in range(40):
        text = f"# Part {number}\n\nThe lantern has part number {number}.\n"
        workspace.write(f"m/p{number:02}.md", text)
    workspace.write("m/fuse.md", "# Fuse\n\nThe lantern's fuse is under the lid. 定着部の話。\n")


@pytest.mark.requirement("manuals:status:effective")
@pytest.mark.usefixtures("manual")
def test_effective_when_the_top_has_the_terms(reader: Reader) -> None:
    """The text of the first hits contains them."""
    found = reader.find("where is the fuse", "fuse")

    assert (found["status"], found["failure_reason"]) == ("required_effective", None)
    assert "fuse" in reader.read(found["inline_hits"]["items"][0]["ref"]["path"])["text"]


@pytest.mark.requirement("manuals:status:none-matched")
@pytest.mark.usefixtures("manual")
def test_none_matched_when_no_term_is_in_the_manual(reader: Reader) -> None:
    """Whatever the question itself finds; the reason names the terms."""
    found = reader.find("part of the lantern", "zzyzx", "無印語")

    assert found["status"] == "required_none_matched"
    assert "zzyzx" in found["failure_reason"]
    assert "無印語" in found["failure_reason"]
    assert found["candidates"] > 0
    assert found["complete"] is True
    assert {"gap": "term_not_found", "term": "zzyzx"} in reader.rows(found, "gaps")


@pytest.mark.requirement("manuals:status:weakened")
@pytest.mark.usefixtures("manual")
def test_weakened_when_one_term_is_missing(reader: Reader) -> None:
    """And the reason names that one only."""
    found = reader.find("where is the fuse", "fuse", "zzyzx")

    assert found["status"] == "term_dropped_or_weakened"
    assert "zzyzx" in found["failure_reason"]
    assert "fuse" not in found["failure_reason"]


@pytest.mark.requirement("manuals:gates:too-common", "manuals:status:weakened")
@pytest.mark.usefixtures("manual")
def test_a_term_that_is_everywhere_is_dropped(reader: Reader) -> None:
    """In more than 85 % of at least 20 sections it tells nothing apart."""
    found = reader.find("part 7", "lantern")

    assert found["status"] == "term_dropped_or_weakened"
    assert "lantern" in found["failure_reason"]
    assert [row["required_terms"] for row in gates(reader, found)] == [[]]


@pytest.mark.requirement("manuals:gates:too-common")
def test_a_small_manual_drops_nothing(reader: Reader, workspace: Workspace) -> None:
    """Nineteen sections are too few to call a word common."""
    for number in range(19):
        workspace.write(f"m/p{number:02}.md", f"# Part {number}\n\nThe lantern, part {number}.\n")

    found = reader.find("part 7", "lantern")

    assert found["status"] == "required_effective"
    assert ["lantern"] in [row["required_terms"] for row in gates(reader, found)]


@pytest.mark.requirement("manuals:gates:too-rare")
@pytest.mark.usefixtures("manual")
def test_a_rare_term_is_kept(reader: Reader, workspace: Workspace) -> None:
    """In less than 2 % of the sections: reported in the full form, used all the same."""
    for number in range(40, 70):
        workspace.write(f"m/p{number:02}.md", f"# Part {number}\n\nThe lantern, part {number}.\n")

    found = reader.find("part of the lantern", "fuse")

    assert found["status"] == "required_effective"
    assert found["inline_hits"]["items"][0]["ref"]["path"] == "fuse.md"
    assert ["fuse"] in [row["required_terms"] for row in gates(reader, found)]


def gates(reader: Reader, found: Json) -> list[Json]:
    """The passes of a find, without sub-questions."""
    return [row for row in reader.rows(found, "gate_runs") if row["gate"] != "sub_question"]


@pytest.mark.requirement(
    "manuals:find:complete", "manuals:time:deadline", "manuals:time:no-untruth"
)
@pytest.mark.usefixtures("manual")
def test_a_cut_by_time_says_so(reader: Reader, workspace: Workspace) -> None:
    """One millisecond is not enough to read the changes: no word that a term does not exist."""
    reader.find("where is the fuse", "fuse")
    for number in range(40):
        workspace.write(f"m/p{number:02}.md", f"# Wick {number}\n\nThe wick is {number}.\n" * 200)

    cut = reader.find("where is the wick", "wick", budget={"time_ms": 1})
    whole = reader.find("where is the wick", "wick")

    assert (cut["complete"], cut["failure_reason"]) == (False, "time_budget")
    assert cut["status"] != "required_none_matched"
    rows = reader.rows(cut, "unscanned")
    assert len(rows) == cut["unscanned"] > 0
    assert {row["reason"] for row in rows} == {"time_budget"}
    assert not [row for row in reader.rows(cut, "gaps") if row["gap"] == "term_not_found"]
    assert (whole["complete"], whole["unscanned"]) == (True, 0)
    assert whole["candidates"] > 0


@pytest.mark.requirement("manuals:unscanned:only")
@pytest.mark.usefixtures("manual")
def test_only_what_was_left_unscanned(open_manuals: OpenManuals) -> None:
    """A find may go on with what an earlier one could not look at."""
    reader = open_manuals(MANUAL_FIND_SCAN_HARD_CAP="3")
    cut = reader.find("number of the part", "part")
    left = {row["path"] for row in reader.rows(cut, "unscanned")}

    trace = cut["trace_id"]
    rest = reader.find("number of the part", "part", only_unscanned_from_trace_id=trace)

    found = {row["ref"]["path"] for row in reader.rows(rest)}
    assert found
    assert found <= left
    assert not found & {row["ref"]["path"] for row in reader.rows(cut)}
    assert rest["unscanned"] < cut["unscanned"]


@pytest.mark.requirement("manuals:unscanned:only")
def test_only_unscanned_of_a_whole_search_is_nothing(reader: Reader, workspace: Workspace) -> None:
    """There is nothing left to look at; an unread file stays unread."""
    workspace.write("m/a.md", "# Wick\n")
    whole = reader.find("wick")

    rest = reader.find("wick", only_unscanned_from_trace_id=whole["trace_id"])

    assert (rest["candidates"], rest["complete"], rest["unscanned"]) == (0, True, 0)
    workspace.write("m/bad.md", b"\xff\xfe\xfa\x80\x81\x82\xff")
    again = reader.find("wick")
    bad = reader.find("wick", only_unscanned_from_trace_id=again["trace_id"])
    assert (bad["candidates"], bad["complete"], bad["unscanned"]) == (0, False, 1)


@pytest.mark.requirement("manuals:unscanned:trace")
def test_only_unscanned_needs_a_trace_of_this_manual(reader: Reader, workspace: Workspace) -> None:
    """An unknown trace is not found, one of another manual is refused."""
    workspace.write("m/a.md", "# Wick\n")
    workspace.write("n/a.md", "# Wick\n")
    other = reader.find("wick", manual_id="n")
    asked = {"query": "wick", "manual_id": "m", "required_terms": ["wick"]}

    unknown = reader.use("find", **asked, only_unscanned_from_trace_id="none")
    foreign = reader.use("find", **asked, only_unscanned_from_trace_id=other["trace_id"])

    assert unknown["code"] == "not_found"
    assert foreign["code"] == "invalid_parameter"


@pytest.mark.requirement("manuals:find:complete", "manuals:cap:incomplete")
@pytest.mark.usefixtures("manual")
def test_a_hard_cap_says_so(open_manuals: OpenManuals) -> None:
    """Sections that were proposed but not scored make the search incomplete."""
    reader = open_manuals(MANUAL_FIND_SCAN_HARD_CAP="3")

    found = reader.find("number of the part", "part")

    assert (found["complete"], found["failure_reason"]) == (False, "candidate_cap")
    assert 0 < found["candidates"] <= 3
    rows = reader.rows(found, "unscanned")
    assert len(rows) == found["unscanned"] > 0
    assert {row["reason"] for row in rows} == {"candidate_cap"}


@pytest.mark.requirement("manuals:cap:usual")
@pytest.mark.usefixtures("manual")
def test_the_usual_cap_leaves_a_search_whole(reader: Reader) -> None:
    """What the index rules out counts as searched."""
    found = reader.find("number of the part", "part")

    assert (found["complete"], found["unscanned"]) == (True, 0)


@pytest.mark.requirement("manuals:unscanned:links", "manuals:hits:unscanned-rows")
def test_links_are_listed_but_leave_a_search_complete(reader: Reader, workspace: Workspace) -> None:
    """They are no files of the manual; nothing behind them is found."""
    workspace.write("m/a.md", "# Wick\n")
    outside = workspace.folder / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("# Wick canary\n", encoding="utf-8")
    (workspace.root / "m/link.md").symlink_to(outside / "secret.md")
    (workspace.root / "m/folder").symlink_to(outside)

    found = reader.find("wick canary", "wick")

    assert found["complete"] is True
    assert [row["ref"]["path"] for row in reader.rows(found)] == ["a.md"]
    assert reader.rows(found, "unscanned") == [
        {"path": "folder", "reason": "symlink"},
        {"path": "link.md", "reason": "symlink"},
    ]

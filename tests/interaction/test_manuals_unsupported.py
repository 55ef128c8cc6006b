"""Files that search does not take: counted by kind and listed, and nothing is claimed of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.interaction.manual_calls import Reader, Workspace

KINDS = 40


@pytest.mark.requirement("manuals:unscanned:unsupported", "manuals:hits:unscanned-rows")
def test_what_search_does_not_take_is_told_by_kind(reader: Reader, workspace: Workspace) -> None:
    """In the answer, in its rows, and where files are listed; the search is complete."""
    workspace.write("m/a.md", "# Wick\n")
    for path in ("guide.PDF", "more/b.pdf", "more/c.html", "README", ".hidden"):
        workspace.write(f"m/{path}", "wick")

    found = reader.find("wick")

    assert (found["complete"], found["unscanned"]) == (True, 5)
    assert found["unsupported"] == {"pdf": 2, "html": 1, "other": 2}
    assert reader.rows(found, "unscanned") == [
        {"path": path, "reason": "unsupported"}
        for path in (".hidden", "README", "guide.PDF", "more/b.pdf", "more/c.html")
    ]
    assert reader.use("ls", id="m")["unsupported"] == {"pdf": 1, "other": 2}
    assert reader.use("ls", id="m/more")["unsupported"] == {"html": 1, "pdf": 1}
    toc = reader.use("toc", manual_id="m", path_prefix="more")
    assert (toc["total_files"], toc["unsupported"]) == (0, {"html": 1, "pdf": 1})


@pytest.mark.requirement("manuals:unscanned:unsupported")
def test_what_was_unsupported_may_change(reader: Reader, workspace: Workspace) -> None:
    """The next answer tells of it, however alike the question; without any there is no such key."""
    workspace.write("m/a.md", "# Wick\n")
    assert "unsupported" not in reader.find("wick")

    picture = workspace.write("m/b.png", "x")
    assert reader.find("wick")["unsupported"] == {"png": 1}

    workspace.write("m/c.png", "x")
    assert reader.find("wick")["unsupported"] == {"png": 2}
    picture.unlink()
    assert reader.find("wick")["unsupported"] == {"png": 1}


@pytest.mark.requirement("manuals:unscanned:unsupported")
def test_many_kinds_keep_an_answer_short(reader: Reader, workspace: Workspace) -> None:
    """The most frequent are named, the rest are one count."""
    workspace.write("m/a.md", "# Wick\n")
    for number in range(KINDS):
        workspace.write(f"m/{number}.k{number}", "x")
    workspace.write("m/again.k7", "x")

    told = reader.find("wick")["unsupported"]

    assert next(iter(told)) == "k7"
    assert (len(told), sum(told.values())) == (9, KINDS + 1)


@pytest.mark.requirement("manuals:unscanned:names")
@pytest.mark.skipif(sys.platform == "win32", reason="such names cannot be made there")
def test_a_name_that_nobody_can_give_has_its_own_reason(
    reader: Reader, workspace: Workspace
) -> None:
    """A search that left it out is not complete; one that left a picture out is."""
    workspace.write("m/a.md", "# Wick\n")
    workspace.write("m/b\u202ecod.md", "# Wick\n")
    workspace.write("m/c\u202ecod.png", "x")

    found = reader.find("wick")

    assert found["complete"] is False
    assert {row["reason"]: row["path"] for row in reader.rows(found, "unscanned")} == {
        "unusable_name": "b\u202ecod.md",
        "unsupported": "c\u202ecod.png",
    }


@pytest.mark.requirement("manuals:unscanned:ignored")
def test_what_tools_keep_for_themselves_is_ignored(reader: Reader, workspace: Workspace) -> None:
    """One row for each folder; the search is complete, and such a folder is no manual."""
    workspace.write("m/a.md", "# Wick\n")
    for path in ("m/.git/b.md", "m/sub/node_modules/x/c.md", ".trash/d.md", "node_modules/e.md"):
        workspace.write(path, "# Wick\n")

    found = reader.find("wick")

    assert (found["complete"], found["unscanned"]) == (True, 2)
    assert reader.rows(found, "unscanned") == [
        {"path": ".git/", "reason": "ignored"},
        {"path": "sub/node_modules/", "reason": "ignored"},
    ]
    assert [item["id"] for item in reader.use("ls")["items"]] == ["m"]

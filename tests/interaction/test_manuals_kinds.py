"""Which files are searched: kinds that a setting adds, and what `.tebikiignore` takes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Reader, Workspace

PAGE = """<!doctype html><head><title>取扱説明書</title><script>if (a<b) "<h1>no</h1>"</script>
</head><body><nav><h2>案内</h2></nav>
<h1 id="a">灯芯 &amp; 油</h1><p>灯芯は毎月<b>換え</b>ます。</p>
<h2>油</h2><table><tr><td>種類</td><td>菜種</td></tr></table></body></html>
"""
RST = "========\nランプ\n========\n\nまえがき。\n\n掃除\n----\n\n硝子は乾いた布で拭きます。\n"
ALL = "md,json,txt,markdown,mdx,rst,html"


def ignored(reader: Reader, word: str) -> list[str]:
    """What a find lists as ignored."""
    found = reader.find(word)
    assert found["complete"] is True
    rows = reader.rows(found, "unscanned")
    return [row["path"] for row in rows if row["reason"] == "ignored"]


@pytest.mark.requirement("manuals:ignore:rules", "manuals:ignore:fresh")
def test_ignore_rules_are_seen_by_the_next_find(reader: Reader, workspace: Workspace) -> None:
    """Written, changed and removed while the server runs, from the first find on."""
    for path in ("a.md", "drafts/b.md", "c.draft.md", "keep.draft.md", "drafts/d.pdf"):
        workspace.write(f"m/{path}", "# Wick\n")
    assert reader.find("wick")["candidates"] == 4

    rules = workspace.write("m/.tebikiignore", "# not yet\ndrafts/\n*.draft.md\n!keep.draft.md\n")
    found = reader.find("wick")
    assert found["candidates"] == 2
    assert (found["complete"], "unsupported" in found) == (True, False)
    assert ignored(reader, "wick") == ["c.draft.md", "drafts/b.md", "drafts/d.pdf"]

    rules.write_text("/a.md\n", encoding="utf-8")
    assert reader.find("wick")["candidates"] == 3
    assert ignored(reader, "wick") == ["a.md"]
    toc = reader.use("toc", manual_id="m")
    assert [item["path"] for item in toc["items"]] == [
        "c.draft.md",
        "drafts/b.md",
        "keep.draft.md",
    ]
    assert {"path": "a.md", "reason": "ignored"} in toc["skipped"]

    rules.unlink()
    assert reader.find("wick")["candidates"] == 4
    assert ignored(reader, "wick") == []


@pytest.mark.requirement("manuals:ignore:rules")
def test_rules_that_nobody_can_keep_do_no_harm(reader: Reader, workspace: Workspace) -> None:
    """What is no rule, and what would take ages on a long name, is passed over."""
    workspace.write("m/a.md", "# Wick\n")
    workspace.write(f"m/{'a' * 200}.md", "# Wick\n")
    rules = "!\n\\\n" + "*a" * 40 + "*b\n**/" * 9 + "x\nzzz*\n"
    workspace.write("m/.tebikiignore", rules.encode("cp932"))
    workspace.write("m/zzz1.md", "# Wick\n")

    assert reader.find("wick")["candidates"] == 2
    assert ignored(reader, "wick") == ["zzz1.md"]

    workspace.write("m/.tebikiignore", b"\xff\xfe\xff")
    found = reader.find("wick")
    assert (found["candidates"], found["complete"]) == (3, False)
    assert {"path": ".tebikiignore", "reason": "encoding"} in reader.rows(found, "unscanned")


@pytest.mark.requirement("manuals:kinds:more", "manuals:kinds:reading")
def test_kinds_that_are_named_are_searched_where_they_lie(
    open_manuals: OpenManuals, workspace: Workspace
) -> None:
    """By their headings where they have some; what is read by default follows from that."""
    workspace.write("m/page.html", PAGE.encode("cp932"))
    workspace.write("m/old.HTM", "<p>無題の頁</p>")
    workspace.write("m/lamp.rst", RST)
    workspace.write("m/note.txt", "灯油の値段は毎週変わります。\n" * 300 + "\n予備は棚にある。\n")
    workspace.write("m/more.markdown", "# 火消し\n\n蓋をします。\n")
    reader = open_manuals(MANUALS_FILE_TYPES=ALL)

    listed = {item["name"]: item["file_type"] for item in reader.use("ls", id="m")["items"]}
    assert listed["page.html"] == listed["old.HTM"] == "html"
    assert (listed["lamp.rst"], listed["note.txt"], listed["more.markdown"]) == (
        "rst",
        "txt",
        "markdown",
    )

    def first(word: str) -> tuple[str, int, str]:
        hit = reader.find(f"{word}は", word)["inline_hits"]["items"][0]
        return hit["ref"]["path"], hit["ref"]["start_line"], hit["title"]

    assert first("毎月換え") == ("page.html", 3, "灯芯 & 油")
    assert first("菜種") == ("page.html", 4, "油")
    assert first("無題") == ("old.HTM", 1, "old.HTM")
    assert first("乾いた布") == ("lamp.rst", 7, "掃除")
    assert first("火消し") == ("more.markdown", 1, "火消し")
    path, line, _ = first("予備")
    assert (path, 1 < line <= 302) == ("note.txt", True)
    for word in ("案内", "no"):
        assert reader.find(word)["candidates"] == 0, word

    read = reader.use("read", ref={"manual_id": "m", "path": "lamp.rst", "start_line": 7})
    assert (read["applied"]["scope"], read["text"]) == ("section", RST[RST.index("掃除") :])
    read = reader.use("read", ref={"manual_id": "m", "path": "note.txt"})
    assert (read["applied"]["scope"], read["text"][:4]) == ("file", "灯油の値")
    ref = {"manual_id": "m", "path": "note.txt"}
    assert reader.use("read", ref=ref, scope="section")["code"] == "invalid_scope"
    toc = reader.use("toc", manual_id="m", path_prefix="page.html", depth="deep")
    assert toc["items"][0]["headings"] == [
        {"title": "灯芯 & 油", "line_start": 3},
        {"title": "油", "line_start": 4},
    ]


@pytest.mark.requirement("manuals:kinds:bounds")
@pytest.mark.transports("memory")
def test_pages_made_to_hurt_are_searched_in_time(
    open_manuals: OpenManuals, workspace: Workspace
) -> None:
    """Nesting, tags without an end and comments without one cost what their length does."""
    hurting = {
        "nested.html": "<div>" * 200_000 + "<h1>灯芯</h1>",
        "open.html": "<h1>灯芯</h1>" + '<a "' * 20_000,
        "comments.html": "<h1>灯芯</h1>" + "<!-- " * 20_000,
        "scripts.html": "<h1>灯芯</h1>" + "<script>" * 20_000,
        "navs.html": "<nav>" * 20_000 + "<h1>灯芯</h1>",
        "headings.html": "<h1>灯芯</h1>" + "<h2>x" * 20_000,
        "titles.html": "<h1>灯芯</h1>" + "<title>x" * 20_000,
    }
    for name, text in hurting.items():
        workspace.write(f"m/{name}", text)
    reader = open_manuals(MANUALS_FILE_TYPES="html")

    found = reader.find("灯芯", "灯芯", budget={"time_ms": 60_000})

    assert (found["complete"], found["candidates"]) == (True, len(hurting))

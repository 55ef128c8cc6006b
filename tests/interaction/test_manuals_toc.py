"""`manual_toc` on the real process: a manual's table of contents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Json, Reader, Workspace


def paths(table: Json) -> list[str]:
    """The files of a page."""
    return [item["path"] for item in table["items"]]


def toc(reader: Reader, **arguments: Any) -> Json:
    """The contents of the manual."""
    return reader.use("toc", manual_id="m", **arguments)


@pytest.mark.requirement("manuals:files:which", "manuals:toc:shape", "manuals:toc:max-files")
def test_a_shallow_table_lists_files(open_manuals: OpenManuals, workspace: Workspace) -> None:
    """With every default told, no prefix as the empty one, and no headings."""
    workspace.write("m/b.md", "# B\n")
    workspace.write("m/操作/a.JSON", "{}")
    workspace.write("m/c.txt", "no file of a manual")
    reader = open_manuals()

    assert toc(reader) == {
        "applied": {
            "manual_id": "m",
            "path_prefix": "",
            "depth": "shallow",
            "max_files": 20,
            "include_headings": False,
            "max_headings_per_file": 20,
            "offset": 0,
        },
        "total_files": 2,
        "next_cursor": None,
        "items": [{"path": "b.md", "headings": []}, {"path": "操作/a.JSON", "headings": []}],
        "unsupported": {"txt": 1},
    }


@pytest.mark.requirement("manuals:toc:deep", "manuals:sections:markdown")
def test_a_deep_table_shows_headings(reader: Reader, workspace: Workspace) -> None:
    """Real ones, with their lines; a JSON file shows its top-level keys."""
    workspace.write(
        "m/g/a.md",
        "---\ntitle: front\n---\n\n# ATX ##\n\nSetext\n===\n\n```\n# fence\n```\n\n"
        "<div>\n# html\n</div>\n\n  ## indented\n\n#tag\n",
    )
    workspace.write("m/g/b.json", '{\n  "one": {"inner": 1},\n\n  "two": [\n 1]\n}')
    workspace.write("m/g/list.json", "[1, 2]")

    table = toc(reader, path_prefix="g", depth="deep")

    assert table["applied"]["include_headings"] is True
    assert table["applied"]["depth"] == "deep"
    headings = {item["path"]: item["headings"] for item in table["items"]}
    assert headings["g/a.md"] == [
        {"title": "ATX", "line_start": 5},
        {"title": "Setext", "line_start": 7},
        {"title": "indented", "line_start": 18},
    ]
    assert headings["g/b.json"] == [
        {"title": "one", "line_start": 2},
        {"title": "two", "line_start": 4},
    ]
    assert headings["g/list.json"] == []


@pytest.mark.requirement("manuals:toc:deep-needs-prefix")
def test_deep_needs_a_prefix(reader: Reader, workspace: Workspace) -> None:
    """Also when an empty one is given."""
    workspace.write("m/a.md", "# A\n")

    for prefix in ({}, {"path_prefix": None}, {"path_prefix": ""}, {"path_prefix": "./"}):
        refused = toc(reader, depth="deep", **prefix)
        assert refused["code"] == "invalid_parameter"
        assert "path_prefix" in refused["message"]


@pytest.mark.requirement("manuals:toc:prefix")
def test_a_prefix_is_a_file_or_a_folder(reader: Reader, workspace: Workspace) -> None:
    """Not a part of a name; matching nothing is an empty table."""
    for name in ("guide/a.md", "guide/sub/b.md", "guide-old/c.md", "guide.md"):
        workspace.write(f"m/{name}", "# X\n")

    assert paths(toc(reader, path_prefix="guide")) == ["guide/a.md", "guide/sub/b.md"]
    assert paths(toc(reader, path_prefix="guide/")) == ["guide/a.md", "guide/sub/b.md"]
    assert toc(reader, path_prefix="./guide//sub/")["applied"]["path_prefix"] == "guide/sub"
    assert paths(toc(reader, path_prefix="guide.md")) == ["guide.md"]
    empty = toc(reader, path_prefix="gui")
    assert (empty["items"], empty["total_files"], empty["next_cursor"]) == ([], 0, None)


@pytest.mark.requirement("manuals:toc:hostile-prefix")
def test_a_prefix_that_is_no_path_is_refused(
    reader: Reader, workspace: Workspace, subtests: pytest.Subtests
) -> None:
    """By the gate that all paths go through."""
    workspace.write("m/g/a.md", "# A\n")

    climbing = ["..", "/", "/etc", "g/../..", "g\\..\\..", "C:\\g"]
    for prefix in (*climbing, "a\0b", "x" * 300, "g\u202e"):
        with subtests.test(prefix):
            assert toc(reader, path_prefix=prefix)["code"] == "invalid_path"


@pytest.mark.requirement("manuals:toc:cursor")
def test_pages_cover_all_files_without_repeats(reader: Reader, workspace: Workspace) -> None:
    """By every form that a cursor has."""
    files = [f"f{number:03}.md" for number in range(45)]
    for name in files:
        workspace.write(f"m/{name}", "# X\n")

    first = toc(reader)
    second = toc(reader, cursor=first["next_cursor"])
    third = toc(reader, cursor=second["next_cursor"]["offset"])
    again = toc(reader, cursor=str(second["next_cursor"]["offset"]))

    assert [len(paths(page)) for page in (first, second, third)] == [20, 20, 5]
    assert paths(first) + paths(second) + paths(third) == files
    assert [page["total_files"] for page in (first, second, third)] == [45] * 3
    assert [page["next_cursor"] for page in (first, second, third)] == [
        {"offset": 20},
        {"offset": 40},
        None,
    ]
    assert again == third
    assert third["applied"]["offset"] == 40
    assert toc(reader, cursor={"offset": 40.0}) == third
    assert toc(reader, cursor={"offset": None}) == toc(reader, cursor=None) == first


@pytest.mark.requirement("manuals:toc:past-the-end")
def test_an_offset_at_the_end_is_empty_and_past_it_refused(
    reader: Reader, workspace: Workspace
) -> None:
    """`invalid_parameter`, telling the offset and the number of files."""
    workspace.write("m/a.md", "# A\n")

    refused = toc(reader, cursor=2)

    assert toc(reader, cursor=1)["items"] == []
    assert refused["code"] == "invalid_parameter"
    assert "cursor.offset is 2" in refused["message"]
    assert "1 file." in refused["message"]


@pytest.mark.requirement("wire:errors:file-codes", "manuals:toc:narrow-scope")
def test_more_than_200_files_need_a_narrower_scope(reader: Reader, workspace: Workspace) -> None:
    """Told with the count and the folders; below a folder it works."""
    for number in range(150):
        workspace.write(f"m/a/f{number}.md", "# X\n")
    for number in range(51):
        workspace.write(f"m/b/sub/f{number}.md", "# X\n")

    refused = toc(reader)
    narrowed = toc(reader, path_prefix="a", max_files=200)

    assert refused["code"] == "needs_narrow_scope"
    assert refused["details"]["total_files"] == 201
    assert [row["path"] for row in refused["details"]["sub_folders"]] == ["a", "b"]
    assert "201" in refused["message"]
    assert len(narrowed["items"]) == 150
    (workspace.root / "m/b/sub/f0.md").unlink()
    assert toc(reader)["total_files"] == 200


BAD: list[tuple[Json, str]] = [
    ({"max_files": 0}, "max_files"),
    ({"max_files": 201, "path_prefix": "g"}, "max_files"),
    ({"max_files": 51}, "from 1 to 50"),
    ({"max_files": 51, "path_prefix": ""}, "from 1 to 50"),
    ({"max_files": 51, "path_prefix": "g", "depth": "deep"}, "from 1 to 50"),
    ({"max_headings_per_file": 0}, "max_headings_per_file"),
    ({"max_headings_per_file": 201}, "max_headings_per_file"),
    ({"depth": "Deep"}, "one of shallow, deep"),
    ({"depth": "full"}, "one of shallow, deep"),
    ({"include_headings": True}, "include_headings"),
    ({"include_headings": None}, "include_headings"),
    ({"cursor": -1}, "cursor"),
    ({"cursor": "-1"}, "cursor"),
    ({"cursor": 1.5}, "cursor"),
    ({"cursor": True}, "cursor"),
    ({"cursor": "one"}, "cursor"),
    ({"cursor": ""}, "cursor"),
    ({"cursor": "9" * 5000}, "cursor"),
    ({"cursor": []}, "cursor"),
    ({"cursor": {"offset": "20"}}, "cursor.offset"),
    ({"cursor": {"ofset": 20}}, "did you mean offset?"),
]


@pytest.mark.requirement(
    "wire:arguments:bounds-named",
    "manuals:toc:max-files",
    "manuals:toc:max-headings",
    "manuals:toc:cursor",
    "manuals:toc:include-headings",
)
def test_bounds_are_told(reader: Reader, workspace: Workspace, subtests: pytest.Subtests) -> None:
    """Each refusal names what was wrong."""
    workspace.write("m/g/a.md", "# A\n")

    for arguments, words in BAD:
        with subtests.test(arguments=arguments):
            refused = toc(reader, **arguments)

            assert refused["code"] == "invalid_parameter"
            assert words in refused["message"]


@pytest.mark.requirement("manuals:toc:max-files", "manuals:toc:max-headings")
def test_the_widest_pages_that_are_allowed(reader: Reader, workspace: Workspace) -> None:
    """50 for a whole manual or headings, 200 below a prefix; 200 headings of a file."""
    workspace.write("m/g/a.md", "".join(f"# H{number}\n" for number in range(250)))

    assert toc(reader, max_files=50)["applied"]["max_files"] == 50
    assert toc(reader, max_files=200, path_prefix="g")["applied"]["max_files"] == 200
    usual = toc(reader, depth="deep", path_prefix="g")["items"][0]["headings"]
    most = toc(reader, depth="deep", path_prefix="g", max_files=50, max_headings_per_file=200)
    assert len(usual) == 20
    assert len(most["items"][0]["headings"]) == 200
    assert most["items"][0]["headings"][-1] == {"title": "H199", "line_start": 200}


@pytest.mark.requirement("manuals:toc:unreadable")
def test_what_cannot_be_read_is_still_a_file(reader: Reader, workspace: Workspace) -> None:
    """It has a row with a reason; a link is no file of the manual, but told."""
    workspace.write("m/g/bad.md", b"\xff\xfe\xfa\x80\x81\x82\xff")
    workspace.write("m/g/good.md", "# G\n")
    (workspace.root / "m/g/link.md").symlink_to("good.md")

    table = toc(reader, depth="deep", path_prefix="g")

    assert table["total_files"] == 2
    assert table["items"][0] == {"path": "g/bad.md", "headings": [], "unreadable": "encoding"}
    assert table["skipped"] == [{"path": "g/link.md", "reason": "symlink"}]

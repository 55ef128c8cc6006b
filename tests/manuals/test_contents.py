"""The table of contents: pages, headings, prefixes, and scopes that are too wide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tebiki.errors import InvalidArguments, InvalidPath, NeedsNarrowScope
from tebiki.tools import manual_forms as forms

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.manuals.library import Library
    from tests.manuals.conftest import Write


def paths(contents: Any) -> list[str]:
    """The paths on a page."""
    return [item.path for item in contents.items]


def test_a_page_tells_what_was_applied(library: Library, write: Write) -> None:
    """Defaults included."""
    write("m/a.md", "# A")

    assert forms.contents_form(library.toc("m")) == {
        "applied": {
            "manual_id": "m",
            "path_prefix": "",
            "depth": "shallow",
            "max_files": 20,
            "include_headings": False,
            "max_headings_per_file": 20,
            "offset": 0,
        },
        "total_files": 1,
        "next_cursor": None,
        "items": [{"path": "a.md", "headings": []}],
    }


def test_pages_follow_one_another(library: Library, write: Write) -> None:
    """The offset at the end gives an empty page, past it is refused."""
    for number in range(5):
        write(f"m/{number}.md", "x")

    first = library.toc("m", max_files=3)

    assert forms.contents_form(first)["next_cursor"] == {"offset": 3}
    assert paths(first) + paths(library.toc("m", max_files=3, offset=3)) == [
        f"{number}.md" for number in range(5)
    ]
    assert paths(library.toc("m", offset=5)) == []
    with pytest.raises(InvalidArguments, match="offset is 6"):
        library.toc("m", offset=6)


def test_headings_are_shown_when_deep(library: Library, write: Write) -> None:
    """Of Markdown the headings, of JSON the keys."""
    write("m/g/a.md", "---\na: b\n---\ntext\n# One\n\nTwo\n===\n")
    write("m/g/b.json", '{"x": 1,\n "y": {"z": 2}}')
    write("m/g/c.json", "[1]")
    write("m/g/d.json", "{no")

    items = forms.contents_form(library.toc("m", "g", depth="deep"))["items"]

    assert items == [
        {
            "path": "g/a.md",
            "headings": [{"title": "One", "line_start": 5}, {"title": "Two", "line_start": 7}],
        },
        {
            "path": "g/b.json",
            "headings": [{"title": "x", "line_start": 1}, {"title": "y", "line_start": 2}],
        },
        {"path": "g/c.json", "headings": []},
        {"path": "g/d.json", "headings": []},
    ]


def test_headings_that_are_cut_are_told(library: Library, write: Write) -> None:
    """At most as many as asked for."""
    write("m/a.md", "# 1\n# 2\n# 3\n")

    (item,) = forms.contents_form(library.toc("m", "a.md", depth="deep", max_headings=2))["items"]

    assert [heading["title"] for heading in item["headings"]] == ["1", "2"]
    assert item["more_headings"] is True


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("sub", ["sub/a.md", "sub/deep/b.md"]),
        ("sub/", ["sub/a.md", "sub/deep/b.md"]),
        ("./sub\\deep", ["sub/deep/b.md"]),
        ("sub/a.md", ["sub/a.md"]),
        ("su", []),
        ("sub/a", []),
        (".", ["sub/a.md", "sub/deep/b.md", "subway.md"]),
    ],
)
def test_a_prefix_is_a_file_or_a_folder(
    library: Library, write: Write, prefix: str, expected: list[str]
) -> None:
    """Not part of a name; nothing matched is an empty list."""
    for path in ("sub/a.md", "sub/deep/b.md", "subway.md"):
        write(f"m/{path}", "x")

    assert paths(library.toc("m", prefix)) == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"depth": "deep"}, "path_prefix is needed"),
        ({"depth": "wide"}, "depth is 'wide'"),
        ({"max_files": 0}, "max_files is 0"),
        ({"max_files": 51}, "from 1 to 50"),
        ({"max_files": 51, "depth": "deep", "path_prefix": "a"}, "from 1 to 50"),
        ({"max_files": 201, "path_prefix": "a"}, "from 1 to 200"),
        ({"max_headings": 201}, "max_headings_per_file is 201"),
        ({"offset": -1}, "cursor.offset is -1"),
    ],
)
def test_bounds_are_named(library: Library, arguments: dict[str, Any], words: str) -> None:
    """With the value and what is allowed."""
    with pytest.raises(InvalidArguments, match=words):
        library.toc("m", **arguments)


@pytest.mark.parametrize("prefix", ["..", "/etc", "a/../b", "C:x", "a\0"])
def test_hostile_prefixes_are_refused(library: Library, prefix: str) -> None:
    """By the gate."""
    with pytest.raises(InvalidPath):
        library.toc("m", prefix)


def test_too_wide_a_scope_tells_where_to_narrow(library: Library, write: Write) -> None:
    """The count, and the folders with theirs."""
    for number in range(150):
        write(f"m/top/a/{number}.md", "x")
        write(f"m/top/b/{number}.md", "x")
    write("m/top/one.md", "x")

    with pytest.raises(NeedsNarrowScope, match="301 files") as refusal:
        library.toc("m", "top")

    assert refusal.value.details == {
        "total_files": 301,
        "max_files_in_scope": 200,
        "sub_folders": [{"path": "top/a", "files": 150}, {"path": "top/b", "files": 150}],
    }
    assert library.toc("m", "top/a", max_files=200).total_files == 150


def test_a_scope_without_folders_is_narrowed_to_a_file(library: Library, write: Write) -> None:
    """No folder is promised where there is none."""
    for number in range(201):
        write(f"m/{number}.md", "x")

    with pytest.raises(NeedsNarrowScope, match="give a file as path_prefix") as refusal:
        library.toc("m")

    assert (refusal.value.details or {})["sub_folders"] == []


def test_what_cannot_be_read_is_told(library: Library, root: Path, write: Write) -> None:
    """Files among the items, the rest beside them."""
    write("m/g/bad.md", b"\xff\x00\xfe\x81 nothing")
    write("m/g/a.md", "# A")
    (root / "m" / "g" / "link.md").symlink_to("a.md")

    shown = forms.contents_form(library.toc("m", "g", depth="deep"))

    assert shown["total_files"] == 2
    assert shown["items"][1] == {"path": "g/bad.md", "headings": [], "unreadable": "encoding"}
    assert shown["skipped"] == [{"path": "g/link.md", "reason": "symlink"}]
    assert shown["total_skipped"] == 1


def test_what_is_left_out_is_counted_beyond_what_is_shown(
    library: Library, root: Path, write: Write
) -> None:
    """Twenty are shown."""
    write("m/a.md", "# A")
    for number in range(30):
        (root / "m" / f"{number:02}.md").symlink_to("a.md")

    shown = forms.contents_form(library.toc("m"))

    assert (len(shown["skipped"]), shown["total_skipped"]) == (20, 30)
    assert "total_skipped" not in forms.contents_form(library.toc("m", "a.md"))

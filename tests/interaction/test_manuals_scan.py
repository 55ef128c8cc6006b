"""`manual_scan` on the real process: files page by page; and the paths that all reading refuses."""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest

from tests.interaction.differences import expected

if TYPE_CHECKING:
    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Json, Reader, Workspace


def scan(reader: Reader, path: str = "a.md", **arguments: Any) -> Json:
    """A page of the manual."""
    return reader.use("scan", manual_id="m", path=path, **arguments)


@pytest.mark.requirement("manuals:scan:shape")
def test_a_short_file_is_one_page(open_manuals: OpenManuals, workspace: Workspace) -> None:
    """With the manual and the path."""
    workspace.write("m/操作/a.md", "一行目\r\n二行目")
    reader = open_manuals()

    assert scan(reader, "操作/a.md") == {
        "manual_id": "m",
        "path": "操作/a.md",
        "text": "一行目\r\n二行目",
        "applied_range": {"start_line": 1, "end_line": 2},
        "next_cursor": {"char_offset": None},
        "eof": True,
        "truncated": False,
        "truncated_reason": "none",
        "applied": {"max_chars": 12_000, "encoding": "utf-8"},
    }


@pytest.mark.requirement("manuals:scan:pages")
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_pages_reproduce_the_file(reader: Reader, workspace: Workspace, ending: str) -> None:
    """No character twice, none left out, no line end cut in two."""
    text = "".join(f"行 {number} の本文 👩‍👩‍👧 です。{ending}" for number in range(3000))
    workspace.write("m/a.md", text)

    pages = list(reader.pages("a.md"))

    assert "".join(page["text"] for page in pages) == text
    assert all(len(page["text"]) <= 12_000 for page in pages)
    assert all(page["text"].endswith(ending) for page in pages)
    assert [page["truncated_reason"] for page in pages[:-1]] == ["max_chars"] * (len(pages) - 1)
    assert pages[-1]["next_cursor"] == {"char_offset": None}


@pytest.mark.requirement("manuals:scan:pages")
def test_one_endless_line_is_parted_between_clusters(reader: Reader, workspace: Workspace) -> None:
    """Never inside a character that is drawn as one."""
    text = "👩‍👩‍👧" * 5000
    workspace.write("m/a.md", text)

    pages = [page["text"] for page in reader.pages("a.md")]

    assert "".join(pages) == text
    assert all(len(page) % 5 == 0 for page in pages)


@pytest.mark.requirement("manuals:scan:start")
def test_where_a_scan_begins(reader: Reader, workspace: Workspace) -> None:
    """`start_line`, then `cursor.char_offset`, then `cursor.start_line`, then the beginning."""
    workspace.write("m/a.md", "one\ntwo\nthree\n")

    assert scan(reader)["text"] == "one\ntwo\nthree\n"
    assert scan(reader, start_line=3, cursor={"char_offset": 4})["text"] == "three\n"
    assert scan(reader, cursor={"char_offset": 4, "start_line": 3})["text"] == "two\nthree\n"
    assert scan(reader, cursor={"start_line": 3})["text"] == "three\n"


@pytest.mark.requirement("manuals:scan:cursor")
@pytest.mark.parametrize("cursor", [4, 4.0, "4", {"char_offset": 4}, {"char_offset": 4.0}])
def test_a_cursor_may_be_a_number(reader: Reader, workspace: Workspace, cursor: Any) -> None:
    """Or a numeric string: both mean `char_offset`."""
    workspace.write("m/a.md", "one\ntwo\n")

    assert scan(reader, cursor=cursor)["text"] == "two\n"


@pytest.mark.requirement("manuals:read:empty", "manuals:scan:end")
def test_the_end_is_a_page_and_past_it_is_none(reader: Reader, workspace: Workspace) -> None:
    """An offset at the end gives an empty page; an empty file is one."""
    workspace.write("m/a.md", "one\n")
    workspace.write("m/empty.md", "")

    end = scan(reader, cursor=4)

    assert (end["text"], end["eof"]) == ("", True)
    assert (scan(reader, "empty.md")["text"], scan(reader, "empty.md")["eof"]) == ("", True)
    assert scan(reader, cursor=5)["code"] == "invalid_parameter"
    assert scan(reader, start_line=2)["code"] == "invalid_parameter"


@pytest.mark.requirement("manuals:scan:encodings")
@pytest.mark.parametrize(
    ("encoding", "label"),
    [
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("cp932", "cp932"),
        ("euc_jp", "euc-jp"),
    ],
)
def test_encodings_are_read_and_labelled(
    reader: Reader, workspace: Workspace, encoding: str, label: str
) -> None:
    """A BOM is neither in the text nor counted."""
    workspace.write("m/a.md", "手引きを読む。\nカタカナの行\n".encode(encoding))

    page = scan(reader, cursor=8)

    assert page["text"] == "カタカナの行\n"
    assert label in page["applied"]["encoding"]


@pytest.mark.requirement("manuals:scan:any-size")
def test_files_of_any_size_can_be_scanned(reader: Reader, workspace: Workspace) -> None:
    """Also those that are too large to be searched."""
    with workspace.write("m/big.md", b"x" * 100).open("ab") as big:
        big.truncate(17 * 1024 * 1024)
    offset = 17 * 1024 * 1024 - 10

    assert scan(reader, "big.md")["text"].startswith("x" * 100)
    assert scan(reader, "big.md", cursor=offset)["text"] == "\0" * 10


@pytest.mark.requirement("manuals:scan:encodings")
def test_bytes_that_are_no_text_are_said_to_be_none(reader: Reader, workspace: Workspace) -> None:
    """Not guessed at."""
    workspace.write("m/a.md", b"\xff\xfe\xfa\x80\x81\x82\xff")

    assert scan(reader)["code"] == "invalid_parameter"
    assert reader.read("a.md")["code"] == "invalid_parameter"


BAD: list[tuple[Json, str]] = [
    ({"path": None}, "path is required"),
    ({"path": 5}, "path must be a string"),
    ({"start_line": 0}, "start_line must be an integer of at least 1, got 0"),
    ({"start_line": "1"}, 'got "1"'),
    ({"start_line": True}, "start_line must be an integer"),
    ({"start_line": 1.5}, "got 1.5"),
    ({"cursor": -1}, "cursor"),
    ({"cursor": True}, "cursor"),
    ({"cursor": 1.5}, "cursor"),
    ({"cursor": "x"}, "cursor"),
    ({"cursor": "-1"}, "cursor"),
    ({"cursor": "１"}, "cursor"),
    ({"cursor": "9" * 5000}, "cursor"),
    ({"cursor": [0]}, "cursor"),
    ({"cursor": {"char_offset": "4"}}, "cursor.char_offset"),
    ({"cursor": {"char_offset": -1}}, "cursor.char_offset"),
    ({"cursor": {"char_offset": True}}, "cursor.char_offset"),
    ({"cursor": {"start_line": 0}}, "cursor.start_line"),
    ({"cursor": {"offset": 4}}, "did you mean char_offset?"),
    ({"max_chars": 5}, '"max_chars"'),
    ({"startline": 5}, "did you mean start_line?"),
]


@pytest.mark.requirement("wire:arguments:no-coercion", "manuals:scan:cursor")
def test_bad_input_names_what_is_wrong(
    reader: Reader, workspace: Workspace, subtests: pytest.Subtests
) -> None:
    """`invalid_parameter`, at any depth."""
    workspace.write("m/a.md", "one\n")

    for arguments, words in BAD:
        with subtests.test(arguments=arguments):
            refused = reader.use("scan", **({"manual_id": "m", "path": "a.md"} | arguments))

            assert refused["code"] == "invalid_parameter"
            assert words in refused["message"]


BAD_PATHS = {
    "empty": "",
    "here": ".",
    "absolute": "/etc/passwd",
    "absolute md": "/a.md",
    "drive": "C:\\a.md",
    "parent": "../n/b.md",
    "parent inside": "sub/../../n/b.md",
    "backslash parent": "..\\n\\b.md",
    "NUL": "a\0.md",
    "control": "a\x07.md",
    "bidi": "a\u202e.md",
    "too long": "あ" * 90 + ".md",
    "very long": "a/" * 50_000 + "a.md",
    "reserved": "con.md",
    "trailing dot": "sub./a.md",
    "trailing space": "sub /a.md",
    "surrogate": "\ud800.md",
}


def both(reader: Reader, path: str) -> list[Json]:
    """Read and scan a path."""
    return [reader.read(path), scan(reader, path)]


@pytest.mark.requirement("manuals:paths:gate")
def test_a_path_that_is_none_is_refused(reader: Reader, workspace: Workspace) -> None:
    """By the gate, with `invalid_path`; no message shows where the manuals are."""
    workspace.write("m/sub/a.md", "# A\n")
    workspace.write("n/b.md", "canary\n")

    for case, path in BAD_PATHS.items():
        code = expected(reader.server, f"path: {case}", "invalid_path")
        for refused in both(reader, path):
            assert refused.get("code") == code, case
            assert str(workspace.folder) not in json.dumps(refused), case


@pytest.mark.requirement("manuals:paths:gate")
@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege there")
def test_nothing_is_reached_through_a_link(reader: Reader, workspace: Workspace) -> None:
    """A linked file, a linked folder, a dangling link: forbidden."""
    workspace.write("m/a.md", "# A\n")
    outside = workspace.folder / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("canary", encoding="utf-8")
    (workspace.root / "m/link.md").symlink_to(outside / "secret.md")
    (workspace.root / "m/inner.md").symlink_to("a.md")
    (workspace.root / "m/folder").symlink_to(outside)
    (workspace.root / "m/dangling.md").symlink_to(outside / "none.md")

    for path in ("link.md", "inner.md", "folder/secret.md", "dangling.md"):
        assert [refused["code"] for refused in both(reader, path)] == ["forbidden"] * 2


@pytest.mark.requirement("manuals:paths:gate")
@pytest.mark.skipif(sys.platform == "win32", reason="there are no FIFOs")
def test_a_fifo_never_blocks(reader: Reader, workspace: Workspace) -> None:
    """Only regular files are opened; a search tells of it."""
    workspace.write("m/a.md", "# Lantern\n")
    os.mkfifo(workspace.root / "m/pipe.md")

    assert [refused["code"] for refused in both(reader, "pipe.md")] == ["invalid_path"] * 2
    found = reader.find("lantern")
    assert reader.rows(found, "unscanned") == [{"path": "pipe.md", "reason": "special"}]


@pytest.mark.requirement("manuals:paths:not-found")
@pytest.mark.parametrize("path", ["none.md", "sub", "sub/none.md", "a.md/b.md", "notes.txt"])
def test_what_is_not_there_is_not_found(reader: Reader, workspace: Workspace, path: str) -> None:
    """Nor is a folder, or a file that is none of a manual's."""
    workspace.write("m/a.md", "# A\n")
    workspace.write("m/sub/b.md", "# B\n")
    workspace.write("m/notes.txt", "canary")

    assert [refused["code"] for refused in both(reader, path)] == ["not_found"] * 2


@pytest.mark.requirement("manuals:paths:spellings")
def test_a_path_is_written_in_many_ways(reader: Reader, workspace: Workspace) -> None:
    """Backslashes, dots and empty parts; both normal forms; the answer has one form."""
    name = unicodedata.normalize("NFD", "ガイド")
    workspace.write(f"m/{name}/a.md", "# A\n")

    for path in ("ガイド/a.md", f"{name}/a.md", "ガイド\\a.md", "./ガイド//a.md"):
        assert scan(reader, path)["path"] == "ガイド/a.md"
        assert reader.read(path, scope="snippet")["text"] == "# A\n"

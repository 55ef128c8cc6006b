"""Reading: scopes, sections with their children, snippets, and going on where one ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tebiki.errors import Forbidden, InvalidArguments, InvalidPath, InvalidScope, NotFound
from tebiki.files.reading import Cursor
from tebiki.manuals.reading import Ref, Wanted
from tebiki.tools import manual_forms as forms
from tests.manuals import usual
from tests.manuals.libraries import library_at

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.manuals.library import Library
    from tests.manuals.conftest import Write

FILE = "before\n\n# One\nown\n## Child\ndeep\n## Other\nx\n# Two\nlast\n"


def read(
    library: Library, line: int | None = None, path: str = "a.md", **wanted: Any
) -> dict[str, Any]:
    """What a caller reads."""
    return forms.passage_form(library.read(Ref("m", path, line), Wanted(**wanted)))


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (None, "before\n\n"),
        (1, "before\n\n"),
        (3, "# One\nown\n## Child\ndeep\n## Other\nx\n"),
        (4, "# One\nown\n## Child\ndeep\n## Other\nx\n"),
        (6, "## Child\ndeep\n"),
        (10, "# Two\nlast\n"),
    ],
)
def test_a_section_has_all_that_is_below_its_heading(
    library: Library, write: Write, line: int | None, text: str
) -> None:
    """Any line of it means that section; no line means the first."""
    write("m/a.md", FILE)

    assert read(library, line) == {
        "text": text,
        "truncated": False,
        "applied": {
            "scope": "section",
            "max_sections": None,
            "max_chars": 12000,
            "mode": "read",
        },
    }


def test_blank_lines_on_top_are_no_section(library: Library, write: Write) -> None:
    """The first section is the first with text."""
    write("m/a.md", "\n\n# One\n")

    assert read(library)["text"] == "# One\n"


@pytest.mark.parametrize("scope", ["snippet", "section", "sections"])
def test_an_empty_file_reads_as_empty(library: Library, write: Write, scope: str) -> None:
    """In every scope."""
    write("m/a.md", "")

    assert read(library, scope=scope)["text"] == ""
    assert read(library, 1, scope=scope)["text"] == ""


def test_sections_follow_one_another_each_once(library: Library, write: Write) -> None:
    """At most twenty, beginning with the one asked for."""
    parts = [f"{'#' * (1 + number % 3)} {number}\ntext\n" for number in range(30)]
    write("m/a.md", "".join(parts))

    shown = read(library, 9, scope="sections")

    assert shown["text"] == "".join(parts[4:24])
    assert shown["applied"]["max_sections"] == 20


def test_a_long_section_is_cut_and_can_be_read_on(library: Library, write: Write) -> None:
    """The cursor is one that a scan takes."""
    text = "# A\n" + "あいうえお\n" * 3000 + "# B\n"
    write("m/a.md", text)

    shown = read(library)

    assert shown["truncated"] is True
    assert len(shown["text"]) <= 12000
    offset = shown["next_cursor"]["char_offset"]
    assert text[:offset] == shown["text"]
    assert library.scan("m", "a.md", cursor=Cursor(char_offset=offset)).page.text.startswith("あ")


@pytest.mark.parametrize(
    ("expand", "text"),
    [
        ({"before_chars": 0, "after_chars": 0}, "deep"),
        ({"before_chars": 3, "after_chars": 4}, "ld\ndeep\n## "),
        ({}, FILE),
        ({"before_chars": 99999, "after_chars": 0}, FILE[: FILE.index("deep") + 4]),
    ],
)
def test_a_snippet_is_a_line_and_what_is_around(
    library: Library, write: Write, expand: dict[str, Any], text: str
) -> None:
    """Clipped to the file."""
    write("m/a.md", FILE)

    shown = read(library, 6, scope="snippet", **expand)

    assert shown["text"] == text
    assert shown["applied"]["scope"] == "snippet"


def test_a_snippet_cuts_no_character_in_two(library: Library, write: Write) -> None:
    """Neither a line end nor a cluster."""
    write("m/a.md", "e\u0301\r\nline\r\nk\u0301")

    assert read(library, 2, scope="snippet", before_chars=1, after_chars=3)["text"] == "line\r\n"


@pytest.mark.parametrize("after", [0, 5, 50_000])
def test_a_snippet_shows_its_line_however_much_is_wanted_before(
    library: Library, write: Write, after: int
) -> None:
    """A page has its limit; what is asked for before the line must not push it out."""
    write("m/a.md", "# A\n" + "0123456789\n" * 5000 + "the line\n" + "0123456789\n" * 5000)
    shown = read(library, 5002, scope="snippet", before_chars=50_000, after_chars=after)
    assert "the line" in shown["text"]
    assert len(shown["text"]) <= 12_000


def test_json_is_read_whole_or_as_a_snippet(library: Library, write: Write) -> None:
    """It has no sections."""
    write("m/a.JSON", '{\n "a": 1\n}\n')

    assert read(library, path="a.JSON")["text"] == '{\n "a": 1\n}\n'
    assert read(library, path="a.JSON")["applied"]["scope"] == "file"
    snippet = read(library, 2, "a.JSON", scope="snippet", before_chars=0, after_chars=0)
    assert snippet["text"] == ' "a": 1'
    for scope in ("section", "sections"):
        with pytest.raises(InvalidScope):
            read(library, path="a.JSON", scope=scope)
    with pytest.raises(InvalidArguments, match="start_line is 4; the file has lines 1 to 3"):
        read(library, 4, "a.JSON")


def test_a_whole_markdown_file_needs_two_consents(
    library: Library, root: Path, write: Write
) -> None:
    """The setting's and the caller's."""
    write("m/a.md", FILE)
    settings = usual.LIBRARY._replace(allow_file_scope=True)
    allowing = library_at(root, settings)

    assert read(allowing, scope="file", allow_file=True)["text"] == FILE
    with pytest.raises(Forbidden, match="allow_file"):
        read(allowing, scope="file")
    with pytest.raises(Forbidden, match="ALLOW_FILE_SCOPE"):
        read(library, scope="file", allow_file=True)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (11, {}),
        (0, {}),
        (99, {"scope": "snippet"}),
        (1, {"scope": "page"}),
        (1, {"scope": "snippet", "before_chars": -1}),
    ],
)
def test_what_is_not_there_is_refused(
    library: Library, write: Write, line: int, wanted: dict[str, Any]
) -> None:
    """Lines past the end, scopes that do not exist."""
    write("m/a.md", FILE)

    with pytest.raises(InvalidArguments):
        read(library, line, **wanted)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("missing.md", NotFound),
        ("notes.txt", NotFound),
        ("sub.md", NotFound),
        ("../m/a.md", InvalidPath),
        ("/etc/passwd.md", InvalidPath),
        (".", InvalidPath),
        ("link.md", Forbidden),
    ],
)
def test_paths_go_through_the_gate(
    library: Library, root: Path, write: Write, path: str, error: type[Exception]
) -> None:
    """The one of the vault."""
    write("m/a.md", FILE)
    write("m/notes.txt", "x")
    write("m/sub.md/b.md", "x")
    (root / "m" / "link.md").symlink_to("a.md")

    with pytest.raises(error):
        read(library, path=path)


def test_the_same_section_again_goes_on(library: Library, write: Write) -> None:
    """Compared by section, not by line; after the end it is given again."""
    write("m/a.md", FILE)
    first = read(library, 5)

    again = read(library, 6)

    assert first["applied"]["mode"] == "read"
    assert again == {
        "text": "## Other\nx\n# Two\nlast\n",
        "truncated": False,
        "applied": {
            "scope": "section",
            "max_sections": None,
            "max_chars": 12000,
            "mode": "scan_fallback",
        },
        "applied_range": {"start_line": 7, "end_line": 10},
        "next_cursor": {"char_offset": None},
        "eof": True,
    }
    assert read(library, 5) == first


def test_going_on_repeats_and_skips_nothing(library: Library, write: Write) -> None:
    """A section that was cut goes on where it was cut."""
    text = "# A\n" + "あいうえお\n" * 7000
    write("m/a.md", text)

    shown = read(library)
    whole = shown["text"]
    while not shown.get("eof", False):
        shown = read(library)
        whole += shown["text"]

    assert whole == text


@pytest.mark.parametrize("between", ["parent", "child", "edit"])
def test_anything_else_is_read_as_asked(library: Library, write: Write, between: str) -> None:
    """Another section between, or another text."""
    write("m/a.md", FILE)
    read(library, 5)
    if between == "parent":
        assert read(library, 3)["text"].startswith("# One")
    elif between == "child":
        assert read(library, 7)["text"].startswith("## Other")
    else:
        write("m/a.md", "new line\n" + FILE)

    assert read(library, 5)["applied"]["mode"] == "read"


def test_each_connection_has_its_own_bookmark(library: Library, write: Write) -> None:
    """What one reads changes nothing for another."""
    write("m/a.md", FILE)
    other = library.for_client("another")
    other.ls()
    read(library, 5)

    assert read(other, 5)["applied"]["mode"] == "read"
    assert read(library, 5)["applied"]["mode"] == "scan_fallback"


@pytest.mark.parametrize("encoding", ["cp932", "euc-jp", "utf-16", "utf-8-sig"])
def test_every_encoding_is_read(library: Library, write: Write, encoding: str) -> None:
    """Line ends stay as they are stored."""
    write("m/a.md", "# 見出しです\r\n本文です。\r\n# 次の章\r\n".encode(encoding))

    assert read(library, 1)["text"] == "# 見出しです\r\n本文です。\r\n"


def test_the_samples_can_be_read(samples: Library) -> None:
    """A fence's comment is no heading."""
    shown = forms.passage_form(samples.read(Ref("kaede-fukugouki", "保守/エラーへの対処.md", 20)))

    assert shown["text"].startswith("## それでも直らないとき")
    assert "内線 4120" in shown["text"]

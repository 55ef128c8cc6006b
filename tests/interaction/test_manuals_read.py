"""`manual_read` on the real process: reading passages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Json, Reader, Workspace

PAGE = """intro line

# One

text of one

## One a

text of a

## One b

text of b

# Two

text of two
"""


@pytest.fixture(name="page")
def _page(workspace: Workspace) -> None:
    workspace.write("m/a.md", PAGE)
    workspace.write("m/c.json", '{\n  "a": 1,\n  "b": 2\n}\n')


def between(start: str, stop: str | None) -> str:
    """A part of the page."""
    begin = PAGE.index(start)
    return PAGE[begin : None if stop is None else PAGE.index(stop, begin + 1)]


@pytest.mark.requirement(
    "manuals:sections:reading-covers-children",
    "manuals:read:default-scope",
    "manuals:read:section",
    "manuals:read:shape",
    "manuals:read:no-line",
    "manuals:read:max-sections",
)
@pytest.mark.usefixtures("page")
@pytest.mark.parametrize(
    ("line", "start", "stop"),
    [
        (None, "intro", "# One"),
        (1, "intro", "# One"),
        (3, "# One", "# Two"),
        (5, "# One", "# Two"),
        (7, "## One a", "## One b"),
        (9, "## One a", "## One b"),
        (13, "## One b", "# Two"),
        (15, "# Two", None),
        (17, "# Two", None),
    ],
)
def test_a_section_goes_to_the_next_heading_of_its_rank(
    reader: Reader, line: int | None, start: str, stop: str | None
) -> None:
    """Any line inside means that section; without one, the first."""
    shown = reader.read("a.md", line)

    assert shown == {
        "text": between(start, stop),
        "truncated": False,
        "applied": {
            "scope": "section",
            "max_sections": None,
            "max_chars": 12_000,
            "mode": "read",
        },
    }


@pytest.mark.requirement("manuals:read:sections", "manuals:read:max-sections")
@pytest.mark.usefixtures("page")
def test_sections_are_that_one_and_the_following(reader: Reader) -> None:
    """Each text once."""
    shown = reader.read("a.md", 7, scope="sections")

    assert shown["text"] == between("## One a", None)
    assert shown["applied"] == {
        "scope": "sections",
        "max_sections": 20,
        "max_chars": 12_000,
        "mode": "read",
    }


@pytest.mark.requirement("manuals:read:sections")
def test_at_most_twenty_sections(reader: Reader, workspace: Workspace) -> None:
    """Of thirty."""
    text = "".join(f"# H{number}\n\ntext {number}\n\n" for number in range(30))
    workspace.write("m/a.md", text)

    shown = reader.read("a.md", 5, scope="sections")["text"]

    assert shown == text[text.index("# H1\n") : text.index("# H21\n")]


@pytest.mark.requirement(
    "wire:errors:file-codes", "manuals:read:default-scope", "manuals:read:json-sections"
)
@pytest.mark.usefixtures("page")
def test_json_is_read_whole(reader: Reader) -> None:
    """By default; it has no sections."""
    whole = reader.read("c.json")

    assert whole["text"] == '{\n  "a": 1,\n  "b": 2\n}\n'
    assert whole["applied"]["scope"] == "file"
    assert reader.read("c.json", scope="file") == whole
    for scope in ("section", "sections"):
        assert reader.read("c.json", 2, scope=scope)["code"] == "invalid_scope"
    assert '"a": 1' in reader.read("c.json", 2, scope="snippet")["text"]


@pytest.mark.requirement("manuals:read:whole-markdown")
@pytest.mark.usefixtures("page")
@pytest.mark.parametrize(
    ("setting", "allow", "code"),
    [
        ("false", True, "forbidden"),
        ("false", False, "forbidden"),
        ("true", False, "forbidden"),
        ("true", None, "forbidden"),
        ("true", True, None),
    ],
)
def test_a_whole_markdown_file_needs_two_permissions(
    open_manuals: OpenManuals, setting: str, allow: bool | None, code: str | None
) -> None:
    """`ALLOW_FILE_SCOPE` of the server and `allow_file` of the call."""
    reader = open_manuals(ALLOW_FILE_SCOPE=setting)

    shown = reader.read("a.md", scope="file", allow_file=allow)

    assert shown.get("code") == code
    if code is None:
        assert shown["text"] == PAGE


@pytest.mark.requirement("manuals:read:snippet")
def test_a_snippet_is_a_line_and_its_surroundings(reader: Reader, workspace: Workspace) -> None:
    """240 characters on each side, or as told; clipped at the ends of the file."""
    text = "".join(f"line {number:04}\n" for number in range(1, 201))
    workspace.write("m/a.md", text)
    at, end = text.index("line 0100"), text.index("line 0100") + len("line 0100")

    usual = reader.read("a.md", 100, scope="snippet")
    told = reader.read("a.md", 100, scope="snippet", expand={"before_chars": 3, "after_chars": 12})
    alone = reader.read("a.md", 100, scope="snippet", expand={"before_chars": 0, "after_chars": 0})
    half = reader.read("a.md", 100, scope="snippet", expand={"after_chars": 0})
    clipped = reader.read("a.md", 1, scope="snippet", expand={"before_chars": 10**9})

    assert usual["text"] == text[at - 240 : end + 240]
    assert told["text"] == text[at - 3 : end + 12]
    assert alone["text"] == "line 0100"
    assert half["text"] == text[at - 240 : end]
    assert clipped["text"] == text[: len("line 0001") + 240]
    assert usual["applied"]["scope"] == "snippet"


@pytest.mark.requirement("manuals:read:page", "manuals:read:shape")
def test_a_long_section_is_cut_and_can_be_read_on(reader: Reader, workspace: Workspace) -> None:
    """12000 characters at a line end; `manual_scan` goes on from the cursor."""
    text = "# 長い節\n\n" + "".join(f"{n} 行目の本文です。\n" for n in range(2000))
    workspace.write("m/a.md", text)

    shown = reader.read("a.md", 1)
    rest = [page["text"] for page in reader.pages("a.md", shown["next_cursor"])]

    assert shown["truncated"] is True
    assert 9_000 <= len(shown["text"]) <= 12_000
    assert shown["text"].endswith("\n")
    assert shown["next_cursor"] == {"char_offset": len(shown["text"])}
    assert shown["text"] + "".join(rest) == text


@pytest.mark.requirement("manuals:read:reads-on", "manuals:read:section-only")
def test_the_same_section_again_reads_on(open_manuals: OpenManuals, workspace: Workspace) -> None:
    """Until the end of the file, then from its beginning; the section counts, not the line."""
    workspace.write("m/a.md", PAGE)
    reader = open_manuals()

    first = reader.read("a.md", 7)
    second = reader.read("a.md", 9)
    third = reader.read("a.md", 8)

    assert first["applied"]["mode"] == "read"
    assert first["text"] == between("## One a", "## One b")
    assert second["applied"]["mode"] == "scan_fallback"
    assert second["text"] == between("## One b", None)
    assert second["applied_range"] == {"start_line": 11, "end_line": 17}
    assert second["next_cursor"] == {"char_offset": None}
    assert second["eof"] is True
    assert third == first


@pytest.mark.requirement("manuals:read:reads-on")
def test_reading_on_gives_every_character_once(reader: Reader, workspace: Workspace) -> None:
    """Page by page through a long file."""
    text = "# Long\n\n" + "".join(f"line {number} of the text\n" for number in range(3000))
    workspace.write("m/a.md", text)

    pages = [reader.read("a.md", 1)]
    while not pages[-1].get("eof", False):
        pages.append(reader.read("a.md", 1))

    assert "".join(page["text"] for page in pages) == text
    assert len(pages) > 3
    assert all(page["applied"]["mode"] == "scan_fallback" for page in pages[1:])
    assert pages[1]["next_cursor"]["char_offset"] == sum(len(page["text"]) for page in pages[:2])


@pytest.mark.requirement("manuals:read:anything-else")
@pytest.mark.usefixtures("page")
@pytest.mark.parametrize(
    "between_them",
    [
        {"start_line": 15},
        {"start_line": 7, "path": "b.md"},
    ],
)
def test_another_section_between_begins_anew(
    reader: Reader, workspace: Workspace, between_them: Json
) -> None:
    """Only the very same section as the last one reads on."""
    workspace.write("m/b.md", PAGE)
    first = reader.read("a.md", 7)

    other = reader.use("read", ref={"manual_id": "m", "path": "a.md", **between_them})
    again = reader.read("a.md", 7)

    assert other["applied"]["mode"] == "read"
    assert again == first


@pytest.mark.requirement("manuals:read:section-only")
@pytest.mark.usefixtures("page")
def test_other_scopes_never_read_on(reader: Reader) -> None:
    """Asked twice they give the same twice."""
    for scope in ("snippet", "sections"):
        assert reader.read("a.md", 7, scope=scope) == reader.read("a.md", 7, scope=scope)
    assert reader.read("c.json") == reader.read("c.json")


@pytest.mark.requirement("manuals:read:by-connection")
@pytest.mark.usefixtures("page")
def test_what_was_read_belongs_to_the_connection(open_manuals: OpenManuals) -> None:
    """Another client begins at the beginning."""
    readers = [open_manuals(), open_manuals()]

    shown = [reader.read("a.md", 7) for reader in readers]

    assert [one["applied"]["mode"] for one in shown] == ["read", "read"]


@pytest.mark.requirement("manuals:read:anything-else")
@pytest.mark.usefixtures("page")
def test_an_edited_section_is_another_one(reader: Reader, workspace: Workspace) -> None:
    """It is given from its beginning, as it is now."""
    reader.read("a.md", 7)
    workspace.write("m/a.md", PAGE.replace("text of a", "new text of a"))

    shown = reader.read("a.md", 7)

    assert shown["applied"]["mode"] == "read"
    assert "new text of a" in shown["text"]


@pytest.mark.requirement("manuals:read:past-the-end")
@pytest.mark.usefixtures("page")
@pytest.mark.parametrize("line", [18, 19, 10**9])
def test_a_line_past_the_end_is_refused(reader: Reader, line: int) -> None:
    """There is no line after a final newline."""
    for scope in ("section", "sections", "snippet"):
        refused = reader.read("a.md", line, scope=scope)
        assert refused["code"] == "invalid_parameter"
        assert str(line) in refused["message"]


@pytest.mark.requirement("manuals:read:empty")
def test_an_empty_file_reads_as_empty_text(reader: Reader, workspace: Workspace) -> None:
    """In every scope."""
    workspace.write("m/a.md", "")
    workspace.write("m/b.json", "")

    assert reader.read("a.md")["text"] == ""
    assert reader.read("a.md", scope="sections")["text"] == ""
    assert reader.read("b.json")["text"] == ""


REF: Json = {"manual_id": "m", "path": "a.md"}
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no ref": ({"ref": None}, "ref is required"),
    "ref as text": ({"ref": "m/a.md"}, "ref must be an object"),
    "no path": ({"ref": {"manual_id": "m"}}, "ref.path is required"),
    "no manual": ({"ref": {"path": "a.md"}}, "ref.manual_id is required"),
    "path number": ({"ref": {**REF, "path": 5}}, "ref.path must be a string"),
    "line zero": ({"ref": {**REF, "start_line": 0}}, "ref.start_line must be an integer"),
    "line flag": ({"ref": {**REF, "start_line": True}}, "ref.start_line must be an integer"),
    "line text": ({"ref": {**REF, "start_line": "7"}}, 'got "7"'),
    "line fraction": ({"ref": {**REF, "start_line": 7.5}}, "got 7.5"),
    "ref key": ({"ref": {**REF, "line": 7}}, '"line"'),
    "near ref key": ({"ref": {**REF, "startline": 7}}, "did you mean start_line?"),
    "scope": ({"ref": REF, "scope": "chapter"}, "one of snippet, section, sections, file"),
    "scope case": ({"ref": REF, "scope": "Section"}, "scope must be one of"),
    "allow": ({"ref": REF, "allow_file": "true"}, "allow_file must be true or false"),
    "allow number": ({"ref": REF, "allow_file": 1}, "allow_file must be true or false"),
    "expand": ({"ref": REF, "expand": 5}, "expand must be an object"),
    "before": ({"ref": REF, "expand": {"before_chars": -1}}, "expand.before_chars must be"),
    "after": ({"ref": REF, "expand": {"after_chars": "9"}}, "expand.after_chars must be"),
    "expand key": ({"ref": REF, "expand": {"before": 9}}, "did you mean before_chars?"),
    "unknown key": ({"ref": REF, "max_chars": 9}, '"max_chars"'),
}


@pytest.mark.requirement(
    "wire:arguments:no-coercion", "manuals:read:past-the-end", "manuals:read:arguments"
)
@pytest.mark.usefixtures("page")
def test_bad_input_names_what_is_wrong(reader: Reader, subtests: pytest.Subtests) -> None:
    """`invalid_parameter`, at any depth."""
    for case, (arguments, words) in BAD.items():
        with subtests.test(case):
            refused = reader.use("read", **arguments)

            assert refused["code"] == "invalid_parameter"
            assert words in refused["message"]


@pytest.mark.requirement("manuals:read:arguments")
@pytest.mark.usefixtures("page")
def test_null_and_whole_floats_are_taken(reader: Reader) -> None:
    """Null means absent, `7.0` is seven."""
    nulls = {"scope": None, "allow_file": None, "expand": None}
    inner = {"before_chars": None, "after_chars": None}

    assert reader.read("a.md", None, **nulls)["text"] == between("intro", "# One")
    assert reader.use("read", ref={**REF, "start_line": 7.0})["text"] == between(
        "## One a", "## One b"
    )
    assert (
        reader.read("a.md", 15, scope="snippet", expand=inner)["text"]
        == reader.read("a.md", 15, scope="snippet")["text"]
    )

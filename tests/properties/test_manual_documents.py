"""Sections are the whole file, headings the parser's, JSON is json's, reading on is complete."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tebiki.files.reading import Cursor
from tebiki.manuals.documents import json_nodes
from tebiki.manuals.documents.markdown import headings, plain_headings
from tebiki.manuals.documents.parting import of_markdown, sections_of
from tebiki.manuals.index.values import key_of
from tebiki.tools import manual_forms as forms
from tests.manuals.libraries import library_at
from tests.manuals.parsed import parsed_headings
from tests.support.examples import examples
from tests.support.strategies import json_values

LINE_STARTS = ["", " ", "  ", "   ", "    ", "\t", " \t", "> ", "- ", "1. ", "* ", ">"]
LINE_BODIES = [
    "",
    "text",
    "本文です。",
    "# one",
    "## two ##",
    "### *em* `code` [a](b) \\# &amp;",
    "#",
    "#x",
    "####### seven",
    "#\u3000wide",
    "===",
    "---",
    "--",
    "-",
    "- - -",
    "=== =",
    "```",
    "````",
    "``` sh",
    "``` a`b",
    "~~~",
    "~~~ x~y`",
    "<div>",
    "</div>",
    "<TABLE class=x># one",
    "<details/>",
    "<tables>",
    "<!-- one line -->",
    "<!-- open",
    "close -->",
    "<pre>",
    "</pre>",
    "<a>",
    "<b",
    "[ref]: /url",
    '"title',
    "| a | b |",
    "| --- | --- |",
    "a\u2028b",
    "a\x0cb",
    "\u3000",
    "***",
]
lines = st.builds(str.__add__, st.sampled_from(LINE_STARTS), st.sampled_from(LINE_BODIES))
plain_texts = st.lists(lines, max_size=14).map("\n".join)
line_ends = st.sampled_from(["\n", "\r\n", "\r"])
any_texts = st.lists(st.tuples(lines, line_ends), max_size=14).map(
    lambda pairs: "".join(line + end for line, end in pairs)
)
front = st.sampled_from(["", "---\ntitle: x\n---\n", "---\n", "---\r\na: b\r\n...\r\n", "\n"])


@given(plain_texts, st.sampled_from([1, 4, 9, 65_536]))
def test_a_quick_look_finds_what_the_parser_finds(text: str, window: int) -> None:
    """Or leaves it to the parser; however many lines it looks at at a time."""
    quick = plain_headings(text, window=window)

    assert quick is None or quick == parsed_headings(text)


@examples(600)
@given(st.lists(lines, max_size=40).map("\n".join))
@example("# a\n\n- b\n  ```\n  # c\n  ```\n\ntext\n\n# d\n")
@example("text\n---\n```\n\ntext\n\n# a\n```\n\n# b")
@example("<pre>\n\ntext\n\n# a\n</pre>\n\ntext\n\n# b")
@example("# a\n<table>\n# b\n```\n \t\n# c\n\n- d\n<div>\n# e\n\n# f")
def test_headings_are_those_of_the_parser(text: str) -> None:
    """Though it is given only what the lines themselves do not tell."""
    assert headings(text) == parsed_headings(text)


@given(st.text(alphabet="ab1 _*`[]()<>&!;#\\\u3042\u3002", max_size=14))
def test_a_title_reads_as_the_parser_renders_it(title: str) -> None:
    """Marks of style are left off; what only looks like one stays."""
    inline = MarkdownIt("commonmark").parse(f"# {title}")[1]
    rendered = [one.content for one in inline.children or () if one.type != "html_inline"]

    (heading,) = headings(f"# {title}")

    assert heading.title == " ".join("".join(rendered).split())


@given(plain_texts, st.sampled_from([1, 5, 12]))
def test_a_text_parsed_in_parts_has_the_headings_of_the_whole(text: str, size: int) -> None:
    """Wherever a part ends."""
    assert parsed_headings(text, size=size) == parsed_headings(text)


@pytest.mark.requirement("manuals:sections:node")
@given(front, any_texts | st.text())
def test_sections_are_the_whole_text_in_order(top: str, rest: str) -> None:
    """Nothing twice, nothing left out; the lines join as well."""
    text = top + rest

    sections = of_markdown("a.md", text) if text else []

    assert "".join(section.text for section in sections) == text
    expected = 1
    for section in sections:
        assert section.start_line == expected
        assert section.end_line >= section.start_line
        expected = section.end_line + 1


@given(st.text(alphabet='[]{},:"\\ \n\ttrue0129.-eEnul'))
def test_what_json_refuses_is_one_node(text: str) -> None:
    """And what it accepts is parted."""
    try:
        json.loads(text, strict=False)
    except ValueError:
        is_json = False
    else:
        is_json = True

    sections = sections_of("a.json", text.encode())

    assert "".join(section.text for section in sections) == (
        json_nodes.readable(text) if is_json else text
    )
    assert all((section.json_path is not None) == is_json for section in sections)


@given(st.lists(json_values, min_size=1, max_size=30), st.sampled_from([None, 2]), st.booleans())
def test_json_nodes_are_the_whole_text_in_order(
    values: list[object], indent: int | None, ascii_only: bool
) -> None:
    """Whatever the nesting and the layout."""
    text = json.dumps([values, {"長い": ["x" * 300] * 9}], indent=indent, ensure_ascii=ascii_only)

    nodes = json_nodes.nodes(text)

    assert "".join(text[node.start : node.end] for node in nodes) == text
    assert len(nodes) > 1
    assert len({node.start for node in nodes}) == len(nodes)


KEYS = st.sampled_from(["a", "b", "a b", "a (2)", "k" * 300, "k" * 500])
LARGE_JSON = st.recursive(
    st.sampled_from(["", "x" * 300, "x" * 1200]),
    # Objects as pairs: a text may have a key twice.
    lambda inner: (
        st.lists(inner, max_size=6) | st.lists(st.tuples(KEYS, inner), max_size=6).map(tuple)
    ),
    max_leaves=30,
)


def written(value: object, gap: str) -> str:
    """A value as JSON, with something after each comma."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, list):
        return f"[{f',{gap}'.join(written(item, gap) for item in value)}]"
    pairs = [f"{json.dumps(key)}:{written(item, gap)}" for key, item in value]  # type: ignore[attr-defined]
    return f"{{{f',{gap}'.join(pairs)}}}"


@pytest.mark.requirement("manuals:sections:json")
@given(LARGE_JSON, st.sampled_from(["", "\n"]))
def test_no_two_nodes_of_a_json_file_have_one_key(value: object, gap: str) -> None:
    """On one line or on many, whichever keys are there, twice or too long to be named."""
    sections = sections_of("a.json", written(value, gap).encode())

    assert len({key_of(section) for section in sections}) == len(sections)


@given(front, any_texts | st.text(), st.sampled_from(["a.md", "a.json"]))
def test_no_two_sections_of_a_text_have_one_key(top: str, rest: str, path: str) -> None:
    """Whatever the text."""
    sections = sections_of(path, (top + rest).encode("utf-8", "replace"))

    assert len({key_of(section) for section in sections}) == len(sections)


@pytest.mark.requirement("manuals:read:reads-on")
@given(st.lists(st.text(max_size=40) | st.just("あ" * 4000), max_size=12), line_ends)
def test_reading_on_reproduces_the_file(parts: list[str], end: str) -> None:
    """By scanning, and by asking for the first section again and again."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m" / "a.md"
        path.parent.mkdir()
        # What cannot be stored as UTF-8 is no text of a file.
        stored = end.join(parts).encode("utf-8", "replace")
        path.write_bytes(stored)
        library = library_at(Path(folder))
        text = ""
        offset: int | None = 0
        while offset is not None:
            part = forms.scan_form(library.scan("m", "a.md", cursor=Cursor(char_offset=offset)))
            text += part["text"]
            offset = part["next_cursor"]["char_offset"]

    assert text.encode() == stored.removeprefix(b"\xef\xbb\xbf")


@pytest.mark.requirement("manuals:toc:cursor")
@given(st.sets(st.text("abc/", min_size=1, max_size=5), max_size=20), st.integers(1, 7))
def test_paging_through_the_contents_covers_all_without_repeats(
    names: set[str], max_files: int
) -> None:
    """Whatever the size of a page."""
    with TemporaryDirectory() as folder:
        top = Path(folder) / "m"
        top.mkdir()
        for name in names:
            path = top / f"{name.strip('/').replace('//', '/')}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        library = library_at(Path(folder))
        seen: list[str] = []
        offset: int | None = 0
        while offset is not None:
            page = forms.contents_form(library.toc("m", max_files=max_files, offset=offset))
            seen += [item["path"] for item in page["items"]]
            offset = page["next_cursor"]["offset"] if page["next_cursor"] else None
        stored = [path.relative_to(top).as_posix() for path in top.rglob("*.md")]

    assert seen == sorted(stored)

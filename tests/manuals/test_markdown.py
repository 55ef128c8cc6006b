"""Headings: which lines are, which only look like it, and what they say in plain words."""

from __future__ import annotations

import pytest

from tebiki.manuals.documents.markdown import (
    FrontMatter,
    Heading,
    front_matter,
    headings,
    plain_headings,
    unify_line_ends,
)


def found(text: str) -> list[tuple[int, int, str]]:
    """The headings of a text as plain tuples."""
    return [(heading.line, heading.level, heading.title) for heading in headings(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n\n## Two ##\n", [(1, 1, "One"), (3, 2, "Two")]),
        ("text\n# interrupts\nmore", [(2, 1, "interrupts")]),
        ("Title\n=====\n\nSub\nline\n---\n", [(1, 1, "Title"), (4, 2, "Sub line")]),
        ("  # indented\n", [(1, 1, "indented")]),
        ("#\n", [(1, 1, "")]),
        ("# E-1042 用紙\u3000詰まり\n", [(1, 1, "E-1042 用紙 詰まり")]),
    ],
)
def test_headings_are_found(text: str, expected: list[tuple[int, int, str]]) -> None:
    """ATX and setext, with the line on which they begin."""
    assert found(text) == expected


@pytest.mark.requirement("manuals:sections:markdown")
@pytest.mark.parametrize(
    "text",
    [
        "```\n# code\n```\n",
        "~~~ sh\n# code\n```\n",
        "- item\n\n  ```\n  # code\n  ```\n",
        "    # indented code\n",
        "<!--\n# comment\n-->\n",
        "<pre>\n\n# pre\n\n</pre>\n",
        "<div>\n# html\n</div>\n",
        "#hashtag\n",
        "####### seven\n",
        "\\# escaped\n",
        "#\u3000full-width space\n",
        "a paragraph\n\n---\n\nand a rule\n",
        "> # quoted\n",
        "- # in a list\n",
        "| a |\n| --- |\n",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    """Code, markup, comments, rules, tables, and what belongs to a list or a quote."""
    assert found(text) == []


def test_a_heading_after_markup_counts_again() -> None:
    """A block ends where CommonMark ends it."""
    assert found("<div>\nx\n</div>\n\n# after\n\n```\n# in\n```\n# last") == [
        (5, 1, "after"),
        (10, 1, "last"),
    ]


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        ("**Bold** and `code`", "Bold and code"),
        ("[link](https://example.org) text", "link text"),
        ("a \\* b &amp; c", "a * b & c"),
        ("<b>tag</b>", "tag"),
        ("![alt](x.png)", "alt"),
    ],
)
def test_a_title_is_plain(title: str, plain: str) -> None:
    """As a person reads it."""
    assert found(f"# {title}") == [(1, 1, plain)]


def test_plain_files_need_no_parser() -> None:
    """The parser is only asked where a look at the lines does not tell."""
    assert plain_headings("# a\n\n```\n# b\n```\n<!-- x -->\n\n---\n") == [Heading(1, 1, "a")]
    assert plain_headings("text\n---\n") is None
    assert plain_headings("<div>\n# a\n\n# b\n") == [Heading(4, 1, "b")]
    assert plain_headings("<b>\n") is None
    assert plain_headings(" <div>\n") is None
    assert plain_headings(" # a\n") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\ntitle: A B\n---\n# x", FrontMatter(3, "A B")),
        ('---\ntitle: "quoted"\n...\n', FrontMatter(3, "quoted")),
        ('+++\ntitle = "toml"\n+++\n', FrontMatter(3, "toml")),
        ("---\nweight: 1\n---", FrontMatter(3, "")),
        ("---\n\ntext\n\n---\n", None),
        ("---\nnot closed: true\n", None),
        ("# x\n---\na: b\n---\n", None),
        ("---\nNote: read this first.\n\n# Heading\ntext\n\n---\nrest\n", None),
        (
            '---\n# why\ntags:\n- a\n-\n"b c": [\n  d\n]\n-x: |\n  text\n\n---\n',
            FrontMatter(12, ""),
        ),
        ('+++\na = """\ntext\n"""\n[params]\n+++\n', FrontMatter(6, "")),
        ("---\na: b\n" + "- c: d\n" * 5000, None),
    ],
)
def test_front_matter_is_told_from_a_rule(text: str, expected: FrontMatter | None) -> None:
    """Only at the top, only when it is closed, only when it says something."""
    assert front_matter(text) == expected


def test_every_line_end_counts() -> None:
    """As in the text model."""
    assert unify_line_ends("a\r\nb\rc\n") == "a\nb\nc\n"

"""Where Markdown has its headings: CommonMark, by a real parser wherever a line could be misread.

Most files are plain enough for a look at their lines; what that look cannot decide goes to the
parser, and a property test holds the two together. Not here: sections, files, JSON.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

TELLING_LINE = re.compile(
    r"^(?P<indent> {0,3})"
    r"(?:(?P<hashes>\#{1,6})(?=[ \t\n]|\Z)(?P<title>[^\n]*)"
    r"|(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)"
    r"|(?P<underline>=+|-+)[ \t]*(?=\n|\Z)"
    r"|(?P<markup><)(?P<rest>[^\n]*))",
    re.MULTILINE,
)
"""A line that is a heading, or that decides whether other lines are; every other line is text."""

CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+$")
WHOLE_COMMENT = re.compile(r"!--.*-->")
MARKUP = re.compile(r"[\\`*_\[\]<>&!]")
"""Without one of these a heading's text is plain as it stands."""

FRONT_MATTER = re.compile(
    r"(?P<mark>---|\+\+\+)[ \t]*\n(?=[^\s:=\-][^\n:=]*[:=]|\#)(?:[^\n]*\n)*?"
    r"(?:(?P=mark)|\.\.\.)[ \t]*(?:\n|\Z)"
)
"""YAML or TOML between marks at the very top; a rule followed by anything else is only a rule."""

FRONT_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*(?P<title>[^\n]+)$", re.MULTILINE)


class Heading(NamedTuple):
    """A heading of the document itself, with the line (from 1) on which it begins."""

    line: int
    level: int
    title: str


class FrontMatter(NamedTuple):
    """How many lines it takes, and the document's title if it tells one."""

    lines: int
    title: str


def unified(text: str) -> str:
    """The text with every line end as LF; the lines are the same."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def front_matter(text: str) -> FrontMatter | None:
    """Find the front matter of a text with unified line ends."""
    found = FRONT_MATTER.match(text)
    if found is None:
        return None
    told = FRONT_TITLE.search(found[0])
    title = told["title"].strip() if told else ""
    if len(title) > 1 and title[0] == title[-1] and title[0] in "\"'":
        title = title[1:-1]
    return FrontMatter(found[0].count("\n") + (not found[0].endswith("\n")), title)


def headings(text: str) -> list[Heading]:
    """Every heading of a text with unified line ends, front matter taken off."""
    plain = plain_headings(text)
    return parsed_headings(text) if plain is None else plain


def plain_headings(text: str) -> list[Heading] | None:
    """Read the headings off the lines; None when only a parser can tell."""
    found: list[Heading] = []
    fence = ""
    line, counted = 1, 0
    for match in TELLING_LINE.finditer(text):
        if fence:
            fence = "" if _closes(match, fence) else fence
        elif _is_unclear(text, match):
            return None
        elif match["hashes"]:
            line += text.count("\n", counted, match.start())
            counted = match.start()
            found.append(Heading(line, len(match["hashes"]), _plain(_bare(match["title"]))))
        elif match["fence"] and (match["fence"][0] == "~" or "`" not in match["info"]):
            fence = match["fence"]
    return found


def _closes(match: re.Match[str], fence: str) -> bool:
    marks = match["fence"] or ""
    return marks.startswith(fence) and not match["info"].strip(" \t")


def _is_unclear(text: str, match: re.Match[str]) -> bool:
    """Tell whether the lines around decide what a line is."""
    if match["underline"]:
        return _follows_text(text, match.start())
    if match["indent"]:
        return True  # it may belong to a list
    return bool(match["markup"]) and not WHOLE_COMMENT.match(match["rest"])


def parsed_headings(text: str) -> list[Heading]:
    """Let the parser find the headings; those inside lists and quotes are none of the document."""
    tokens = _parser().parse(text)
    return [
        Heading(token.map[0] + 1, int(token.tag[1:]), _plain(content.content))
        for token, content in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


def _follows_text(text: str, start: int) -> bool:
    """Tell whether the line before is not blank, so that this one may underline it."""
    before = text.rfind("\n", 0, max(start - 1, 0)) + 1
    return bool(text[before : max(start - 1, 0)].strip(" \t"))


def _bare(title: str) -> str:
    """A heading's own text, without the closing hashes."""
    return CLOSING_HASHES.sub("", title.strip(" \t")).strip()


def _plain(title: str) -> str:
    """The words of a heading without emphasis, links and code marks, on one line."""
    if MARKUP.search(title):
        inline = _inline_parser().parseInline(title)
        title = "".join(_words(inline[0].children or [])) if inline else title
    return " ".join(title.split())


def _words(tokens: list[Token]) -> list[str]:
    return [
        " " if token.type in {"softbreak", "hardbreak"} else token.content
        for token in tokens
        if token.type != "html_inline"
    ]


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # only when a file must be split, and is not plain

    parser = MarkdownIt("commonmark")
    # Whatever is inside a paragraph is no heading.
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@lru_cache(maxsize=1)
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # as above

    return MarkdownIt("commonmark")

"""Where Markdown has its headings: CommonMark, by a real parser wherever a line could be misread.

Most files are plain enough for a look at their lines; what that look cannot decide goes to the
parser, and a property test holds the two together. Not here: sections, files, JSON.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from tebiki.manuals.documents.page_marks import is_imported, is_paged
from tebiki.manuals.text.folding import lazy_pattern
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

TELLING = (
    r"(?P<indent> {0,3})"
    r"(?:(?P<hashes>\#{1,6})(?=[ \t\n]|\Z)(?P<title>[^\n]*)"
    r"|(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)"
    r"|(?P<underline>=+|-+)[ \t]*(?=\n|\Z)"
    r"|(?P<markup><)(?P<rest>[^\n]*))"
)
"""A line that is a heading, or that decides whether other lines are; every other line is text."""

INDENT, HEADING, FENCE, MARKUP_LINE = "indent", "title", "info", "rest"
"""What stands before such a line; and the last group of three kinds of them."""

BLOCK = lazy_pattern(
    r"(?ia)/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details"
    r"|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header"
    r"|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param"
    r"|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[ \t]|/?>|\Z)"
)
"""Marks of HTML that end whatever stands above, and are shown as they are up to a blank line."""

BLANK_LINE = re.compile(r"\n[ \t]*(?=\n)")

TELLING_LINE = re.compile(TELLING)
TELLING_NEXT_LINE = re.compile(rf"\n{TELLING}")
"""Begins with a character that is looked for, not with a place that is tried everywhere."""

CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+$")
WHOLE_COMMENT = re.compile(r"!--.*-->")
MARKUP = re.compile(r"[\\`*\[<]|&(?=\#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
"""Without one of these a heading's text is plain as it stands.

What only closes or follows a mark is none itself (`]`, `>`, `!`), nor is a line inside a word.
"""

LONGEST_TITLE = 1_000
"""What is longer is cut, since every section below repeats it."""

MOST_HEADINGS = 100_000
"""Of one file; what comes after them is text of the last one."""

WINDOW_CHARS = 65_536
MOST_PARSED_CHARS = 4 * 1024 * 1024
"""The parser takes a second for each million; of larger texts every line is taken as it looks."""

CLEAR_PLACE = re.compile(r"\n[ \t]*\n(?=[^\s\-+*>0-9<`~=|\[])")
"""A line that can neither go on with a list or a quote, nor be anything but text or a heading."""

CLOSED = frozenset(
    {
        "paragraph_close",
        "heading_close",
        "hr",
        "bullet_list_close",
        "ordered_list_close",
        "blockquote_close",
    }
)
"""Ends of blocks that a blank line and such a line after it cannot go on with."""


FRONT_MATTER = re.compile(
    # Atomic: a line that could be read in two ways must not double the ways back.
    r"(?:---[ \t]*\n(?=[^\s:=\-][^\n:=]*[:=]|\#)"
    r"(?>(?:|[ \t#\])}][^\n]*|-(?:[ \t][^\n]*)?|[^\n:=]+[:=][^\n]*)\n)*?(?:---|\.\.\.)"
    r"|\+\+\+[ \t]*\n(?=[^\s:=\-][^\n:=]*[:=]|\#)(?:[^\n]*\n)*?(?:\+\+\+|\.\.\.))"
    r"[ \t]*(?:\n|\Z)"
)
"""YAML or TOML between marks at the very top; a rule followed by anything else is only a rule.

Of YAML every line that is not indented is a key, an item or a comment, or closes a bracket; marks
of TOML mean nothing else in Markdown, so that nothing is asked of the lines between them.
"""

FRONT_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*(?P<title>[^\n]+)$", re.MULTILINE)


class Heading(NamedTuple):
    """A heading of the document itself, with the line (from 1) on which it begins."""

    line: int
    level: int
    title: str


class FrontMatter(NamedTuple):
    """How many lines it takes, the document's title if it tells one, what an import told."""

    lines: int
    title: str
    is_imported: bool = False
    is_paged: bool = False


def unify_line_ends(text: str) -> str:
    """The text with every line end as LF; the lines are the same."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def front_matter(text: str) -> FrontMatter | None:
    """Find the front matter of a text with unified line ends."""
    found = FRONT_MATTER.match(text)
    if found is None:
        return None
    told = FRONT_TITLE.search(found[0])
    title = told["title"].strip()[:LONGEST_TITLE] if told else ""
    if len(title) > 1 and title[0] == title[-1] and title[0] in "\"'":
        title = title[1:-1]
    lines = found[0].count("\n") + (not found[0].endswith("\n"))
    return FrontMatter(lines, title, is_imported(found[0]), is_paged(found[0]))


def headings(text: str, check: Callable[[], None] = lambda: None) -> list[Heading]:
    """Every heading of a text with unified line ends, front matter taken off.

    They are read off the lines; where only a parser can tell, it is given what stands from the last
    heading up to a place where nothing is left open. `check` is called often, and may raise to end
    the work.
    """
    found: list[Heading] = []
    start, line = 0, 0
    while start < len(text):
        plain = _read_lines(text, start, line, check)
        found += plain.headings
        if plain.unclear is None or len(found) >= MOST_HEADINGS:
            break
        if len(text) > MOST_PARSED_CHARS:
            return plain_headings(text, check, is_sure=False) or []
        tokens, end = _parse_part(text, plain.start, plain.unclear - plain.start, check)
        found.extend(_headings(tokens, plain.line))
        line = plain.line + text.count("\n", plain.start, end)
        start = end
    return found[:MOST_HEADINGS]


class _Lines(NamedTuple):
    """What lines say by themselves: the headings of those before a place that is unclear, if any.

    And from where on a parser is to look at it, with the lines before: the last heading is left to
    it, which ends whatever stands above.
    """

    headings: list[Heading]
    unclear: int | None = None
    start: int = 0
    line: int = 0


def plain_headings(
    text: str,
    check: Callable[[], None] = lambda: None,
    window: int = WINDOW_CHARS,
    *,
    is_sure: bool = True,
) -> list[Heading] | None:
    """Read the headings off the lines; None when it is to be sure and only a parser can tell."""
    plain = _read_lines(text, 0, 0, check, window, is_sure=is_sure)
    return plain.headings if plain.unclear is None else None


def _read_lines(
    text: str,
    start: int,
    line: int,
    check: Callable[[], None],
    window: int = WINDOW_CHARS,
    *,
    is_sure: bool = True,
) -> _Lines:
    """Read the headings off the lines from a place on, before which nothing is left open."""
    found: list[Heading] = []
    fence = ""
    counted = shown = start
    for match in _telling_lines(text, start, check, window):
        kind = match.lastgroup
        if match.start(INDENT) < shown:
            continue
        if fence:
            fence = "" if kind == FENCE and _closes(match, fence) else fence
        elif kind == HEADING and not (is_sure and match[INDENT]):
            hashes, title = match.group("hashes", "title")
            at = match.end(INDENT)
            line += text.count("\n", counted, at)
            counted = at
            found.append(Heading(line + 1, len(hashes), _plain(_bare(title))))
            if len(found) >= MOST_HEADINGS:
                break
        elif is_sure and kind == MARKUP_LINE and not match[INDENT] and BLOCK().match(match["rest"]):
            blank = BLANK_LINE.search(text, match.end())
            shown = blank.end() if blank else len(text)
        elif is_sure and _is_unclear(text, match):
            at = match.start(INDENT)
            if not found:
                return _Lines(found, at, start, line)
            *before, last = found
            return _Lines(before, at, counted, last.line - 1)
        elif kind == FENCE and (match["fence"][0] == "~" or "`" not in match["info"]):
            fence = match["fence"]
    return _Lines(found)


def _telling_lines(
    text: str, start: int, check: Callable[[], None], window: int
) -> Iterator[re.Match[str]]:
    """Every telling line; looks at some lines at a time, and only at the beginning of long ones."""
    while start < len(text):
        check()
        end = text.rfind("\n", start, start + window) + 1
        if end:
            if match := TELLING_LINE.match(text, start, end):
                yield match
            yield from TELLING_NEXT_LINE.finditer(text, start, end)
        else:
            end = text.find("\n", start) + 1 or len(text)
            if match := TELLING_LINE.match(text, start, end):
                yield match
        start = end


def _closes(match: re.Match[str], fence: str) -> bool:
    marks = match["fence"] or ""
    return marks.startswith(fence) and not match["info"].strip(" \t")


def _is_unclear(text: str, match: re.Match[str]) -> bool:
    """Tell whether the lines around decide what a line is."""
    if match["underline"]:
        return _follows_text(text, match.start(INDENT))
    if match[INDENT]:
        return True  # it may belong to a list
    return bool(match["markup"]) and not WHOLE_COMMENT.match(match["rest"])


def _parse_part(
    text: str, start: int, size: int, check: Callable[[], None]
) -> tuple[list[Token], int]:
    """Parse about so many characters, up to a place where nothing is left open."""
    while True:
        check()
        end = _clear_place(text, start + size)
        tokens = _parser().parse(text[start:end], {"check": check})
        if end == len(text) or not tokens or _is_closed(tokens[-1]):
            return tokens, end
        size = 2 * (end - start)


def _is_closed(last: Token) -> bool:
    """Tell whether the last block of a part ends there, whatever comes next."""
    if last.type == "fence" and last.map:
        # Its lines have an end mark beside the beginning and the content.
        return last.map[1] - last.map[0] > last.content.count("\n") + 1
    return last.type in CLOSED


def _clear_place(text: str, start: int) -> int:
    """Where, after a blank line, a line begins that belongs to nothing before it; else the end."""
    clear = CLEAR_PLACE.search(text, start)
    return clear.end() if clear else len(text)


def _headings(tokens: list[Token], line: int) -> Iterator[Heading]:
    for token, content in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            level = int(token.tag[1:])
            yield Heading(line + token.map[0] + 1, level, _plain(content.content))


def _follows_text(text: str, start: int) -> bool:
    """Tell whether the line before is not blank, so that this one may underline it."""
    before = text.rfind("\n", 0, max(start - 1, 0)) + 1
    return bool(text[before : max(start - 1, 0)].strip(" \t"))


def _bare(title: str) -> str:
    """A heading's own text, without the closing hashes."""
    title = title.strip(" \t")
    return CLOSING_HASHES.sub("", title).strip() if title.endswith("#") else title.strip()


def _plain(title: str) -> str:
    """The words of a heading without emphasis, links and code marks, on one line."""
    title = title[: 2 * LONGEST_TITLE]
    if not title.replace(" ", "").isalnum() and MARKUP.search(title):
        inline = _inline_parser().parseInline(title)
        title = "".join(_words(inline[0].children or [])) if inline else title
    return " ".join(title[:LONGEST_TITLE].split())


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
    parser.block.ruler.before("code", "check", _go_on, {"alt": ["paragraph", "reference"]})
    return parser


def _go_on(state: StateBlock, _start: int, _end: int, _silent: bool) -> bool:
    """A rule that matches nothing: whoever parses may end the work at any line."""
    state.env["check"]()
    return False


@lru_cache(maxsize=1)
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # as above

    return MarkdownIt("commonmark")

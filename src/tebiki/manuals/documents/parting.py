"""Files of a manual as searchable sections.

A section is a heading with its own text up to the next heading, or a part of a JSON file; together
they are the whole text. Not here: how headings and JSON are read, what is done with a section.
"""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING

from tebiki.files.encodings import decode
from tebiki.files.text import LINE_END, count_line_ends
from tebiki.manuals.documents import markdown
from tebiki.manuals.documents.folders import file_type
from tebiki.manuals.documents.sections import Section
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LINES_AT_ONCE = 10_000


class Outline(NamedTuple):
    """A Markdown text's front matter, if any, and its headings, by line of the whole file."""

    front: markdown.FrontMatter | None
    headings: list[markdown.Heading]


class _Cut(NamedTuple):
    """The line at which a section begins, and what it is headed by."""

    line: int
    level: int
    title: str
    trail: tuple[str, ...]


def sections_of(path: str, data: bytes, check: Callable[[], None] = lambda: None) -> list[Section]:
    """Part a file into its sections, in order; an empty file has none.

    `check` is called often, and may raise to end the work.

    Raises:
        InvalidArguments: its encoding is not known.
    """
    text, _ = decode(data)
    if not text:
        return []
    split = _of_json if file_type(path) == "json" else of_markdown
    return split(path, text, check)


def of_markdown(path: str, text: str, check: Callable[[], None] = lambda: None) -> list[Section]:
    """Part a Markdown text into its sections, in order; `check` as above."""
    front, headings = outline(text, check)
    front_lines = front.lines if front else 0
    above: list[_Cut] = []
    root = (front.title,) if front and front.title else ()
    cuts: list[_Cut] = []
    if front:
        cuts.append(_Cut(1, 0, front.title, ()))
    first = headings[0].line if headings else 0
    if first != front_lines + 1 and not (front and _is_blank(text, front_lines, first)):
        cuts.append(_Cut(front_lines + 1, 0, "", root))
    for line, level, title in headings:
        while above and above[-1].level >= level:
            above.pop()
        cut = _Cut(line, level, title, (*above[-1].trail, above[-1].title) if above else root)
        cuts.append(cut)
        above.append(cut)
    return _cut_text(path, text, cuts, check)


def _is_blank(text: str, above: int, first: int) -> bool:
    """Tell whether nothing stands between the lines above and the first heading, or the end."""
    lines = markdown.unified(text).split("\n", above)[above:]
    between = lines[0].split("\n", first - above - 1)[:-1] if first and lines else lines
    return not any(map(str.strip, between))


def outline(text: str, check: Callable[[], None] = lambda: None) -> Outline:
    """Find the front matter and the headings of a Markdown text; `check` as above."""
    lines = markdown.unified(text)
    front = markdown.front_matter(lines)
    if front is None:
        return Outline(None, markdown.headings(lines, check))
    body = lines.split("\n", front.lines)[-1] if lines.count("\n") >= front.lines else ""
    headings = markdown.headings(body, check)
    moved = [heading._replace(line=heading.line + front.lines) for heading in headings]
    return Outline(front, moved)


def _cut_text(path: str, text: str, cuts: list[_Cut], check: Callable[[], None]) -> list[Section]:
    """Cut a text before the lines at which its sections begin."""
    lines = count_line_ends(text) + (text[-1] not in "\r\n")  # none after a final line end
    cuts = [cut for cut in cuts if cut.line <= lines]
    ends = [cut.line - 1 for cut in cuts[1:]] + [lines]
    starts = [*_line_starts(text, [cut.line for cut in cuts], check), len(text)]
    return [
        Section(path, line, end, level, title, trail, text[start:stop])
        for (line, level, title, trail), end, (start, stop) in zip(
            cuts, ends, pairwise(starts), strict=True
        )
    ]


def _line_starts(text: str, lines: list[int], check: Callable[[], None]) -> Iterator[int]:
    """Where some lines begin; ascending, all of them there."""
    line_ends = LINE_END.finditer(text)
    line, start = 1, 0
    for wanted in lines:
        while line < wanted:
            step = min(wanted - line, LINES_AT_ONCE)
            start = next(islice(line_ends, step - 1, None)).end()
            line += step
            check()
        yield start


def _of_json(path: str, text: str, check: Callable[[], None]) -> list[Section]:
    from tebiki.manuals.documents import json_nodes  # most manuals have no JSON

    try:
        nodes = json_nodes.nodes(text, check)
    except json_nodes.Unparsable:
        last = count_line_ends(text) + (text[-1] not in "\r\n")
        return [Section(path, 1, last, 0, "", (), text)]
    found: list[Section] = []
    line = 1
    for node in nodes:
        check()
        part = text[node.start : node.end]
        ends = count_line_ends(part)
        last = line + ends - (part[-1:] in {"\r", "\n"} and ends > 0)
        title = node.keys[-1] if node.keys else ""
        shown = json_nodes.readable(part, check)
        found.append(Section(path, line, last, 0, title, node.keys[:-1], shown, node.path))
        line += ends
    return found

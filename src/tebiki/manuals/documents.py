"""Files of a manual as searchable sections.

A section is a heading with its own text up to the next heading, or a part of a JSON file; together
they are the whole text. Not here: how headings and JSON are read, what is done with a section.
"""

from __future__ import annotations

from typing import NamedTuple

from tebiki.files.encodings import decode
from tebiki.files.text import LINE_END, count_line_ends
from tebiki.manuals import json_nodes, markdown
from tebiki.manuals.sections import Section
from tebiki.manuals.walking import file_type


class Outline(NamedTuple):
    """A Markdown text's front matter, if any, and its headings, by line of the whole file."""

    front: markdown.FrontMatter | None
    headings: list[markdown.Heading]


def sections_of(path: str, data: bytes) -> list[Section]:
    """Part a file into its sections, in order; an empty file has none.

    Raises:
        InvalidArguments: its encoding is not known.
    """
    text, _ = decode(data)
    if not text:
        return []
    return _of_json(path, text) if file_type(path) == "json" else of_markdown(path, text)


def of_markdown(path: str, text: str) -> list[Section]:
    """Part a Markdown text into its sections, in order."""
    front, headings = outline(text)
    front_lines = front.lines if front else 0
    above: list[markdown.Heading] = []
    root = (front.title,) if front and front.title else ()
    cuts: list[tuple[int, int, str, tuple[str, ...]]] = []
    if front:
        cuts.append((1, 0, front.title, ()))
    first = headings[0].line if headings else 0
    if first != front_lines + 1:
        cuts.append((front_lines + 1, 0, "", root))
    for heading in headings:
        while above and above[-1].level >= heading.level:
            above.pop()
        trail = (*root, *(holder.title for holder in above))
        cuts.append((heading.line, heading.level, heading.title, trail))
        above.append(heading)
    return _cut(path, text, cuts)


def outline(text: str) -> Outline:
    """Find the front matter and the headings of a Markdown text."""
    lines = markdown.unified(text)
    front = markdown.front_matter(lines)
    if front is None:
        return Outline(None, markdown.headings(lines))
    body = lines.split("\n", front.lines)[-1] if lines.count("\n") >= front.lines else ""
    headings = markdown.headings(body)
    moved = [heading._replace(line=heading.line + front.lines) for heading in headings]
    return Outline(front, moved)


def _cut(path: str, text: str, cuts: list[tuple[int, int, str, tuple[str, ...]]]) -> list[Section]:
    """Cut a text before the lines at which its sections begin."""
    starts = [0, *(end.end() for end in LINE_END.finditer(text))]
    if starts[-1] == len(text):
        starts.pop()  # there is no line after a final line end
    cuts = [cut for cut in cuts if cut[0] <= len(starts)]
    ends = [cut[0] - 1 for cut in cuts[1:]] + [len(starts)]
    starts.append(len(text))
    return [
        Section(path, line, end, level, title, trail, text[starts[line - 1] : starts[end]])
        for (line, level, title, trail), end in zip(cuts, ends, strict=True)
    ]


def _of_json(path: str, text: str) -> list[Section]:
    try:
        nodes = json_nodes.nodes(text)
    except json_nodes.Unparsable:
        last = count_line_ends(text) + (text[-1] not in "\r\n")
        return [Section(path, 1, last, 0, "", (), text)]
    found: list[Section] = []
    line = 1
    for node in nodes:
        part = text[node.start : node.end]
        ends = count_line_ends(part)
        last = line + ends - (part[-1:] in {"\r", "\n"} and ends > 0)
        title = node.keys[-1] if node.keys else ""
        shown = json_nodes.readable(part)
        found.append(Section(path, line, last, 0, title, node.keys[:-1], shown, node.path))
        line += ends
    return found

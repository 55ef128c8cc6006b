"""Files of a manual as searchable sections.

A section is a heading with its own text up to the next heading, or a part of a JSON file; together
they are the whole text. Not here: how headings and JSON are read, what is done with a section.
"""

from __future__ import annotations

from itertools import accumulate, islice, pairwise
from typing import TYPE_CHECKING

from tebiki.files.encodings import decode
from tebiki.files.text import LINE_END, count_line_ends
from tebiki.manuals.documents import markdown
from tebiki.manuals.documents.file_types import file_type
from tebiki.manuals.documents.page_marks import is_mark, with_pages
from tebiki.manuals.documents.sections import Section
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LINES_AT_ONCE = 10_000
WHOLE_CHARS = 1_000_000
"""In so many all line ends are found before anybody can have run out of time."""


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
    kind = file_type(path)
    if kind == "json":
        return _of_json(path, text, check)
    if kind == "txt":
        from tebiki.manuals.documents.plain_texts import plain_parts  # few manuals have any

        cuts = [_Cut(line, 0, "", ()) for line in plain_parts(markdown.unify_line_ends(text))]
        return _cut_text(path, text, cuts, check)
    if kind == "html":
        return _of_html(path, text, check)
    return of_headings(path, text, check)


def of_headings(path: str, text: str, check: Callable[[], None] = lambda: None) -> list[Section]:
    """Part a text that has headings where they stand, in order, as it is written; `check` as above.

    What kind of text it is the path tells; one without an ending is Markdown.
    """
    if file_type(path) == "rst":
        from tebiki.manuals.documents.plain_texts import rst_headings  # few manuals have any

        headings = rst_headings(markdown.unify_line_ends(text), check)
        return _cut_text(path, text, _with_opening(headings, ()), check)
    if file_type(path) == "html":
        return [section for section, _ in _with_pages(path, text, check)]
    return of_markdown(path, text, check)


def _with_opening(headings: list[markdown.Heading], root: tuple[str, ...]) -> list[_Cut]:
    """Where sections begin: the text before the first heading, and each heading."""
    opening = [] if headings and headings[0].line == 1 else [_Cut(1, 0, "", root)]
    return opening + _cuts_of(headings, root)


def _cuts_of(headings: list[markdown.Heading], root: tuple[str, ...]) -> list[_Cut]:
    """The sections that headings begin, each with those that it stands below."""
    cuts: list[_Cut] = []
    above: list[_Cut] = []
    for line, level, title in headings:
        while above and above[-1].level >= level:
            above.pop()
        cut = _Cut(line, level, title, (*above[-1].trail, above[-1].title) if above else root)
        cuts.append(cut)
        above.append(cut)
    return cuts


def _of_html(path: str, text: str, check: Callable[[], None]) -> list[Section]:
    """The sections of a page, in words; those without any are left out."""
    found = [section._replace(text=said) for section, said in _with_pages(path, text, check)]
    return [section for section in found if section.text]


def _with_pages(path: str, text: str, check: Callable[[], None]) -> list[tuple[Section, str]]:
    """The sections of a page as it is written, each with what it says, its heading first."""
    from tebiki.manuals.documents.web_pages import read_web_page  # few manuals have any

    page = read_web_page(text, check)
    starts: dict[int, tuple[int, markdown.Heading]] = {}
    line, counted = 1, 0
    for start, level, title in page.headings:
        line += count_line_ends(text[counted:start])
        counted = start
        # A section is named by its line: of headings that share one, the first has all of it.
        starts.setdefault(line, (start, markdown.Heading(line, level, title)))
    headings = [heading for _, heading in starts.values()]
    cuts = _with_opening(headings, (page.title,) if page.title else ())
    begins = [0] * (len(cuts) - len(headings)) + [start for start, _ in starts.values()]
    sections = _cut_text(path, text, cuts, check)
    return list(zip(sections, page.texts_from(begins), strict=True))


def of_markdown(path: str, text: str, check: Callable[[], None] = lambda: None) -> list[Section]:
    """Part a Markdown text into its sections, in order; `check` as above."""
    front, headings = outline(text, check)
    front_lines = front.lines if front else 0
    root = (front.title,) if front and front.title else ()
    cuts: list[_Cut] = []
    is_imported = front is not None and front.is_imported
    if front and not is_imported:  # of an import it says nothing that anybody would look for
        cuts.append(_Cut(1, 0, front.title, ()))
    first = headings[0].line if headings else 0
    if first != front_lines + 1 and not (front and _is_blank(text, front_lines, first)):
        cuts.append(_Cut(front_lines + 1, 0, "", root))
    cuts += _cuts_of(headings, root)
    sections = _cut_text(path, text, cuts, check)
    if not is_imported:
        return sections
    begin = len(text) - sum(len(section.text) for section in sections)
    return with_pages(sections, text[:begin])


def _is_blank(text: str, above: int, first: int) -> bool:
    """Tell whether no text stands between the lines above and the first heading, or the end."""
    lines = markdown.unify_line_ends(text).split("\n", above)[above:]
    between = lines[0].split("\n", first - above - 1)[:-1] if first and lines else lines
    between = between if first else [line for part in between for line in part.split("\n")]
    return not any(line.strip() and not is_mark(line) for line in between)


def headings_of(path: str, text: str, check: Callable[[], None] = lambda: None) -> Outline:
    """Find the front matter and the headings of a text, of the kind that its path tells."""
    if file_type(path) in {"rst", "html"}:
        found = of_headings(path, text, check) if text else []
        headed = [
            markdown.Heading(one.start_line, one.level, one.title) for one in found if one.level
        ]
        return Outline(None, headed)
    return outline(text, check)


def outline(text: str, check: Callable[[], None] = lambda: None) -> Outline:
    """Find the front matter and the headings of a Markdown text; `check` as above."""
    lines = markdown.unify_line_ends(text)
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
    if not cuts:  # an import in which no text was found
        return []
    ends = [cut.line - 1 for cut in cuts[1:]] + [lines]
    starts = [*_line_starts(text, [cut.line for cut in cuts], check), len(text)]
    return [
        Section(path, line, end, level, title, trail, text[start:stop])
        for (line, level, title, trail), end, (start, stop) in zip(
            cuts, ends, pairwise(starts), strict=True
        )
    ]


def _line_starts(text: str, lines: list[int], check: Callable[[], None]) -> Iterable[int]:
    """Where some lines begin; ascending, all of them there."""
    if len(text) > WHOLE_CHARS or "\r" in text:
        return _line_starts_in_steps(text, lines, check)
    # The lengths of the lines before, and a line end for each of them.
    before = [0, *accumulate(map(len, text.split("\n")))]
    return [before[line - 1] + line - 1 for line in lines]


def _line_starts_in_steps(text: str, lines: list[int], check: Callable[[], None]) -> Iterator[int]:
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

"""From which page of the original an imported text is: lines such as `<!-- page 12 -->`.

`importer` writes them between paragraphs, below a front matter that names it; a comment like that
in anybody else's text is a comment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.text.folding import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tebiki.manuals.documents.sections import Section

# Compiled when they are asked for: most manuals have no imported text.
IMPORTED = lazy_pattern(r"(?m)^converter:[ \t]*[\"']?tebiki import ")
PAGED = lazy_pattern(r"(?m)^pages: ")
MARK = lazy_pattern(r"(?m)^<!-- ((?:page|slide) [1-9][0-9]{0,7}) -->[ \t]*\r?$")
LONGEST_FRONT = 65_536
"""Characters of a front matter that are looked at."""

WINDOW_CHARS = 65_536
MARK_CHARS = 40
"""More than a mark has: one that a window cuts is in the next."""


def is_imported(front: str) -> bool:
    """Tell whether a front matter is one that an import wrote."""
    return IMPORTED().search(front, 0, LONGEST_FRONT) is not None


def is_paged(front: str) -> bool:
    """Tell whether a front matter is of an import that has pages."""
    return is_imported(front) and PAGED().search(front, 0, LONGEST_FRONT) is not None


def page_before(slice_text: Callable[[int, int], str], start: int) -> str:
    """The page on which a place of a text is: what the last mark before it says."""
    end = start
    while end > 0:
        begin = max(0, end - WINDOW_CHARS)
        if page := last_page(slice_text(begin, end)):
            return page
        end = begin + MARK_CHARS if begin else 0
    return ""


def is_mark(line: str) -> bool:
    """Tell whether a line says where a page begins, and nothing else."""
    return MARK().match(line.strip()) is not None


def without_marks(text: str) -> str:
    """A text without the lines that say where a page begins; other lines stay where they are."""
    return MARK().sub("", text)


def last_page(text: str, page: str = "") -> str:
    """The page on which a text ends that begins on another."""
    marks = MARK().findall(text)
    return marks[-1] if marks else page


def with_pages(sections: Sequence[Section], above: str) -> list[Section]:
    """The sections of an imported text, each with the page on which it begins."""
    page = last_page(above)
    found: list[Section] = []
    for section in sections:
        leading = MARK().match(section.text.lstrip())
        found.append(section._replace(page=leading[1] if leading else page))
        page = last_page(section.text, page)
    return found


def pages_at(text: str, lines: Sequence[int]) -> list[str]:
    """The page of each of some lines, ascending, of a text with unified line ends."""
    found: list[str] = []
    page, line, counted = "", 1, 0
    marks = MARK().finditer(text)
    mark = next(marks, None)
    for wanted in lines:
        while mark is not None:
            at = line + text.count("\n", counted, mark.start())
            if at > wanted:
                break
            page, line, counted = mark[1], at, mark.start()
            mark = next(marks, None)
        found.append(page)
    return found


def page_of(section: Section, said: str) -> str:
    """The page on which a section says something; where that is not found, its first."""
    if not section.page:
        return ""
    at = section.text.find(said)
    return last_page(section.text[: max(at, 0)], section.page)


def pages_of(text: str, before: str) -> tuple[str, str]:
    """The first and the last page of a passage; `before` is the page on which it would go on."""
    begin = MARK().match(text.lstrip())
    first = begin[1] if begin else before
    lines = text.rstrip().split("\n")
    while lines and (not lines[-1].strip() or is_mark(lines[-1])):
        lines.pop()  # a page of which nothing is given
    marks = MARK().findall("\n".join(lines))
    first = first or (marks[0] if marks else "")
    return first, marks[-1] if marks else first

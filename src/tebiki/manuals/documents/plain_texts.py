"""Texts without Markdown: reStructuredText by its underlined titles, plain text by its blank lines.

Pure functions over lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.documents.markdown import LONGEST_TITLE, Heading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ADORNMENTS = frozenset("=-~^\"'`#*+.:_<>")
SHORTEST = 3
"""Signs of a line that could be an adornment; a title may be longer than two signs."""

DEEPEST = 6
PART_CHARS = 2_000
"""Of plain text that is found as one section: parted at the next blank line, at the latest after
twice as many."""

LINES_BETWEEN_CHECKS = 10_000


def rst_headings(text: str, check: Callable[[], None] = lambda: None) -> list[Heading]:
    """Titles of a reStructuredText: a line with others of one sign below it, or around it.

    How deep each kind lies is told by the order in which the kinds come.
    """
    lines = text.split("\n")
    kinds: list[tuple[str, bool]] = []
    found: list[Heading] = []
    at = 1
    while at < len(lines):
        if at % LINES_BETWEEN_CHECKS == 0:
            check()
        title = lines[at - 1].strip()
        if _underlines(lines, at):
            has_over = at > 1 and _is_adornment(lines[at - 2]) and lines[at - 2][0] == lines[at][0]
            kind = (lines[at][0], has_over)
            if kind not in kinds:
                kinds.append(kind)
            level = min(kinds.index(kind) + 1, DEEPEST)
            found.append(Heading(at - has_over, level, title[:LONGEST_TITLE]))
            at += 1
        at += 1
    return found


def _underlines(lines: Sequence[str], at: int) -> bool:
    """Tell whether a line underlines the one above it, which is a title."""
    title = lines[at - 1]
    if not _is_adornment(lines[at]) or not title.strip() or _is_adornment(title):
        return False
    has_over = at > 1 and _is_adornment(lines[at - 2])
    is_free = at < 2 or not lines[at - 2].strip() or has_over  # noqa: PLR2004 -- the line above
    # East Asian signs are twice as wide as an adornment's, and often underlined one by one.
    is_long = len(lines[at].rstrip()) >= min(len(title.strip()), SHORTEST)
    return is_free and is_long and (has_over or not title[0].isspace())


def _is_adornment(line: str) -> bool:
    line = line.rstrip()
    return len(line) >= SHORTEST and line[0] in ADORNMENTS and len(set(line)) == 1


def plain_parts(text: str) -> Iterator[int]:
    """Lines at which the parts of a plain text begin, the first included."""
    yield 1
    chars = 0
    was_blank = False
    for number, line in enumerate(text.split("\n"), 1):
        is_due = chars > PART_CHARS and (was_blank or chars > 2 * PART_CHARS)
        if is_due and line.strip():
            yield number
            chars = 0
        chars += len(line) + 1
        was_blank = not line.strip()

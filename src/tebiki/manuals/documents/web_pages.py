"""HTML that is searched where it lies: its headings and its text, by one pass over its tags.

No tree is made, so that nesting costs nothing; every step goes forward, so that time grows with
length alone. What a page looks like, and whether its markup is right, is nobody's concern here.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from html import unescape
from itertools import pairwise
from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]{0,40})")
HEADING = re.compile(r"h[1-6]")
RAW = frozenset(["script", "style"])
UNSEEN = RAW | {"template", "svg", "textarea", "select", "iframe", "nav"}
"""Elements whose text is not what a page says; of those that are not closed only `RAW` ends it."""

INLINE = re.compile(
    r"a|abbr|b|bdi|bdo|cite|code|data|dfn|em|font|i|kbd|label|mark|q|rp|rt|ruby|s|samp|small|span"
    r"|strong|sub|sup|time|tt|u|var|wbr"
)
CELLS = frozenset(["td", "th"])
CLOSE = re.compile(r"</(script|style|template|svg|textarea|select|iframe|nav)\b", re.IGNORECASE)
LONGEST_TITLE = 1_000
MOST_TRIES = 8
"""Signs of an end that may stand in the values of one tag."""

TAGS_BETWEEN_CHECKS = 1_024


class PageHeading(NamedTuple):
    """A heading: where its tag begins, its level and its text."""

    start: int
    level: int
    title: str


class WebPage(NamedTuple):
    """The title, the headings, and the text in pieces, each with where it begins."""

    title: str
    headings: list[PageHeading]
    pieces: list[tuple[int, str]]

    def texts_from(self, starts: list[int]) -> list[str]:
        """The texts of the parts that begin at some places, ascending, line by line."""
        places = [bisect_left(self.pieces, (start, "")) for start in starts] + [len(self.pieces)]
        return [_as_lines(self.pieces[first:last]) for first, last in pairwise(places)]


def _as_lines(pieces: list[tuple[int, str]]) -> str:
    lines = (" ".join(line.split()) for line in "".join(text for _, text in pieces).split("\n"))
    return "\n".join(line for line in lines if line)


def read_web_page(text: str, check: Callable[[], None] = lambda: None) -> WebPage:
    """Find the headings and the text of a page; `check` is called often, and may raise."""
    reading = _Reading(text)
    while reading.step():
        if reading.tags % TAGS_BETWEEN_CHECKS == 0:
            check()
    return WebPage(reading.title, reading.headings, reading.pieces)


class _Reading:
    """One pass over a page."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._unclosed: set[str] = set()
        self._open: PageHeading | None = None
        self._heading_from = 0
        self._is_in_head = False
        self.tags = 0
        self.title = ""
        self.headings: list[PageHeading] = []
        self.pieces: list[tuple[int, str]] = []

    def step(self) -> bool:
        """Take the text up to the next tag, and that; false at the end."""
        text, start = self._text, self._at
        at = text.find("<", start)
        end = len(text) if at < 0 else at
        if end > start:
            self._take(start, text[start:end])
        if at < 0:
            return False
        self.tags += 1
        if text.startswith("<!--", at):
            self._at = self._after("-->", at + 4)
        elif text.startswith(("<!", "<?"), at):
            self._at = self._after(">", at)
        elif tag := TAG.match(text, at):
            self._at = self._end_of_tag(tag.end())
            self._meet(at, tag[2].lower(), is_end=bool(tag[1]))
        else:
            self._take(at, "<")
            self._at = at + 1
        return True

    def _after(self, mark: str, start: int) -> int:
        found = self._text.find(mark, start)
        return len(self._text) if found < 0 else found + len(mark)

    def _end_of_tag(self, start: int) -> int:
        """Where a tag ends; a mark inside a quoted value is none."""
        end = start
        for _ in range(MOST_TRIES):
            end = self._text.find(">", end)
            if end < 0:
                return len(self._text)
            given = self._text[start : min(end, start + LONGEST_TITLE)]
            end += 1
            if given.count('"') % 2 == 0:
                return end
        return end

    def _meet(self, at: int, name: str, *, is_end: bool) -> None:
        if name in UNSEEN and not is_end:
            self._pass_over(name)
        elif name == "title":
            self._is_in_head = not is_end and not self.title
        elif HEADING.fullmatch(name):
            self._turn_heading(at, int(name[1]), is_end=is_end)
        if name in CELLS and not is_end:
            self.pieces.append((at, " "))
        elif name not in CELLS and not INLINE.fullmatch(name):
            self.pieces.append((at, "\n"))

    def _pass_over(self, name: str) -> None:
        """Go on where an element ends; what is never closed is not looked for again."""
        if name in self._unclosed:
            return
        closes = CLOSE.finditer(self._text, self._at)
        close = next((one for one in closes if one[1].lower() == name), None)
        if close:
            self._at = close.start()
        elif name in RAW:
            self._at = len(self._text)
        else:
            self._unclosed.add(name)

    def _turn_heading(self, at: int, level: int, *, is_end: bool) -> None:
        if self._open is not None:
            words = "".join(text for _, text in self.pieces[self._heading_from :])
            if title := " ".join(words[: 2 * LONGEST_TITLE].split())[:LONGEST_TITLE]:
                self.headings.append(self._open._replace(title=title))
            self._open = None
        if not is_end:
            self._open = PageHeading(at, level, "")
            self._heading_from = len(self.pieces)

    def _take(self, at: int, text: str) -> None:
        if self._is_in_head and len(self.title) < LONGEST_TITLE:
            self.title += unescape(text).strip()[:LONGEST_TITLE]
        else:
            self.pieces.append((at, unescape(text)))

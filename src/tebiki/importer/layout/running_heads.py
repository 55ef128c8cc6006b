"""What stands at the head and the foot of page after page: found by its place, and taken away."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from tebiki.importer.layout.runs import line_of, rows_of
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.importer.layout.runs import Run

MARGIN = 0.13
"""Of a page's height: nothing further in is a running head."""

OUTERMOST = 3
"""Rows from the edge that are looked at."""

NUMBERS = re.compile(r"[\d０-９]+|\b[ivxlc]+\b")
PAGE_NUMBER = re.compile(
    r"(?:page|p\.?|ページ)? ?(?:[\d０-９]{1,4}|[ivxlc]{1,7}|[A-Z]?\d{1,2}[-‐–]\d{1,3})"
    r"(?: ?(?:/|of|／) ?[\d０-９]{1,4})? ?(?:ページ|頁)?",
    re.IGNORECASE,
)
AROUND_NUMBERS = " -‐–—─―・.|/()（）[]"
ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
FEWEST_PAGES = 3
FEWEST_COUNTED = 2
"""Pages whose numbers go up with them."""

HEADING = 1.3
"""Times the size of a page's text: what is larger, and not the same on other pages, is a title."""

PLACE = 4.0
"""Points within which rows of different pages are at the same place."""


class _EdgeRow(NamedTuple):
    """A row near an edge of a page: its runs, its text, and the number of a page it may give."""

    runs: list[Run]
    text: str
    number: int | None

    @property
    def middle(self) -> float:
        """Half way down."""
        return self.runs[0].middle


def running_heads(pages: Sequence[tuple[Sequence[Run], float, float]]) -> list[set[int]]:
    """For each page, given as its runs, its top and its bottom, the ids of runs to be left out."""
    edges = [_edges(*page) for page in pages]
    titles = Counter(text for rows in edges for text in {row.text for row in rows})
    edges = [_above_titles(rows, titles, page[0]) for rows, page in zip(edges, pages, strict=True)]
    seen: Counter[tuple[str, int]] = Counter()
    for rows in edges:
        seen.update({key for row in rows for key in _keys(row)})
    counted = Counter(
        number - at
        for at, rows in enumerate(edges)
        for number in {row.number for row in rows}
        if number is not None
    )
    left_out = [
        {
            id(run)
            for row in rows
            if _is_repeated(row, seen, len(pages)) or _counts_pages(row, rows, at, counted)
            for run in row.runs
        }
        for at, rows in enumerate(edges)
    ]
    emptied = sum(0 < len(page[0]) <= len(out) for page, out in zip(pages, left_out, strict=True))
    # What is all that most pages have is no running head.
    return [set() for _ in pages] if 2 * emptied > len(pages) else left_out


def _edges(runs: Sequence[Run], top: float, bottom: float) -> list[_EdgeRow]:
    """The outermost rows of a page that lie in its margins, a corner each as a row of its own."""
    margin = MARGIN * (bottom - top)
    near = [run for run in runs if run.y1 < top + margin or run.y0 > bottom - margin]
    rows = rows_of(near)
    upper = [row for row in rows if row[0].middle < (top + bottom) / 2][:OUTERMOST]
    lower = [row for row in rows if row[0].middle >= (top + bottom) / 2][-OUTERMOST:]
    parts = [part for row in [*upper, *lower] for part in _parts(row)]
    return [_EdgeRow(part, text, _number(text)) for part in parts for text in [line_of(part).text]]


def _above_titles(rows: list[_EdgeRow], seen: Counter[str], runs: Sequence[Run]) -> list[_EdgeRow]:
    """The rows without a title at the top of the text, and without what follows such a title.

    Chapters that begin alike on pages of their own would be taken for running heads.
    """
    if not rows:
        return rows
    sizes = sorted(run.size for run in runs for _ in run.text)
    large = HEADING * sizes[len(sizes) // 2]
    top = min(
        (
            row.runs[0].y0
            for row in rows
            if row.runs[0].size >= large and seen[row.text] < FEWEST_PAGES and row.number is None
        ),
        default=None,
    )
    half = (min(run.y0 for run in runs) + max(run.y1 for run in runs)) / 2
    if top is None or top > half:
        return rows
    return [row for row in rows if not top <= row.middle <= half or row.number is not None]


def _parts(row: list[Run]) -> list[list[Run]]:
    """What stands left, in the middle and right."""
    parts: list[list[Run]] = []
    for run in row:
        if parts and run.x0 - parts[-1][-1].x1 < 3 * run.size:
            parts[-1].append(run)
        else:
            parts.append([run])
    return parts


def _number(text: str) -> int | None:
    """The number of its page that a row gives: of 3-12 the second, of 3/12 the first."""
    if PAGE_NUMBER.fullmatch(text.strip(AROUND_NUMBERS)) is None:
        return None
    text = unicodedata.normalize("NFKC", text).lower()
    if found := re.search(r"(?:\d+[-‐–])?(\d+)", text):
        return int(found[1])
    roman = re.search(r"[ivxlc]+$", text.strip(AROUND_NUMBERS))
    if roman is None:
        return None
    values = [ROMAN[sign] for sign in roman[0]]
    return sum(
        -one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True)
    )


def _counts_pages(row: _EdgeRow, rows: list[_EdgeRow], at: int, counted: Counter[int]) -> bool:
    """Tell whether a number goes up with the pages, as one in a table or a text does not.

    On a page without others it does where it stands alone, at the very edge.
    """
    if row.number is None:
        return False
    here = counted[row.number - at]
    if here >= FEWEST_COUNTED:
        # A page has one number: another that goes up with it by chance agrees with fewer pages.
        return here == max(counted[one.number - at] for one in rows if one.number is not None)
    alone = all(one is row or abs(one.middle - row.middle) > PLACE for one in rows)
    return alone and sum(counted.values()) == 1 and (row is rows[0] or row is rows[-1])


def _keys(row: _EdgeRow) -> list[tuple[str, int]]:
    """A row without its numbers, at its place and a little off it."""
    text = row.text.replace(" ", "")
    # Numbers that stand alone at one place may be those of a table's rows on page after page.
    text = text if row.number is not None else NUMBERS.sub("#", text)
    place = int(row.middle / PLACE)
    return [(text, place), (text, place + 1)]


def _is_repeated(row: _EdgeRow, seen: Counter[tuple[str, int]], pages: int) -> bool:
    most = max(seen[key] for key in _keys(row))
    return most >= FEWEST_PAGES or (most == pages == FEWEST_PAGES - 1)

"""PDF: pages in the order of reading, with headings, paragraphs, tables and marks of the pages."""

from __future__ import annotations

import ctypes
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pypdfium2_raw.bindings as pdfium  # type: ignore[import-untyped]

from tebiki.importer.blocks import ItemBlock, MarkBlock, TableBlock, TextBlock, TitleLine
from tebiki.importer.joining import join_lines
from tebiki.importer.layout.columns import TABLE, regions_of, usual_gutters
from tebiki.importer.layout.open_tables import lines_and_tables
from tebiki.importer.layout.paragraphs import BEGINS_ITEM, ENDS_SENTENCE, SAME_SIZE, paragraphs_of
from tebiki.importer.layout.ruled_tables import NEAR, Table, cut_by_rules, find_ruled
from tebiki.importer.layout.running_heads import FEWEST_PAGES, running_heads
from tebiki.importer.layout.runs import Rule, Run
from tebiki.importer.layout.titles import (
    OutlineEntry,
    Title,
    sizes_of,
    titles_by_outline,
    titles_by_size,
)
from tebiki.importer.limits import MOST_PAGES
from tebiki.importer.outcomes import BROKEN, ENCRYPTED, TOO_LARGE, Document, Unreadable
from tebiki.importer.readers.odd_signs import are_odd
from tebiki.importer.readers.pdf_pages import read_page
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tebiki.importer.blocks import Block
    from tebiki.importer.layout.runs import TextLine
    from tebiki.importer.readers.pdf_pages import PdfPage

NEEDS_PASSWORD = 4
MOST_ENTRIES = 20_000
DEEPEST_OUTLINE = 6
LEAST_TEXT = 16
"""Characters on a page that a picture covers: with fewer, the picture is the page."""

MOST_MISSING = 0.35
"""Of a line, at the end of a page: with more its paragraph ends there."""

MANY_DRAWINGS = 60
"""Without a letter on the page: the letters themselves were drawn."""

ODD_SHARE = 0.02
"""Of a page's signs: with more of them its font does not say what they are."""

GARBAGE_SHARE = 0.3
"""With so many, what can be read is not worth the rest."""

LONGEST_TITLE_BYTES = 4096
"""Of a title in UTF-16."""
NO_TITLES = {"(anonymous)", "(unspecified)", "untitled"}
"""What programs write where nobody gave a title; the file's name says more."""


def read_pdf(data: bytearray | Any, allow: Callable[[int], None]) -> Document:
    """Read a PDF file from a buffer that can be written to; `allow` is told the number of pages.

    Raises:
        Unreadable: it has a password, is broken, or has too many pages.
    """
    size = len(data)
    held = (ctypes.c_ubyte * size).from_buffer(data)
    pdfium.FPDF_InitLibrary()
    document = pdfium.FPDF_LoadMemDocument64(held, size, None)
    try:
        if not document:
            is_locked = pdfium.FPDF_GetLastError() == NEEDS_PASSWORD
            raise Unreadable(ENCRYPTED if is_locked else BROKEN)
        pages = pdfium.FPDF_GetPageCount(document)
        if pages < 1:
            raise Unreadable(BROKEN)
        if pages > MOST_PAGES:
            raise Unreadable(TOO_LARGE, f"more than {MOST_PAGES} pages")
        allow(pages)
        return _document(document, pages)
    finally:
        if document:
            pdfium.FPDF_CloseDocument(document)
        del held


class _PdfPageParts:
    """A page on its way: its lines and tables in the order of reading, and what stands aside."""

    def __init__(self, regions: list[list[TextLine | Table]], sides: Sequence[str] = ()) -> None:
        self.regions = regions
        self.sides = sides
        self.lines = [
            one for region in self.regions for one in region if not isinstance(one, Table)
        ]


def _document(document: Any, count: int) -> Document:
    read = [read_page(document, number) for number in range(count)]
    pages, unread = _readable(read), _unread(read)
    left_out = running_heads(
        [(page.runs, page.top, page.bottom) if page else ([], 0.0, 1.0) for page in pages]
    )
    ruled = [
        _read_rules(page, heads) if page else NOTHING_RULED
        for page, heads in zip(pages, left_out, strict=True)
    ]
    gutters = usual_gutters([one.runs for one in ruled])
    parts = [_parts(one, gutter) for one, gutter in zip(ruled, gutters, strict=True)]
    outline = list(_outline(document, [page.bottom if page else 0.0 for page in pages]))
    titles, extra = _titles(parts, outline)
    # A tab at the edge says the same on page after page.
    sides = Counter(side for page in parts for side in set(page.sides))
    blocks: list[Block] = []
    for number, page in enumerate(parts):
        found = _whole_tables(_blocks(page, titles[number], extra.get(number, [])))
        # Behind the first: that may go on from the page before, and the last on the next.
        found[1:1] = [TextBlock(side) for side in page.sides if sides[side] < FEWEST_PAGES]
        _add_page(blocks, number + 1, found)
    title = _meta(document, b"Title")
    return Document(blocks, "" if title.lower() in NO_TITLES else title, count, unread)


def _readable(pages: list[PdfPage | None]) -> list[PdfPage | None]:
    """Pages; none where most of what fonts say of their characters cannot be."""
    has_odd = are_odd(page.odd for page in pages if page)
    return [None if page and _is_garbage(page, has_odd=has_odd) else page for page in pages]


def _is_garbage(page: PdfPage, *, has_odd: bool) -> bool:
    is_odd = has_odd and page.odd.signs > GARBAGE_SHARE * page.characters
    return bool(page.characters) and (is_odd or page.unknown > page.characters / 2)


def _unread(pages: list[PdfPage | None]) -> tuple[int, ...]:
    """The numbers of pages with something on them that could not be read."""
    has_odd = are_odd(page.odd for page in pages if page)
    return tuple(
        number
        for number, page in enumerate(pages, 1)
        if page is None
        or _is_picture(page)
        or (has_odd and page.odd.signs > ODD_SHARE * page.characters)
    )


def _is_picture(page: PdfPage) -> bool:
    """Tell whether what is on a page is a picture, or letters that were drawn."""
    if not page.characters:
        return page.pictures > 0 or page.drawings > MANY_DRAWINGS
    return page.is_pictured and page.characters < LEAST_TEXT


class _RuledPage(NamedTuple):
    """A page whose drawn tables are found: free runs, and one that stands for each table."""

    runs: list[Run]
    tables: dict[int, Table]
    rules: list[Rule]
    sides: list[str]


NOTHING_RULED = _RuledPage([], {}, [], [])


def _read_rules(page: PdfPage, heads: set[int]) -> _RuledPage:
    """Find the tables of a page that lines are drawn around."""
    runs = cut_by_rules([run for run in page.runs if id(run) not in heads], page.rules)
    tables = find_ruled([*runs, *page.turned], page.rules)
    taken = {id(run) for table in tables for run in table.runs}
    free = [run for run in runs if id(run) not in taken]
    stands = [(_standing_for(table), table) for table in tables]
    sides = [run.text for run in page.turned if id(run) not in taken]
    placed = {id(run): table for run, table in stands}
    return _RuledPage([*free, *(run for run, _ in stands)], placed, page.rules, sides)


def _parts(page: _RuledPage, gutter: float | None) -> _PdfPageParts:
    """What is on a page, in the order of reading."""
    regions = regions_of(page.runs, gutter)
    return _PdfPageParts(
        [lines_and_tables(region.runs, page.tables, page.rules) for region in regions],
        page.sides,
    )


def _standing_for(table: Table) -> Run:
    """What holds a table's place among the text while that is put in order."""
    return Run(table.box, TABLE, [table.box[0]], 0.0)


def _titles(
    parts: list[_PdfPageParts], outline: list[OutlineEntry]
) -> tuple[list[list[Title]], dict[int, list[OutlineEntry]]]:
    """The headings of each page, and those that stand on it without being found."""
    if not outline:
        sizes = sizes_of(line for page in parts for line in page.lines)
        return [titles_by_size(page.lines, sizes) for page in parts], {}
    found: list[list[Title]] = []
    extra: dict[int, list[OutlineEntry]] = {}
    for number, page in enumerate(parts):
        wanted = [entry for entry in outline if entry.page == number]
        titles, missing = titles_by_outline(page.lines, wanted)
        found.append(sorted(titles, key=lambda title: title.first))
        if missing:
            extra[number] = missing
    return found, extra


def _blocks(page: _PdfPageParts, titles: list[Title], extra: list[OutlineEntry]) -> Iterator[Block]:
    """The blocks of a page; headings that only the outline has stand where it leads to."""
    lines = page.lines
    by_line = {id(lines[title.first + n]): title for title in titles for n in range(title.lines)}
    firsts = {id(lines[title.first]) for title in titles}
    waiting = sorted(extra, key=lambda entry: entry.y or 0.0)
    for region in page.regions:
        held: list[TextLine] = []
        for one in region:
            while waiting and (waiting[0].y or 0.0) <= _top_of(one):
                yield from _text(held, by_line, firsts)
                held = []
                entry = waiting.pop(0)
                yield TitleLine(entry.level, entry.title)
            if isinstance(one, Table):
                yield from _text(held, by_line, firsts)
                held = []
                yield TableBlock(one.rows, one.edges)
            else:
                held.append(one)
        yield from _text(held, by_line, firsts)
    yield from (TitleLine(entry.level, entry.title) for entry in waiting)


def _top_of(one: TextLine | Table) -> float:
    return one.box[1] if isinstance(one, Table) else one.y0


def _whole_tables(blocks: Iterable[Block]) -> list[Block]:
    """Blocks in which a table that goes on in the next column is one."""
    whole: list[Block] = []
    for block in blocks:
        last = whole[-1] if whole else None
        if isinstance(last, TableBlock) and isinstance(block, TableBlock):
            is_beside = (
                bool(block.edges) and block.edges[0] > last.edges[-1] if last.edges else False
            )
            if is_beside and _is_continued(last, block):
                whole[-1] = TableBlock([*last.rows, *block.rows], block.edges)
                continue
        whole.append(block)
    return whole


def _text(lines: list[TextLine], by_line: dict[int, Title], firsts: set[int]) -> Iterator[Block]:
    right = max((line.x1 for line in lines), default=0.0)
    for paragraph in paragraphs_of(lines, [id(line) in by_line for line in lines]):
        first = id(paragraph.lines[0])
        if first in firsts:
            yield TitleLine(by_line[first].level, by_line[first].text)
        elif first not in by_line:
            last = paragraph.lines[-1]
            is_full = right - last.x1 < MOST_MISSING * (right - last.x0)
            yield TextBlock(paragraph.text, last.size, is_full)


def _add_page(blocks: list[Block], number: int, found: list[Block]) -> None:
    """Add a page; a paragraph that goes on from the page before stays whole."""
    last = next(
        (n for n in range(len(blocks) - 1, -1, -1) if not isinstance(blocks[n], MarkBlock)), None
    )
    if last is not None and found and _goes_on(blocks[last], found[0]):
        before, after = blocks[last], found.pop(0)
        joined = join_lines(_words(before), _words(after))
        size, is_full = (after.size, after.is_full) if isinstance(after, TextBlock) else (0.0, True)
        blocks[last] = TextBlock(joined, size, is_full)
    if found and isinstance(found[0], TableBlock) and last is not None:
        found[0] = _with_head(blocks[last], found[0])
    blocks.append(MarkBlock("page", number))
    blocks += found


def _with_head(before: Block, table: TableBlock) -> TableBlock:
    """A table that goes on from the page before, with the head it has there."""
    if not isinstance(before, TableBlock) or not _is_continued(before, table):
        return table
    return TableBlock([before.rows[0], *table.rows], table.edges)


def _is_continued(before: TableBlock, table: TableBlock) -> bool:
    if len(before.edges) != len(table.edges) or not table.edges:
        return False
    if list(before.rows[0]) == list(table.rows[0]):
        return False  # its head is printed again
    # In another column it is as wide, and stands elsewhere.
    widths = [[b - a for a, b in pairwise(one.edges)] for one in (before, table)]
    return all(abs(a - b) < NEAR for a, b in zip(*widths, strict=True))


def _words(block: Block) -> str:
    return block.text if isinstance(block, TextBlock | ItemBlock) else ""


def _goes_on(before: Block, after: Block) -> bool:
    """Tell whether a paragraph was cut by the end of its page."""
    if not isinstance(before, TextBlock) or not isinstance(after, TextBlock):
        return False
    is_open = len(before.text) > LEAST_TEXT and not ENDS_SENTENCE.search(before.text)
    # The title of the next slide goes on with nothing, nor does the last line of a title page.
    if abs(before.size - after.size) > SAME_SIZE * before.size or not before.is_full:
        return False
    return is_open and not BEGINS_ITEM.match(after.text) and not after.text.startswith("\u3000")


def _outline(document: Any, bottoms: list[float]) -> Iterator[OutlineEntry]:
    """The outline from top to bottom; circles end where they begin again."""
    seen: set[int] = set()
    waiting = [(pdfium.FPDFBookmark_GetFirstChild(document, None), 1)]
    while waiting and len(seen) < MOST_ENTRIES:
        mark, level = waiting.pop()
        if not mark:
            continue
        address = ctypes.cast(mark, ctypes.c_void_p).value or 0
        if address in seen:
            continue
        seen.add(address)
        waiting.append((pdfium.FPDFBookmark_GetNextSibling(document, mark), level))
        if level < DEEPEST_OUTLINE:
            waiting.append((pdfium.FPDFBookmark_GetFirstChild(document, mark), level + 1))
        entry = _entry(document, mark, level, bottoms)
        if entry is not None:
            yield entry


def _entry(document: Any, mark: Any, level: int, bottoms: list[float]) -> OutlineEntry | None:
    title = _string(lambda buffer, size: pdfium.FPDFBookmark_GetTitle(mark, buffer, size))
    place = pdfium.FPDFBookmark_GetDest(document, mark)
    if not place:
        action = pdfium.FPDFBookmark_GetAction(mark)
        place = pdfium.FPDFAction_GetDest(document, action) if action else None
    page = pdfium.FPDFDest_GetDestPageIndex(document, place) if place else -1
    if not title.strip() or not 0 <= page < len(bottoms):
        return None
    flags = [ctypes.c_int() for _ in range(3)]
    points = [ctypes.c_float() for _ in range(3)]
    references = [ctypes.byref(one) for one in flags] + [ctypes.byref(one) for one in points]
    pdfium.FPDFDest_GetLocationInPage(place, *references)
    y = bottoms[page] - points[1].value if flags[1].value else None
    return OutlineEntry(level, " ".join(title.split()), page, y)


def _meta(document: Any, name: bytes) -> str:
    return _string(lambda buffer, size: pdfium.FPDF_GetMetaText(document, name, buffer, size))


def _string(ask: Callable[[Any, int], int]) -> str:
    """A string that pdfium writes into a buffer, in UTF-16."""
    buffer = ctypes.create_string_buffer(LONGEST_TITLE_BYTES)
    got = min(ask(buffer, LONGEST_TITLE_BYTES), LONGEST_TITLE_BYTES)
    return buffer.raw[: max(0, got - 2)].decode("utf-16-le", "replace").strip()

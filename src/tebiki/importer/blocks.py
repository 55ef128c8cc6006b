"""A document as blocks, and blocks as Markdown in which ordinary text stays ordinary text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tebiki.importer.joining import clean
from tebiki.importer.limits import MOST_HEADING_CHARS, MOST_PART_BYTES
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

DEEPEST = 6
LOOKS_LIKE_MARKUP = re.compile(
    r"^(?:#{1,6}(?=\s|$)|[=~`<>]|-(?=[-\s]|$)|[+*](?=\s|$)|\|)", re.MULTILINE
)
"""How a line begins that Markdown would take for something else than text."""

LOOKS_LIKE_A_NUMBER = re.compile(r"^(\d{1,9})([.)])(?=\s|$)", re.MULTILINE)
DEFINES = re.compile(r"^\[(?=[^\]\n]*\]:)", re.MULTILINE)
MARK_LINE = re.compile(r"<!-- [a-z]+ \d+ -->\n\n")
INDENT = "  "


class TitleLine(NamedTuple):
    """A heading."""

    level: int
    text: str


class TextBlock(NamedTuple):
    """A paragraph; where it is known, the size of its type, and whether its last line is full."""

    text: str
    size: float = 0.0
    is_full: bool = True


class ItemBlock(NamedTuple):
    """An item of a list: how deep it is, and its number if it has one."""

    depth: int
    text: str
    number: int | None = None


class TableBlock(NamedTuple):
    """A table; the first row is its head. `edges` tell it from others on the next page."""

    rows: Sequence[Sequence[str]]
    edges: tuple[float, ...] = ()


class MarkBlock(NamedTuple):
    """Where a page or a slide of the original begins."""

    what: str
    number: int


class MarkdownBlock(NamedTuple):
    """Text that is Markdown already."""

    text: str


Block = TitleLine | TextBlock | ItemBlock | TableBlock | MarkBlock | MarkdownBlock


def escape(text: str) -> str:
    """Text that Markdown takes for nothing else."""
    text = LOOKS_LIKE_MARKUP.sub(lambda found: "\\" + found[0], text)
    text = LOOKS_LIKE_A_NUMBER.sub(r"\1\\\2", text)
    return DEFINES.sub(r"\\[", text)


def parts_of(blocks: Iterable[Block]) -> Iterator[str]:
    """The Markdown, in pieces that are each small enough to be searched; cut between blocks."""
    held: list[str] = []
    size = 0
    mark = ""
    for piece in _pieces(blocks):
        grown = len(piece.encode(errors="replace"))
        if held and size + grown > MOST_PART_BYTES:
            yield "".join(held)
            # Each part says by itself which page it begins on.
            held, size = [mark], len(mark)
        if MARK_LINE.fullmatch(piece):
            mark = piece
        held.append(piece)
        size += grown
    if held:
        yield "".join(held)


def _pieces(blocks: Iterable[Block]) -> Iterator[str]:
    """Each block as Markdown with the line ends after it; what is too long for a part is cut."""
    after_item = False
    deepest = 0
    for given in blocks:
        block, is_item = given, isinstance(given, ItemBlock)
        if isinstance(block, ItemBlock):
            # An item that stands deeper than one below another would be taken for code.
            block = block._replace(depth=min(block.depth, deepest))
            deepest = block.depth + 1
        else:
            deepest = 0
        text = _markdown(block)
        if not text:
            continue
        if after_item and not is_item:
            yield "\n"
        after_item = is_item
        for piece in _cut(text):
            yield f"{piece}\n" if is_item else f"{piece}\n\n"


def _cut(text: str) -> Iterator[str]:
    # A character takes four bytes at most.
    most = MOST_PART_BYTES // 4 - 2
    if len(text) <= most:
        yield text
        return
    held: list[str] = []
    size = 0
    for line in text.split("\n"):
        for start in range(0, max(len(line), 1), most):
            piece = line[start : start + most]
            if held and size + len(piece) > most:
                yield "\n".join(held)
                held, size = [], 0
            held.append(piece)
            size += len(piece) + 1
    yield "\n".join(held)


def _markdown(block: Block) -> str:
    if isinstance(block, TitleLine):
        return _title(block)
    if isinstance(block, TextBlock):
        return escape(_lines(block.text))
    if isinstance(block, ItemBlock):
        text = escape(" ".join(_lines(block.text).split("\n")))
        mark = "-" if block.number is None else f"{block.number}."
        return f"{INDENT * block.depth}{mark} {text}" if text else ""
    if isinstance(block, TableBlock):
        return _table(block.rows)
    if isinstance(block, MarkBlock):
        return f"<!-- {block.what} {block.number} -->"
    return block.text.strip("\n")


def _title(block: TitleLine) -> str:
    text = clean(" ".join(block.text.split()))
    if len(text) > MOST_HEADING_CHARS:
        return escape(text)
    return f"{'#' * min(max(block.level, 1), DEEPEST)} {text}" if text else ""


def _lines(text: str) -> str:
    return "\n".join(line for line in map(clean, text.split("\n")) if line)


def cell(text: str) -> str:
    """What stands in a cell of a table."""
    return clean(" ".join(text.split())).replace("\\", "\\\\").replace("|", "\\|")


def _table(rows: Sequence[Sequence[str]]) -> str:
    """A pipe table; empty rows and columns at its edges are left out."""
    cells = [[cell(text) for text in row] for row in rows]
    width = max((n for row in cells for n, text in enumerate(row, 1) if text), default=0)
    while cells and not any(cells[-1]):
        cells.pop()
    if not width or not cells:
        return ""
    lines = [f"| {' | '.join((row + [''] * width)[:width])} |" for row in cells]
    lines.insert(1, f"|{' --- |' * width}")
    return "\n".join(lines)

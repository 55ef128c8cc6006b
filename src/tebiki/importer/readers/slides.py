"""Slides: each with its number, its title as a heading, its text, tables and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.importer.blocks import ItemBlock, MarkBlock, TableBlock, TextBlock, TitleLine
from tebiki.importer.outcomes import Document
from tebiki.importer.readers.archives import relationships
from tebiki.importer.readers.word import COMPATIBILITY, core_title

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree import ElementTree as ET

    from tebiki.importer.blocks import Block
    from tebiki.importer.readers.archives import Archive

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
PRESENTATION = "ppt/presentation.xml"
TITLES = frozenset(["title", "ctrTitle"])
FRAME = frozenset(["dt", "ftr", "sldNum", "hdr", "sldImg"])
"""Placeholders that say the same on every slide."""

TITLE_LEVEL = 2


def read_pptx(archive: Archive) -> Document:
    """Read slides.

    Raises:
        Unreadable: parts are missing or broken.
    """
    known = relationships(archive, PRESENTATION)
    root = archive.xml(PRESENTATION)
    names = [known.get(one.get(f"{R}id", ""), "") for one in root.iter(f"{P}sldId")]
    blocks: list[Block] = []
    for number, name in enumerate(names, 1):
        blocks.append(MarkBlock("slide", number))
        if archive.has(name):
            blocks += _slide(archive, name)
    return Document(blocks, title=core_title(archive), pages=len(names))


def _slide(archive: Archive, name: str) -> Iterator[Block]:
    tree = archive.xml(name).find(f"{P}cSld/{P}spTree")
    blocks = list(_shapes(tree)) if tree is not None else []
    # Whatever is drawn first, the title is what the rest is about.
    yield from sorted(blocks, key=lambda block: not isinstance(block, TitleLine))
    for part in relationships(archive, name).values():
        if "notesSlide" in part and archive.has(part):
            notes = archive.xml(part).find(f"{P}cSld/{P}spTree")
            for block in _shapes(notes) if notes is not None else ():
                yield TextBlock(block.text) if isinstance(block, ItemBlock | TitleLine) else block


def _shapes(parent: ET.Element) -> Iterator[Block]:
    for one in parent:
        if one.tag == f"{P}sp":
            yield from _shape(one)
        elif one.tag == f"{P}graphicFrame":
            yield from (TableBlock(_rows(table)) for table in one.iter(f"{A}tbl"))
        elif one.tag in {f"{P}grpSp", f"{COMPATIBILITY}Choice"}:
            yield from _shapes(one)
        elif one.tag == f"{COMPATIBILITY}AlternateContent":
            choice = one.find(f"{COMPATIBILITY}Choice")
            yield from _shapes(choice if choice is not None else one)


def _shape(one: ET.Element) -> Iterator[Block]:
    place = one.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
    kind = place.get("type", "body") if place is not None else ""
    body = one.find(f"{P}txBody")
    if body is None or kind in FRAME:
        return
    lines = [(_depth(line), _words(line)) for line in body.findall(f"{A}p")]
    lines = [(depth, words) for depth, words in lines if words.strip()]
    if kind in TITLES:
        if lines:
            yield TitleLine(TITLE_LEVEL, " ".join(words for _, words in lines))
        return
    for depth, words in lines:
        yield ItemBlock(depth, words) if kind in {"body", "obj"} else TextBlock(words)


def _depth(line: ET.Element) -> int:
    properties = line.find(f"{A}pPr")
    value = properties.get("lvl", "0") if properties is not None else "0"
    return int(value) if value in set("012345678") else 0


def _words(line: ET.Element) -> str:
    texts = {f"{A}br": " "}
    return "".join(
        texts.get(one.tag) or one.text or ""
        for one in line.iter()
        if one.tag in {f"{A}t", f"{A}br"}
    )


def _rows(table: ET.Element) -> list[list[str]]:
    return [[_cell(cell) for cell in row.findall(f"{A}tc")] for row in table.findall(f"{A}tr")]


def _cell(cell: ET.Element) -> str:
    """A cell; of merged ones only the first says something."""
    if cell.get("hMerge") == "1" or cell.get("vMerge") == "1":
        return ""
    return "\n".join(_words(line) for line in cell.iter(f"{A}p"))

"""Word documents: headings by style and outline level, lists, tables, footnotes, ruby.

Left out: headers and footers, comments, what was deleted while changes were tracked, pictures.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tebiki.importer.blocks import ItemBlock, MarkdownBlock, TableBlock, TextBlock, TitleLine
from tebiki.importer.joining import clean, with_reading
from tebiki.importer.outcomes import Document
from tebiki.importer.readers.word_styles import W, WordLists, WordStyles, number_of, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree import ElementTree as ET

    from tebiki.importer.blocks import Block
    from tebiki.importer.readers.archives import Archive

COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
MATHS = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
CORE_TITLE = "{http://purl.org/dc/elements/1.1/}title"
CORE = "docProps/core.xml"
BODY = "word/document.xml"
NOTES = (("word/footnotes.xml", "footnote", ""), ("word/endnotes.xml", "endnote", "e"))
"""Where notes are, what each is called, and what is put before its number."""

LEFT_OUT = frozenset(
    [f"{W}del", f"{W}moveFrom", f"{W}instrText", f"{W}delText", f"{W}pPr", f"{W}rPr", f"{W}pict"]
)
WRAPPERS = frozenset([f"{W}sdt", f"{W}sdtContent", f"{W}customXml"])
PLAIN = {f"{W}tab": " ", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}ptab": " "}
RUBIES = re.compile("(?:\ue000[^\ue000-\ue002]*\ue001[^\ue000-\ue002]*\ue002)+")
"""Words and readings between marks that no text has once it is cleaned."""

NO_NOTES = frozenset(["separator", "continuationSeparator", "continuationNotice"])


def read_docx(archive: Archive) -> Document:
    """Read a Word document.

    Raises:
        Unreadable: its parts are missing or broken.
    """
    body = archive.xml(BODY).find(f"{W}body")
    reader = _Reader(
        WordStyles(archive.optional_xml("word/styles.xml")),
        WordLists(archive.optional_xml("word/numbering.xml")),
    )
    blocks = list(reader.blocks(body)) if body is not None else []
    for part, name, prefix in NOTES:
        root = archive.optional_xml(part)
        blocks += _notes(reader, root, name, prefix) if root is not None else []
    return Document(blocks, title=core_title(archive))


def core_title(archive: Archive) -> str:
    """The title that an Office document has in its properties."""
    root = archive.optional_xml(CORE)
    return (root.findtext(CORE_TITLE) or "").strip() if root is not None else ""


def _notes(reader: _Reader, root: ET.Element, name: str, prefix: str) -> Iterator[Block]:
    for note in root.findall(f"{W}{name}"):
        if note.get(f"{W}type", "") not in NO_NOTES:
            words = " ".join(" ".join(map(reader.words, note.iter(f"{W}p"))).split())
            if words.strip():
                # A definition on one line; what is in it cannot begin anything else there.
                yield MarkdownBlock(f"[^{prefix}{note.get(f'{W}id', '')}]: {clean(words)}")


class _Reader:
    """Walks the body of a document; boxes of text come after the paragraph they hang on."""

    def __init__(self, styles: WordStyles, lists: WordLists) -> None:
        self._styles = styles
        self._lists = lists
        self._boxes: list[ET.Element] = []

    def blocks(self, parent: ET.Element) -> Iterator[Block]:
        """The blocks below an element."""
        for one in parent:
            if one.tag == f"{W}p":
                yield from self._paragraph(one)
            elif one.tag == f"{W}tbl":
                yield self._table(one)
                yield from self._hanging()
            elif one.tag not in LEFT_OUT:
                yield from self.blocks(one)

    def words(self, element: ET.Element) -> str:
        """The text in an element."""
        return RUBIES.sub(_join_ruby, "".join(self._pieces(element)))

    def _paragraph(self, one: ET.Element) -> Iterator[Block]:
        text = self.words(one).strip()
        if text:
            yield self._block(one.find(f"{W}pPr"), text)
        yield from self._hanging()

    def _block(self, properties: ET.Element | None, text: str) -> Block:
        style = value_of(properties, "pStyle")
        own = number_of(properties, "outlineLvl")
        level = self._styles.level(style) if own is None else own + 1
        if level is not None and level <= 9:  # noqa: PLR2004 -- as many as Word has
            return TitleLine(level, text)
        list_id, depth = self._styles.list_of(style)
        if own_list := value_of(properties, "numPr", "numId"):
            list_id, depth = own_list, number_of(properties, "numPr", "ilvl") or 0
        if list_id is not None and self._lists.knows(list_id):
            return ItemBlock(depth, text, self._lists.number(list_id, depth))
        return TextBlock(text)

    def _hanging(self) -> Iterator[Block]:
        while self._boxes:
            yield from self.blocks(self._boxes.pop(0))

    def _pieces(self, element: ET.Element) -> Iterator[str]:
        for one in element:
            tag = one.tag
            if tag in {f"{W}t", f"{MATHS}t"}:
                yield one.text or ""
            elif tag in PLAIN:
                yield PLAIN[tag]
            elif tag == f"{W}ruby":
                yield self._ruby(one)
            elif tag in {f"{W}footnoteReference", f"{W}endnoteReference"}:
                yield _reference(one)
            elif tag == f"{COMPATIBILITY}AlternateContent":
                # Both halves say the same in two ways.
                choice = one.find(f"{COMPATIBILITY}Choice")
                yield from self._pieces(choice if choice is not None else one)
            elif tag == f"{W}txbxContent":
                self._boxes.append(one)
            elif tag == f"{W}pict":
                # Old text boxes are a kind of picture.
                self._boxes += one.iter(f"{W}txbxContent")
            elif tag not in LEFT_OUT:
                yield from self._pieces(one)

    def _ruby(self, one: ET.Element) -> str:
        base, reading = one.find(f"{W}rubyBase"), one.find(f"{W}rt")
        words = self.words(base) if base is not None else ""
        said = self.words(reading).strip() if reading is not None else ""
        return f"\ue000{words}\ue001{said}\ue002"

    def _table(self, table: ET.Element) -> TableBlock:
        """A table; a merged cell's text stands in the first of its places."""
        rows: list[list[str]] = []
        for row in _inside(table, "tr"):
            cells = [""] * (number_of(row.find(f"{W}trPr"), "gridBefore") or 0)
            for cell in _inside(row, "tc"):
                properties = cell.find(f"{W}tcPr")
                merge = properties.find(f"{W}vMerge") if properties is not None else None
                goes_on = merge is not None and merge.get(f"{W}val") != "restart"
                cells.append("" if goes_on else self._cell(cell))
                cells += [""] * ((number_of(properties, "gridSpan") or 1) - 1)
            rows.append(cells)
        return TableBlock(rows)

    def _cell(self, cell: ET.Element) -> str:
        lines = [self.words(one) for one in cell.iter(f"{W}p")]
        return "\n".join(line for line in lines if line.strip())


def _join_ruby(found: re.Match[str]) -> str:
    """Readings that follow each other sign by sign, behind the whole word: no term is cut."""
    pairs = [part.partition("\ue001")[::2] for part in found[0].split("\ue002")]
    base = "".join(words.removeprefix("\ue000") for words, _ in pairs)
    return with_reading(base, "".join(said for _, said in pairs))


def _inside(parent: ET.Element, name: str) -> Iterator[ET.Element]:
    """The rows of a table or the cells of a row, those in fields and forms too."""
    for one in parent:
        if one.tag == f"{W}{name}":
            yield one
        elif one.tag in WRAPPERS:
            yield from _inside(one, name)


def _reference(one: ET.Element) -> str:
    prefix = "e" if one.tag.endswith("endnoteReference") else ""
    return f"[^{prefix}{one.get(f'{W}id', '')}]"

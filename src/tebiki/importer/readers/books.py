"""EPUB: the chapters in the order of the book's spine, each a page."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from tebiki.importer.outcomes import BROKEN, ENCRYPTED, Document, Unreadable
from tebiki.importer.readers.archives import resolve
from tebiki.importer.readers.pages import read_html

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

    from tebiki.importer.blocks import Block
    from tebiki.importer.readers.archives import Archive

CONTAINER = "META-INF/container.xml"
RIGHTS = "META-INF/rights.xml"
PAGES = frozenset(["application/xhtml+xml", "text/html"])


def read_epub(archive: Archive) -> Document:
    """Read a book.

    Raises:
        Unreadable: its parts are missing or locked.
    """
    if archive.has(RIGHTS):
        raise Unreadable(ENCRYPTED, "encrypted: the book is locked by its seller")
    package = _attribute(_all(archive.xml(CONTAINER), "rootfile"), "full-path")
    root = archive.xml(package)
    folder = package.rpartition("/")[0]
    items = {
        item.get("id", ""): resolve(folder, unquote(item.get("href", "")))
        for item in _all(root, "item")
        if item.get("media-type") in PAGES and item.get("properties", "") != "nav"
    }
    blocks: list[Block] = []
    for one in _all(root, "itemref"):
        name = items.get(one.get("idref", ""))
        if name is not None:
            blocks += read_html(archive.read(name)).blocks
    titles = ["".join(title.itertext()) for title in _all(root, "title")]
    return Document(blocks, title=titles[0] if titles else "")


def _all(root: ET.Element, name: str) -> list[ET.Element]:
    """Every element of a name, whatever its namespace."""
    return [one for one in root.iter() if one.tag.rpartition("}")[2] == name]


def _attribute(found: list[ET.Element], name: str) -> str:
    value = found[0].get(name) if found else None
    if not value:
        raise Unreadable(BROKEN)
    return value

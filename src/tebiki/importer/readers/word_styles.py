"""What a Word document says of its styles and lists: which are headings, which have numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET


W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
NAMED_LEVEL = re.compile(r"^(?:heading|見出し)\s*([1-9])$", re.IGNORECASE)
TITLES = frozenset(["title", "表題"])
BODY_LEVEL = 9
"""The outline level of ordinary text; those of headings count from 0."""

MOST_STEPS = 20
"""From a style to what it is based on; longer chains are circles."""


class WordStyle(NamedTuple):
    """A paragraph style: what it is based on, and what it says itself."""

    based_on: str
    name: str
    level: int | None
    list_id: str | None
    list_depth: int


class WordStyles:
    """The styles of a document, each with what it inherits."""

    def __init__(self, root: ET.Element | None) -> None:
        found = root.findall(f"{W}style") if root is not None else []
        self._styles = {one.get(f"{W}styleId", ""): _style(one) for one in found}

    def level(self, style_id: str) -> int | None:
        """The level of the heading that a style makes, from 1; None for ordinary text."""
        for style in self._chain(style_id):
            if style.level is not None:
                return style.level + 1 if style.level < BODY_LEVEL else None
            if named := NAMED_LEVEL.match(style.name):
                return int(named[1])
            if style.name.lower() in TITLES:
                return 1
        return None

    def list_of(self, style_id: str) -> tuple[str | None, int]:
        """The list that a style belongs to, and how deep in it."""
        for style in self._chain(style_id):
            if style.list_id is not None:
                return style.list_id, style.list_depth
        return None, 0

    def _chain(self, style_id: str) -> list[WordStyle]:
        chain: list[WordStyle] = []
        while style_id in self._styles and len(chain) < MOST_STEPS:
            chain.append(self._styles[style_id])
            style_id = chain[-1].based_on
        return chain


class WordLists:
    """The lists of a document: which of their levels have bullets, and what was counted so far."""

    def __init__(self, root: ET.Element | None) -> None:
        found = root if root is not None else ()
        kinds = {
            one.get(f"{W}abstractNumId", ""): _formats(one)
            for one in found
            if one.tag == f"{W}abstractNum"
        }
        self._formats: dict[str, dict[int, str]] = {}
        for one in found:
            if one.tag == f"{W}num":
                self._formats[one.get(f"{W}numId", "")] = kinds.get(
                    value_of(one, "abstractNumId"), {}
                )
        self._counted: dict[tuple[str, int], int] = {}

    def knows(self, list_id: str | None) -> bool:
        """Tell whether there is such a list; number 0 takes a paragraph out of its style's."""
        return list_id in self._formats

    def number(self, list_id: str, depth: int) -> int | None:
        """The number of the next item; None where items have bullets."""
        for counted in list(self._counted):
            if counted[0] == list_id and counted[1] > depth:
                del self._counted[counted]
        if self._formats[list_id].get(depth, "bullet") in {"bullet", "none"}:
            return None
        self._counted[list_id, depth] = self._counted.get((list_id, depth), 0) + 1
        return self._counted[list_id, depth]


def value_of(element: ET.Element | None, *names: str) -> str:
    """The value of an element along a path of names; nothing where there is none."""
    for name in names:
        element = element.find(f"{W}{name}") if element is not None else None
    return element.get(f"{W}val", "") if element is not None else ""


def number_of(element: ET.Element | None, *names: str) -> int | None:
    """As `value_of`, a number."""
    value = value_of(element, *names)
    return int(value) if value.isascii() and value.isdigit() else None


def _style(one: ET.Element) -> WordStyle:
    properties = one.find(f"{W}pPr")
    return WordStyle(
        value_of(one, "basedOn"),
        value_of(one, "name"),
        number_of(properties, "outlineLvl"),
        value_of(properties, "numPr", "numId") or None,
        number_of(properties, "numPr", "ilvl") or 0,
    )


def _formats(one: ET.Element) -> dict[int, str]:
    return {
        int(level.get(f"{W}ilvl", "0") or 0): value_of(level, "numFmt")
        for level in one.findall(f"{W}lvl")
        if level.get(f"{W}ilvl", "0").isdigit()
    }

"""Markdown as a tree of plain values, from which a page is built element by element.

Only what is listed here can be in the tree; raw HTML stays the text it is, and an address that is
not of the web or of the manual is not one. So nothing that a manual, a note or the web says can
become markup. Pure but for the parser.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from tebiki.screens.marks import pieces_of
from tebiki.values.unseen import without_unseen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from tebiki.screens.marks import Needle

Node = str | dict[str, Any]

BLOCKS = {
    "paragraph_open": "p",
    "bullet_list_open": "ul",
    "ordered_list_open": "ol",
    "list_item_open": "li",
    "blockquote_open": "blockquote",
    "table_open": "table",
    "thead_open": "thead",
    "tbody_open": "tbody",
    "tr_open": "tr",
    "th_open": "th",
    "td_open": "td",
}
SPANS = {"em_open": "em", "strong_open": "strong", "s_open": "s"}
BREAKS = {"softbreak", "hardbreak"}
SIGNS = frozenset("*_`[]<\\&~!")
"""A line without any of these says what it is written as."""

ALIGNMENT = re.compile(r"text-align:(left|center|right)")
WEB = re.compile(r"https?://[^\s<>\"'`\\]+", re.IGNORECASE)
MAIL = re.compile(r"mailto:[^\s<>\"'`\\]+", re.IGNORECASE)
LONGEST_ADDRESS = 2_000


class Leads(Protocol):
    """Tells where the links and pictures of a text lead; None where nowhere that is safe."""

    def link(self, address: str) -> str | None:
        """The address of the page for a link inside the manual or the vault."""

    def picture(self, address: str) -> tuple[str, bool] | None:
        """The address of a picture, and whether it can be shown; others are only downloaded."""


class Nowhere:
    """For a text whose addresses are all of the web."""

    def link(self, address: str) -> str | None:
        """Nothing inside."""
        del address
        return None

    def picture(self, address: str) -> tuple[str, bool] | None:
        """No pictures."""
        del address
        return None


def nodes_of(
    text: str, needles: tuple[Needle, ...] = (), leads: Leads | None = None, first_line: int = 1
) -> list[Node]:
    """A Markdown text as a tree; blocks carry the line at which they begin."""
    tokens = _parser().parse(text)
    return _Tree(needles, leads or Nowhere(), first_line).build(tokens)


def words_of(text: str) -> str:
    """What a line of Markdown says, without the signs that only dress it."""
    if SIGNS.isdisjoint(text):
        return text
    [line] = _parser().parseInline(text)
    return "".join(" " if one.type in BREAKS else one.content for one in line.children or [])


def plain_nodes(text: str, needles: tuple[Needle, ...], first_line: int) -> list[Node]:
    """A text that is no prose, as it stands."""
    return [_element("pre", _mark(text, needles), line=str(first_line))]


def said_nodes(text: str, level: int, needles: tuple[Needle, ...], first_line: int) -> list[Node]:
    """What a section of a web page says: its heading, if it has one, and paragraphs."""
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    tags = [f"h{level}" if level and not place else "p" for place in range(len(lines))]
    # Where it stands in the page is known of its beginning alone.
    places: list[dict[str, str]] = [{"line": str(first_line)}, *({} for _ in lines[1:])]
    return [
        _element(tag, _mark(line, needles), **place)
        for tag, line, place in zip(tags, lines, places, strict=False)
    ]


class _Tree:
    """Builds the tree of one text."""

    def __init__(self, needles: tuple[Needle, ...], leads: Leads, first_line: int) -> None:
        self._needles = needles
        self._leads = leads
        self._first_line = first_line

    def build(self, tokens: list[Token]) -> list[Node]:
        """The nodes of a list of tokens, in which each that opens is closed."""
        top: list[Node] = []
        open_lists = [top]
        for token in tokens:
            if token.nesting < 0:
                open_lists.pop()
            elif token.type == "inline":
                open_lists[-1].extend(self._inline(token.children or []))
            elif token.nesting > 0:
                if token.hidden:  # a paragraph of a tight list
                    open_lists.append(open_lists[-1])
                    continue
                node = self._block(token)
                open_lists[-1].append(node)
                open_lists.append(node["children"])
            else:
                open_lists[-1].append(self._leaf(token))
        return top

    def _block(self, token: Token) -> dict[str, Any]:
        tag = token.tag if token.type == "heading_open" else BLOCKS.get(token.type, "p")
        attributes = self._line(token)
        if tag == "ol" and (start := token.attrGet("start")) is not None:
            attributes["start"] = str(start)
        if (style := token.attrGet("style")) and (found := ALIGNMENT.fullmatch(str(style))):
            attributes["align"] = found[1]
        return _element(tag, [], **attributes)

    def _leaf(self, token: Token) -> Node:
        if token.type == "hr":
            return _element("hr", [], **self._line(token))
        text = _mark(token.content.removesuffix("\n"), self._needles)
        return _element("pre", text, **self._line(token))

    def _line(self, token: Token) -> dict[str, str]:
        return {} if token.map is None else {"line": str(token.map[0] + self._first_line)}

    def _inline(self, tokens: list[Token]) -> list[Node]:
        top: list[Node] = []
        open_lists = [top]
        for token in tokens:
            if token.nesting < 0:
                open_lists.pop()
            elif token.nesting > 0:
                node = self._span(token)
                open_lists[-1].append(node)
                open_lists.append(node["children"])
            else:
                open_lists[-1].extend(self._piece(token))
        return top

    def _span(self, token: Token) -> dict[str, Any]:
        if token.type != "link_open":
            return _element(SPANS.get(token.type, "span"), [])
        address = str(token.attrGet("href") or "")
        href = self._address(address)
        return _element("span", []) if href is None else _element("a", [], href=href)

    def _address(self, address: str) -> str | None:
        if len(address) > LONGEST_ADDRESS:
            return None
        if WEB.fullmatch(address) or MAIL.fullmatch(address):
            return address
        return self._leads.link(address)

    def _piece(self, token: Token) -> list[Node]:
        if token.type == "image":
            return self._picture(token)
        if token.type == "code_inline":
            return [_element("code", _mark(token.content, self._needles))]
        if token.type in BREAKS:
            return [_element("br", [])] if token.type == "hardbreak" else ["\n"]
        return _mark(token.content, self._needles)

    def _picture(self, token: Token) -> list[Node]:
        address, words = str(token.attrGet("src") or ""), token.content
        if WEB.fullmatch(address) and len(address) <= LONGEST_ADDRESS:
            # Never loaded by itself: whoever wrote the text would learn who reads it, and when.
            return [_element("a", [without_unseen(words) or address], href=address)]
        found = self._leads.picture(address) if len(address) <= LONGEST_ADDRESS else None
        if found is None:
            return _mark(words, self._needles)
        source, is_shown = found
        if is_shown:
            return [_element("img", [], src=source, alt=without_unseen(words))]
        return [_element("a", [without_unseen(words) or "SVG"], href=source)]


def _element(tag: str, children: list[Node], **attributes: str) -> dict[str, Any]:
    return {"tag": tag, "attrs": attributes, "children": children}


def _mark(text: str, needles: tuple[Needle, ...]) -> list[Node]:
    """Text with its words marked; signs that hide or turn around what is read are taken out."""
    return list(_pieces(without_unseen(text), needles))


def _pieces(text: str, needles: tuple[Needle, ...]) -> Iterator[Node]:
    for piece, is_marked in pieces_of(text, needles):
        yield _element("mark", [piece]) if is_marked else piece


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # not before somebody reads

    parser = MarkdownIt("commonmark", {"html": False})
    return parser.enable(["table", "strikethrough"])

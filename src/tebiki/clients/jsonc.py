"""Reading JSON, with or without comments, so that one can later edit its text: values and spans.

Numbers stay as they are written: what is compared or put back is never rounded.
Not here: any edit (`json_edits`).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

DEEPEST = 200
"""Levels of nesting; a settings file has a handful."""

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9A-Za-z_.])")
_WORDS = {"true": True, "false": False, "null": None}
_DECODER = json.JSONDecoder()


class NotReadable(Exception):
    """The text is not what it should be; says where."""


class JsonNumber(NamedTuple):
    """A number as it is written."""

    text: str


class JsonNode(NamedTuple):
    """A value with its place in the text; an object has members, with the commas after them."""

    value: Any
    start: int
    end: int
    members: tuple[JsonMember, ...] | None = None


class JsonMember(NamedTuple):
    """A key of an object, where it starts, its value, and where its comma is, if it has one."""

    key: str
    start: int
    node: JsonNode
    comma: int | None


def read(text: str, *, comments: bool) -> JsonNode:
    """Read a whole text.

    Raises:
        NotReadable: it is not JSON; or has comments or commas too many, where `comments` is false.
    """
    return _Reader(text, comments=comments).whole()


class _Reader:
    def __init__(self, text: str, *, comments: bool) -> None:
        self._text = text
        self._at = 0
        self._lenient = comments
        self._depth = 0

    def whole(self) -> JsonNode:
        self._pass_gap()
        node = self._value()
        self._pass_gap()
        if self._at != len(self._text):
            raise self._wrong("more text after the end")
        return node

    def _wrong(self, what: str) -> NotReadable:
        line = self._text.count("\n", 0, self._at) + 1
        return NotReadable(f"line {line}: {what}")

    def _pass_gap(self) -> None:
        """Go over white space, and over comments where there may be some."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if not self._text.startswith(("//", "/*"), self._at):
                return
            if not self._lenient:
                raise self._wrong("a comment, which this client does not read")
            closing = "\n" if self._text.startswith("//", self._at) else "*/"
            end = self._text.find(closing, self._at + 2)
            if end < 0 and closing == "*/":
                raise self._wrong("an unterminated comment")
            self._at = len(self._text) if end < 0 else end + len(closing)

    def _value(self) -> JsonNode:
        start = self._at
        sign = self._text[start : start + 1]
        if sign == "{":
            return self._read_nested(self._object)
        if sign == "[":
            return self._read_nested(self._array)
        if sign == '"':
            return JsonNode(self._string(), start, self._at)
        for word, value in _WORDS.items():
            if self._text.startswith(word, start):
                self._at += len(word)
                return JsonNode(value, start, self._at)
        found = _NUMBER.match(self._text, start)
        if found is None:
            raise self._wrong("a value is missing" if sign in ",}]" else "not a value")
        self._at = found.end()
        return JsonNode(JsonNumber(found.group()), start, self._at)

    def _read_nested(self, read_it: Callable[[int], JsonNode]) -> JsonNode:
        if self._depth == DEEPEST:
            raise self._wrong("too many levels")
        self._depth += 1
        self._at += 1
        node = read_it(self._at - 1)
        self._depth -= 1
        return node

    def _string(self) -> str:
        try:
            value, self._at = _DECODER.raw_decode(self._text, self._at)
        except json.JSONDecodeError as error:
            self._at = min(error.pos, len(self._text))
            raise self._wrong("a malformed string") from error
        return str(value)

    def _array(self, start: int) -> JsonNode:
        items: list[Any] = []
        comma = None
        while not self._closes("]", after_comma=comma is not None):
            items.append(self._value().value)
            comma = self._comma("]")
        return JsonNode(items, start, self._at)

    def _object(self, start: int) -> JsonNode:
        members: list[JsonMember] = []
        comma = None
        while not self._closes("}", after_comma=comma is not None):
            at = self._at
            if not self._text.startswith('"', at):
                raise self._wrong("a key must be a string")
            key = self._string()
            self._pass_gap()
            if not self._text.startswith(":", self._at):
                raise self._wrong("a colon is missing")
            self._at += 1
            self._pass_gap()
            node = self._value()
            comma = self._comma("}")
            members.append(JsonMember(key, at, node, comma))
        value = {member.key: member.node.value for member in members}
        return JsonNode(value, start, self._at, tuple(members))

    def _comma(self, closing: str) -> int | None:
        """Go over the comma after an item, which only the last may do without."""
        self._pass_gap()
        if self._text.startswith(",", self._at):
            self._at += 1
            return self._at - 1
        if not self._text.startswith(closing, self._at):
            raise self._wrong("a comma is missing")
        return None

    def _closes(self, closing: str, *, after_comma: bool) -> bool:
        self._pass_gap()
        if not self._text.startswith(closing, self._at):
            return False
        if after_comma and not self._lenient:
            raise self._wrong("a comma after the last item, which this client does not read")
        self._at += 1
        return True

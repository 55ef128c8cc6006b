"""Putting one entry into JSON text and taking it out, with every other byte left alone.

Comments, order, indentation, line ends and commas after the last item stay as they are.
"""

from __future__ import annotations

import json
from typing import Any

from tebiki.clients.jsonc import JsonMember, JsonNode, JsonNumber, NotReadable, read
from tebiki.named_tuples import NamedTuple

_DEFAULT_UNIT = "  "


class _Style(NamedTuple):
    """How a text is laid out; without a newline everything stands on one line."""

    newline: str
    unit: str


_ONE_LINE = _Style("", "")


def value_of(text: str, *, comments: bool) -> Any:
    """What a text says; an empty one says nothing yet.

    Raises:
        NotReadable: it is not JSON, or not an object.
    """
    if not text.strip():
        return {}
    value = read(text, comments=comments).value
    if not isinstance(value, dict):
        raise NotReadable("line 1: not an object")
    return value


def put(text: str, section: str, name: str, entry: dict[str, Any]) -> str:
    """Put an entry under its name into a section, in place of one that is there.

    Raises:
        NotReadable: the section is no object, or there are two of that name.
    """
    if not text.strip():
        newline = "\r\n" if "\r\n" in text else "\n"
        style = _Style(newline, _DEFAULT_UNIT)
        return _render({section: {name: entry}}, style, "") + newline
    root = read(text, comments=True)
    style = _style(text, root)
    outer = _member(root, section)
    if outer is None:
        return _insert(text, root, section, {name: entry}, style)
    inner = _member(_object(outer), name)
    if inner is None:
        return _insert(text, outer.node, name, entry, style)
    rendered = _render(entry, style, _indent(text, inner.start))
    return text[: inner.node.start] + rendered + text[inner.node.end :]


def drop(text: str, section: str, name: str) -> str:
    """Take an entry out; its section stays."""
    outer = _member(read(text, comments=True), section)
    inner = None if outer is None else _member(_object(outer), name)
    if outer is None or inner is None:
        return text
    members = outer.node.members or ()
    before = members[: members.index(inner)]
    if inner.comma is not None:
        return _without(text, inner.start, inner.comma + 1)
    text = _without(text, inner.start, inner.node.end)
    if before and before[-1].comma is not None:
        comma = before[-1].comma
        text = text[:comma] + text[comma + 1 :]
    return text


def _object(member: JsonMember) -> JsonNode:
    if member.node.members is None:
        raise NotReadable(f"{member.key} is not an object")
    return member.node


def _member(node: JsonNode, key: str) -> JsonMember | None:
    found = [member for member in node.members or () if member.key == key]
    if len(found) > 1:
        raise NotReadable(f"{key} stands there twice")
    return found[0] if found else None


def _style(text: str, root: JsonNode) -> _Style:
    inside = text[root.start : root.end]
    if "\n" not in inside and root.members:
        return _ONE_LINE
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = _indent(text, root.members[0].start) if root.members else ""
    unit = unit.removeprefix(_indent(text, root.start))
    return _Style(newline, unit or _DEFAULT_UNIT)


def _indent(text: str, at: int) -> str:
    """The white space that starts the line of a place."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _insert(text: str, node: JsonNode, key: str, value: Any, style: _Style) -> str:
    """Add a member at the end of an object."""
    members = node.members or ()
    inside = text[node.start : node.end]
    one_line = not style.newline or (bool(members) and "\n" not in inside)
    base = _indent(text, node.start)
    indent = base + style.unit
    if members and text[node.start : members[0].start].count("\n"):
        indent = _indent(text, members[0].start)
    closing = node.end - 1
    # What stands before the brace is a value, a comma or a comment; ours comes after it.
    tail = len(text[:closing].rstrip())
    style = _ONE_LINE if one_line else style
    added = f"{json.dumps(key, ensure_ascii=False)}: {_render(value, style, indent)}"
    lead = (" " if members else "") if one_line else style.newline + indent
    trailing = bool(members) and members[-1].comma is not None
    end = "" if one_line or "\n" in text[tail:closing] else style.newline + base
    new = f"{lead}{added}{',' if trailing else ''}{end}"
    if members and not trailing:
        last = members[-1].node.end
        return f"{text[:last]},{text[last:tail]}{new}{text[tail:]}"
    return text[:tail] + new + text[tail:]


def _without(text: str, start: int, end: int) -> str:
    """Cut a piece out, with its line if nothing else stands there."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end + 1
    alone = not text[line_start:start].strip() and not text[end:line_end].strip()
    if alone and line_start > 0:
        return text[:line_start] + text[line_end:]
    start = len(text[:start].rstrip(" \t"))
    return text[:start] + text[end:]


def _render(value: Any, style: _Style, indent: str) -> str:
    """A value as JSON text; lists, and all where there is no newline, stay on one line."""
    if isinstance(value, JsonNumber):
        return value.text
    if isinstance(value, list):
        return f"[{', '.join(_render(item, _ONE_LINE, '') for item in value)}]"
    if not isinstance(value, dict) or not value:
        readable = not isinstance(value, str) or value.isprintable()
        return json.dumps(value, ensure_ascii=not readable)
    deeper = indent + style.unit
    members = [
        f"{_render(key, style, '')}: {_render(item, style, deeper)}" for key, item in value.items()
    ]
    if not style.newline:
        return f"{{{', '.join(members)}}}"
    lines = f",{style.newline}{deeper}".join(members)
    return f"{{{style.newline}{deeper}{lines}{style.newline}{indent}}}"

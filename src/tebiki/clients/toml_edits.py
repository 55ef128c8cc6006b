"""Putting one table into TOML text and taking it out, with every other byte left alone.

A table here is a header line `[section.name]` with the lines below it. Tables written in another
way (inline, or by dotted keys) are read but not edited.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from tebiki.clients.jsonc import NotReadable
from tebiki.named_tuples import NamedTuple

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEADER = re.compile(r"[ \t]*\[")
_STRINGS = ('"""', "'''", '"', "'")


class _Block(NamedTuple):
    """A table: its path, and where its header starts and its last line with a key ends."""

    path: tuple[str, ...]
    start: int
    end: int


def value_of(text: str) -> Any:
    """What a text says.

    Raises:
        NotReadable: it is not TOML.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Not only its own error: of a number of thousands of digits Python itself complains.
        raise NotReadable(str(error) or "too many levels") from error


def put(text: str, section: str, name: str, entry: dict[str, Any]) -> str:
    """Put an entry under its name into a section, in place of one that is there.

    Raises:
        NotReadable: it is written in a way that cannot be edited, or holds what cannot be kept.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    blocks = [block for block in _blocks(text) if block.path[:2] == (section, name)]
    own = [block for block in blocks if block.path == (section, name)]
    # Tables of their own below ours stay where they are; that of the variables is written anew.
    apart = {key for block in blocks for key in block.path[2:3]} - {"env"}
    values = {key: value for key, value in entry.items() if key not in apart}
    lines = [f"[{section}.{name}]", *(f"{key_of(k)} = {_value(v)}" for k, v in values.items())]
    table = newline.join(lines) + newline
    for block in reversed(blocks):
        if block.path == (section, name, "env"):
            text = _cut(text, block)
    if own:
        # The header of a table comes before those below it, or anywhere: its place is kept.
        block = next(b for b in _blocks(text) if b.path == (section, name))
        return text[: block.start] + table + text[block.end :]
    if text and not text.endswith("\n"):
        text += newline
    return text + (newline if text.strip() else "") + table


def drop(text: str, section: str, name: str) -> str:
    """Take an entry out, with the tables below it."""
    for block in reversed(_blocks(text)):
        if block.path[:2] == (section, name):
            text = _cut(text, block)
    return text


def key_of(name: str) -> str:
    """A key as TOML writes it."""
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _cut(text: str, block: _Block) -> str:
    """Take a table out, and the empty line before it."""
    before = text[: block.start]
    for newline in ("\r\n", "\n"):
        if before.endswith(newline * 2) or before == newline:
            return before.removesuffix(newline) + text[block.end :]
    return before + text[block.end :]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        # TOML's basic strings know all of JSON's escapes but for pairs of surrogates.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, dict):
        pairs = ", ".join(f"{key_of(key)} = {_value(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    return value.isoformat() if hasattr(value, "isoformat") else _refuse(value)


def _refuse(value: Any) -> str:
    raise NotReadable(f"a {type(value).__name__} that cannot be written")


def _blocks(text: str) -> list[_Block]:
    """Every table with a header, in order; `text` is valid TOML."""
    blocks: list[_Block] = []
    at = 0
    while at < len(text):
        end = _logical_end(text, at)
        line = text[at:end].strip()
        if line.startswith("["):
            blocks.append(_Block(_path(line), at, end))
        elif line and not line.startswith("#") and blocks:
            blocks[-1] = blocks[-1]._replace(end=end)
        at = end
    return blocks


def _path(header: str) -> tuple[str, ...]:
    """The keys of a header line."""
    value: Any = tomllib.loads(header)
    path: list[str] = []
    while isinstance(value, dict) and value:
        ((key, value),) = value.items()
        path.append(key)
    return tuple(path)


def _logical_end(text: str, at: int) -> int:
    """Where a line ends that may go on inside brackets and long strings."""
    depth = 0
    header = _HEADER.match(text, at) is not None
    while at < len(text):
        sign = text[at]
        quote = next((mark for mark in _STRINGS if text.startswith(mark, at)), None)
        if quote is not None:
            at = _string_end(text, at + len(quote), quote)
            continue
        if sign == "#":
            at = text.find("\n", at)
            if at < 0:
                return len(text)
            continue
        depth += (sign in "[{") - (sign in "]}")
        at += 1
        if sign == "\n" and (depth <= 0 or header):
            return at
    return len(text)


def _string_end(text: str, at: int, quote: str) -> int:
    escapes = quote[0] == '"'
    while at < len(text):
        if escapes and text[at] == "\\":
            at += 2
        elif text.startswith(quote, at):
            # A long string may end with up to two more of its own quotes.
            at += len(quote)
            while len(quote) > 1 and text.startswith(quote[0], at):
                at += 1
            return at
        else:
            at += 1
    return len(text)

"""A JSON text as readable nodes: objects and array items by path, small ones kept together.

The text is read once by a loop with a stack of its own, so that no depth of nesting can end the
process. Nodes part the text without gap or overlap. Not here: files, lines.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

from tebiki.manuals.limits import READABLE_CHARS
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_PATH = 400
"""Characters of a node's path; deeper ones are named by an object or array that holds them."""

MOST_DEPTH = 100_000
"""What is nested deeper takes more memory than its text is worth, and is no JSON to us."""

MEMBERS_AT_ONCE = 1_000
LONG_CHARS = 65_536

TOKEN = re.compile(
    r"[ \t\r\n]*(?:"
    # Possessive: a string of millions of escapes must not leave as many ways back.
    r"(?P<string>\"[^\"\\]*+(?:\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4})[^\"\\]*+)*+\")"
    r"|(?P<open>[{\[])|(?P<close>[}\]])|(?P<comma>,)|(?P<colon>:)"
    r"|(?P<scalar>(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null"
    r"|NaN|-?Infinity)(?![0-9A-Za-z_.+-])))"
)
BLANK = re.compile(r"[ \t\r\n]*")
TO_LINE_END = re.compile(r"[ \t]*(?:\r\n|\r|\n)")
ESCAPE = re.compile(r"(?:\\u[0-9a-fA-F]{4})++|\\[^u]")
PLAIN_NAME = re.compile(r"[^\W\d]\w*")
CLOSED_BY = {"{": "}", "[": "]"}
SHORT_ESCAPES = {"n": "\n", "t": " ", "r": " ", "b": " ", "f": " "}


class Node(NamedTuple):
    """Part of the text, from `start` up to `end`, the path to it and the keys on that path.

    No two nodes of a text have the same path.
    """

    start: int
    end: int
    path: str
    keys: tuple[str, ...]


class Member(NamedTuple):
    """A key of the top level object and where it stands."""

    key: str
    start: int


class Unparsable(ValueError):
    """The text is no JSON."""


def nodes(text: str, check: Callable[[], None] = lambda: None) -> list[Node]:
    """Part a JSON text into its nodes, in order; `check` is called often, and may raise.

    Raises:
        Unparsable: it is no JSON.
    """
    found = _name_apart(_part(_Reader(text).read(check)))
    starts = [0, *(_next_line(text, node.start) for node in found[1:])]
    ends = [*starts[1:], len(text)]
    return [
        Node(start, end, node.path, node.keys)
        for node, start, end in zip(found, starts, ends, strict=True)
    ]


def members(text: str, limit: int) -> list[Member]:
    """The first keys of the top level object, in order.

    Raises:
        Unparsable: it is no JSON.
    """
    reader = _Reader(text, limit)
    reader.read()
    return [Member(readable(key), start) for key, start in reader.keys]


def readable(text: str, check: Callable[[], None] = lambda: None) -> str:
    """The text with the escapes of its strings as the characters they stand for."""
    if "\\" not in text:
        return text

    def unescaped(escape: re.Match[str]) -> str:
        check()
        return _unescape(escape)

    return ESCAPE.sub(unescaped if len(text) > LONG_CHARS else _unescape, text)


def _unescape(escape: re.Match[str]) -> str:
    character = escape[0][1]
    if character != "u":
        return SHORT_ESCAPES.get(character, character)
    units = bytes.fromhex(escape[0].replace("\\u", ""))
    # A lone half of a pair is no character that could be stored or sent.
    return units.decode("utf-16-be", "replace").replace("\0", " ")


class _Run:
    """Neighbouring members: one, or as many small ones as are readable together.

    `inner` are the runs of a single member that is too large to be read as one.
    """

    __slots__ = ("count", "end", "inner", "last_name", "name", "start")

    def __init__(self, start: int, end: int, name: str | int, inner: list[_Run]) -> None:
        self.start = start
        self.end = end
        self.name = self.last_name = name
        self.count = 1
        self.inner = inner


class _Frame:
    """An object or array that is still open, as a member of the one around it."""

    __slots__ = ("closer", "count", "name", "runs", "start")

    def __init__(self, start: int, name: str | int, closer: str) -> None:
        self.start = start
        self.name = name
        self.closer = closer
        self.runs: list[_Run] = []
        self.count = 0

    def add(self, run: _Run) -> None:
        """Take the next member, together with its neighbours if that stays readable."""
        self.count += 1
        last = self.runs[-1] if self.runs else None
        if last and run.end - last.start <= READABLE_CHARS:
            last.end = run.end
            last.last_name = run.name
            last.count += 1
        else:
            self.runs.append(run)


class _Reader:
    """Reads a text into runs; keeps the first keys of the top level object by the way."""

    __slots__ = ("_frames", "_limit", "_text", "keys")

    def __init__(self, text: str, limit: int = 0) -> None:
        self._text = text
        self._limit = limit
        self._frames = [_Frame(0, "", "")]
        self.keys: list[tuple[str, int]] = []

    def read(self, check: Callable[[], None] = lambda: None) -> _Run:
        """Read the whole text as one member of nothing; `check` as above.

        Raises:
            Unparsable: it is no JSON.
        """
        at = self._value("", 0, 0)
        while len(self._frames) > 1:
            check()
            for _ in range(MEMBERS_AT_ONCE):
                at = self._member(at)
                if len(self._frames) == 1:
                    break
        if BLANK.fullmatch(self._text, at) is None:
            raise Unparsable
        return self._frames[0].runs[0]

    def _value(self, name: str | int, start: int, at: int) -> int:
        token = self._token(at)
        end = token.end()
        if token.lastgroup == "open" and len(self._frames) <= MOST_DEPTH:
            self._frames.append(_Frame(start, name, CLOSED_BY[token["open"]]))
        elif token.lastgroup in {"string", "scalar"}:
            self._frames[-1].add(_Run(start, end, name, []))
        else:
            raise Unparsable
        return end

    def _member(self, at: int) -> int:
        """Read the next member of the innermost open value, or its end."""
        frame = self._frames[-1]
        token = self._token(at)
        if token["close"] == frame.closer:
            return self._close(token.end())
        start = at
        if frame.count:
            if token.lastgroup != "comma":
                raise Unparsable
            start = token.end()
        if frame.closer == "]":
            return self._value(frame.count, start, start)
        return self._keyed(start)

    def _keyed(self, start: int) -> int:
        key = self._token(start)
        if key.lastgroup != "string":
            raise Unparsable
        colon = self._token(key.end())
        if colon.lastgroup != "colon":
            raise Unparsable
        name = key["string"][1:-1]
        if len(self._frames) == 2 and len(self.keys) < self._limit:  # noqa: PLR2004 -- the top level
            self.keys.append((name, key.start("string")))
        return self._value(name, start, colon.end())

    def _close(self, end: int) -> int:
        frame = self._frames.pop()
        is_large = end - frame.start > READABLE_CHARS
        inner = frame.runs if is_large else []
        self._frames[-1].add(_Run(frame.start, end, frame.name, inner))
        return end

    def _token(self, at: int) -> re.Match[str]:
        token = TOKEN.match(self._text, at)
        if token is None:
            raise Unparsable
        return token


class _Level(NamedTuple):
    """A run that is to be parted or given: where it begins, and what it is called."""

    run: _Run
    start: int
    path: str
    keys: tuple[str, ...]


def _part(top: _Run) -> list[Node]:
    """Part what is too large, depth first; what opens it goes with the first of its parts."""
    found: list[Node] = []
    waiting = [_Level(top, 0, "$", ())]
    while waiting:
        level = waiting.pop()
        inner = level.run.inner
        if not inner:
            found.append(Node(level.start, level.run.end, level.path, level.keys))
            continue
        starts = [level.start, *(run.start for run in inner[1:])]
        below = [_below(level, run, start) for run, start in zip(inner, starts, strict=True)]
        waiting.extend(reversed(below))
    return found


def _below(level: _Level, run: _Run, start: int) -> _Level:
    """A run within a level, named by its path while that is short enough."""
    is_whole = len(level.run.inner) == 1
    keys = level.keys
    if run.count > 1:
        path = level.path if is_whole else level.path + _steps(run)
    else:
        path = level.path + _step(run.name)
        keys = (*keys, readable(run.name)) if isinstance(run.name, str) else keys
    if len(path) > LONGEST_PATH:
        return _Level(run, start, level.path, level.keys)
    return _Level(run, start, path, keys)


def _step(name: str | int) -> str:
    if isinstance(name, int):
        return f"[{name}]"
    key = readable(name)
    return f".{key}" if PLAIN_NAME.fullmatch(key) else f"[{_quote(name)}]"


def _steps(run: _Run) -> str:
    """Neighbours: items as a slice, whose end is not in it; keys from the first to the last."""
    if isinstance(run.name, int):
        return f"[{run.name}:{run.name + run.count}]"
    return f"[{_quote(run.name)}..{_quote(str(run.last_name))}]"


def _quote(name: str) -> str:
    return json.dumps(readable(name), ensure_ascii=False)


def _name_apart(found: list[Node]) -> list[Node]:
    """Number those of one name: a key may be there twice, and what is deep has its holder's name.

    No path ends with a parenthesis by itself.
    """
    seen: Counter[str] = Counter()
    apart: list[Node] = []
    for node in found:
        seen[node.path] += 1
        number = seen[node.path]
        apart.append(node if number == 1 else node._replace(path=f"{node.path} ({number})"))
    return apart


def _next_line(text: str, start: int) -> int:
    """Where a node begins: after the comma before it, and after a line end that follows that."""
    line_end = TO_LINE_END.match(text, start)
    return line_end.end() if line_end else start

r"""Framing without I/O: bytes in, messages out, in both dialects.

Rules, per message, by its first byte that is not blank:
 1. `{` or `[` starts a *line*: everything up to the next newline.
 2. Anything else starts a *header block*: lines up to an empty one, then exactly Content-Length
    bytes. Lines that are no header are noise and are passed over, so a peer that stumbles does not
    take the next message with it; a line that starts like JSON ends the block by rule 1.
 3. A header block without a usable Content-Length is skipped.
 4. A message longer than the limit is reported and passed over without being kept.
Where a read happens to end never changes what is heard.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple
from tebiki.values.numerals import count_in

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_MESSAGE = 64 * 1024 * 1024
"""Bytes of one message: far above any tool call, far below what hurts the machine."""

LONGEST_HEADER_LINE = 8 * 1024
"""Bytes of one header line that are kept while its end is awaited; real ones have 25."""

UNBELIEVABLE_LENGTH = 10**15
"""A declared length that is a mistake and not a message."""

HEADER_TAIL = 256
"""Bytes at the end of a header line in which Content-Length is looked for."""

BOM = b"\xef\xbb\xbf"
BLANKS = b" \t\r\n"
INDENT = b" \t"
OPENERS = b"{["
CONTENT_LENGTH = b"content-length"
STRUCTURE = rb'\\.|["{}\[\]]'
"""What decides where a JSON value ends: brackets and quotes, minus the escaped ones."""


class Dialect(Enum):
    """How messages are parted."""

    FRAMED = "framed"
    LINE = "line"


class Message(NamedTuple):
    """One message, not yet parsed."""

    body: bytes
    dialect: Dialect


class TooLong(NamedTuple):
    """A message above the limit, passed over."""

    length: int
    dialect: Dialect


class SkippedHeader(NamedTuple):
    """A header block that named no usable length."""

    lines: int


Event = Message | TooLong | SkippedHeader


def frame(body: bytes, dialect: Dialect) -> bytes:
    """Wrap one outgoing message."""
    if dialect is Dialect.LINE:
        return body + b"\n"
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Decoder:
    """Turns a stream of bytes into messages; feed it in pieces of any size."""

    def __init__(self, longest: int = LONGEST_MESSAGE) -> None:
        self._longest = longest
        self._buffer = bytearray()
        self._scanned = 0  # bytes of the buffer already searched for a newline
        self._at_start = True
        self._passing_over = 0  # bytes of an overlong frame still to come
        self._overlong_line: int | None = None  # bytes seen of an overlong line
        self._body_length: int | None = None
        self._header_lines = 0
        self._declared: int | None = None
        self._mid_line = False  # the start of this header line was too long to keep

    def feed(self, data: bytes) -> Iterator[Event]:
        """Take what was read and yield what is complete."""
        self._buffer += data
        while True:
            before = len(self._buffer)
            events = self._next()
            yield from events
            if not events and (len(self._buffer) == before or not self._buffer):
                return

    def finish(self) -> Iterator[Event]:
        """Take the end of the input: a last line may lack its newline."""
        if self._body_length is None and not self._passing_over:
            yield from self.feed(b"\n")

    def _next(self) -> list[Event]:
        """Advance by one step: events, or some bytes consumed, or nothing to do yet."""
        if self._passing_over:
            self._pass_over()
            return []
        if self._overlong_line is not None:
            return self._pass_over_line()
        if self._body_length is not None:
            return self._take_body(self._body_length)
        if not self._mid_line and not self._skip_blanks():
            return []
        if not self._mid_line and self._buffer[0] in OPENERS:
            return self._take_line()
        return self._take_header_line()

    def _skip_blanks(self) -> bool:
        """Drop blanks before a message; False while nothing else is there."""
        if self._at_start and not self._drop_bom():
            return False
        # Inside a header block an empty line has a meaning; only an indent is passed over there.
        blanks = INDENT if self._header_lines else BLANKS
        if self._buffer and self._buffer[0] in blanks:
            kept = self._buffer.lstrip(blanks)
            del self._buffer[: len(self._buffer) - len(kept)]
            self._scanned = 0
        return bool(self._buffer)

    def _drop_bom(self) -> bool:
        """Pass over one leading byte order mark; False while it may still be coming."""
        head = bytes(self._buffer[: len(BOM)])
        if head != BOM and BOM.startswith(head):
            return False
        if head == BOM:
            del self._buffer[: len(BOM)]
        self._at_start = False
        return True

    def _take_line(self) -> list[Event]:
        self._leave_header_block()
        end = self._buffer.find(b"\n", self._scanned)
        if end < 0:
            self._scanned = len(self._buffer)
            if self._scanned > self._longest:
                self._overlong_line = self._scanned
                self._consume(self._scanned)
            return []
        if end > self._longest:
            self._consume(end + 1)
            return [TooLong(end, Dialect.LINE)]
        line = bytes(self._buffer[:end]).rstrip(BLANKS)
        if line[-1] in b"}]":
            self._consume(end + 1)
            return [Message(line, Dialect.LINE)]
        return self._take_glued(line, end)

    def _take_glued(self, line: bytes, end: int) -> list[Event]:
        """Take a line whose value does not end it: something else follows on the same line."""
        ends = value_ends(line)
        if not ends:
            self._consume(end + 1)
            return [Message(line, Dialect.LINE)]
        # A header after the value: a framed peer whose header block was unusable. It has not become
        # a line peer by that.
        is_framed = declared_length(line[ends[-1] :]) is not None
        dialect = Dialect.FRAMED if is_framed else Dialect.LINE
        starts = [0, *ends[:-1]]
        self._consume(ends[-1])
        return [
            Message(line[start:stop].strip(BLANKS), dialect)
            for start, stop in zip(starts, ends, strict=True)
        ]

    def _pass_over_line(self) -> list[Event]:
        seen = self._overlong_line or 0
        end = self._buffer.find(b"\n")
        if end < 0:
            self._overlong_line = seen + len(self._buffer)
            self._consume(len(self._buffer))
            return []
        self._overlong_line = None
        self._consume(end + 1)
        return [TooLong(seen + end, Dialect.LINE)]

    def _take_header_line(self) -> list[Event]:
        end = self._buffer.find(b"\n", self._scanned)
        if end < 0:
            self._scanned = len(self._buffer)
            if self._scanned > LONGEST_HEADER_LINE:
                # Noise without an end; a header glued to its tail is still found.
                self._consume(self._scanned - HEADER_TAIL)
                self._mid_line = True
            return []
        line = bytes(self._buffer[:end])
        is_empty = not self._mid_line and end <= LONGEST_HEADER_LINE and not line.strip(BLANKS)
        self._consume(end + 1)
        self._mid_line = False
        if not is_empty:
            self._header_lines += 1
            declared = declared_length(line[-HEADER_TAIL:])
            if declared is not None:
                self._declared = declared
            return []
        lines, declared = self._header_lines, self._declared
        self._leave_header_block()
        return self._begin_body(declared, lines)

    def _begin_body(self, declared: int | None, lines: int) -> list[Event]:
        if declared is None:
            return [SkippedHeader(lines)]
        if declared > self._longest:
            # Nobody can send that much: what follows is read as if nothing had been declared.
            self._passing_over = declared if declared < UNBELIEVABLE_LENGTH else 0
            return [TooLong(declared, Dialect.FRAMED)]
        self._body_length = declared
        return self._take_body(declared)

    def _take_body(self, length: int) -> list[Event]:
        if len(self._buffer) < length:
            return []
        body = bytes(self._buffer[:length])
        self._consume(length)
        self._body_length = None
        return [Message(body, Dialect.FRAMED)]

    def _pass_over(self) -> None:
        dropped = min(self._passing_over, len(self._buffer))
        self._passing_over -= dropped
        self._consume(dropped)

    def _leave_header_block(self) -> None:
        self._header_lines = 0
        self._declared = None

    def _consume(self, length: int) -> None:
        del self._buffer[:length]
        self._scanned = 0


def declared_length(line: bytes) -> int | None:
    """What a Content-Length header says; noise may stand before it on the line."""
    noise, name, value = line.lower().rpartition(CONTENT_LENGTH)
    colon, digits = value.strip(BLANKS)[:1], value.strip(BLANKS)[1:].strip(BLANKS)
    if not name or colon != b":" or not digits.isdigit():
        return None
    glued_to_a_word = noise[-1:].isalnum() or noise[-1:] == b"-"
    return None if glued_to_a_word else min(count_in(digits), UNBELIEVABLE_LENGTH)


def value_ends(text: bytes) -> list[int]:
    """Where each of the JSON values that follow one another in a text closes."""
    ends = []
    depth = 0
    in_string = False
    for token in re.finditer(STRUCTURE, text, re.DOTALL):
        sign = token[0]
        if in_string:
            in_string = sign != b'"'
        elif sign == b'"':
            in_string = depth > 0
        elif sign in (b"{", b"["):
            depth += 1
        elif sign in (b"}", b"]") and depth:
            depth -= 1
            if depth == 0:
                ends.append(token.end())
    return ends

"""The one text model: lines end at LF, CRLF or CR; offsets count code points of the stored text.

A file is decoded in blocks. An index of checkpoints (bytes, characters and line ends before each
block) makes any place in it cost one block, however large the file is.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, BinaryIO

from tebiki.errors import Conflict
from tebiki.files.clusters import is_boundary, last_boundary
from tebiki.files.encodings import LONGEST_MARK, Encoding, detect, evidence
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Check = Callable[[int], None]

BLOCK_BYTES = 65_536
LINE_END = re.compile(r"\r\n|\r|\n")


class Checkpoint(NamedTuple):
    """What lies before a block: bytes (the mark included), characters, line ends."""

    bytes: int
    chars: int
    line_ends: int


class Index(NamedTuple):
    """Where things are in a file; `lines` does not count an empty one after the last line end."""

    encoding: Encoding
    checkpoints: tuple[Checkpoint, ...]
    chars: int
    lines: int


def _go_on(_read: int) -> None:
    """Whoever reads has all the time."""


def index_of(file: BinaryIO, block_bytes: int = BLOCK_BYTES, check: Check = _go_on) -> Index:
    """Read a file through once and remember where its blocks begin.

    `check` is called after each block with how much was read, and may raise to end the work.

    Raises:
        InvalidArguments: its encoding is not known.
    """
    found: dict[Encoding, Index] = {}

    def sample(encoding: Encoding) -> str | None:
        indexed = _index_file(file, encoding, block_bytes, check)
        if indexed is None:
            return None
        found[encoding], text = indexed
        return text

    file.seek(0)
    return found[detect(file.read(LONGEST_MARK), sample)]


def count_line_ends(text: str) -> int:
    """Count LF, CRLF and CR, a CRLF once."""
    if "\r" not in text:
        return text.count("\n")
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def cut(text: str, limit: int) -> int:
    """How much of a text longer than `limit` makes a page.

    Up to the last line end in the last quarter, else to the end of a grapheme cluster; a cluster
    that is longer than the page is cut, a CRLF never is.
    """
    # One character more is seen than taken, to know whether it belongs to the one before.
    seen = text[: limit + 1]
    for at in range(limit, limit * 3 // 4, -1):
        if seen[at - 1] in "\r\n" and is_boundary(seen, at):
            return at
    at = last_boundary(seen, limit)
    return at + 1 if seen[at - 1 : at + 1] == "\r\n" else at


class FileText:
    """The text of an open file, read where it is asked for; `check` as above.

    `digest` is the hash of its bytes, for whoever asked for one.
    """

    __slots__ = ("_check", "_file", "digest", "index")

    def __init__(
        self, file: BinaryIO, index: Index, check: Check = _go_on, digest: str = ""
    ) -> None:
        self.digest = digest
        self._file = file
        self._check = check
        self.index = index

    def slice(self, start: int, stop: int) -> str:
        """The characters from one offset up to another."""
        points = self.index.checkpoints
        at = bisect_right(points, start, key=lambda point: point.chars) - 1
        skipped = start - points[at].chars
        wanted = skipped + stop - start
        pieces: list[str] = []
        for piece in self._from(points[at]):
            pieces.append(piece)
            wanted -= len(piece)
            if wanted <= 0:
                break
        return "".join(pieces)[skipped : skipped + stop - start]

    def start_of_line(self, line: int) -> int:
        """The offset at which a line begins; the line after the last begins at the end."""
        if line > self.index.lines:
            return self.index.chars
        points = self.index.checkpoints
        # The last block that fewer line ends lie before than before the line.
        at = bisect_right(points, line - 2, key=lambda point: point.line_ends) - 1
        if line == 1 or at < 0:
            return 0
        to_pass = line - 1 - points[at].line_ends
        block = self._block(at)
        for number, end in enumerate(LINE_END.finditer(block), 1):
            if number == to_pass:
                return points[at].chars + end.end()
        return self.index.chars

    def line_at(self, offset: int) -> int:
        """The number of the line with the character at that offset; at the end, of the last."""
        points = self.index.checkpoints
        at = bisect_right(points, offset, key=lambda point: point.chars) - 1
        block, inner = self._block(at), offset - points[at].chars
        line = points[at].line_ends + count_line_ends(block[:inner]) + 1
        if block[max(inner - 1, 0) : inner + 1] == "\r\n":
            line -= 1  # the LF belongs to the line its CR ends
        return max(1, min(line, self.index.lines))

    def _block(self, at: int) -> str:
        points = self.index.checkpoints
        stop = points[at + 1].chars if at + 1 < len(points) else self.index.chars
        return self.slice(points[at].chars, stop)

    def _from(self, point: Checkpoint) -> Iterator[str]:
        self._file.seek(point.bytes)
        decoder = codecs.getincrementaldecoder(self.index.encoding.codec)()
        try:
            read = 0
            while block := self._file.read(BLOCK_BYTES):
                read += len(block)
                self._check(read)
                yield decoder.decode(block)
        except UnicodeDecodeError as error:
            # It was all readable when it was indexed.
            raise Conflict("The file was changed while it was read; read it again.") from error


def _index_file(
    file: BinaryIO, encoding: Encoding, block_bytes: int, check: Check
) -> tuple[Index, str] | None:
    """Index a file as that encoding, with what tells it from others; None when it is not."""
    points: list[Checkpoint] = []
    sample = ""
    chars = line_ends = 0
    last = ""
    try:
        for at, text in _blocks(file, encoding, block_bytes, check):
            if encoding.is_legacy and "\0" in text:
                return None
            points.append(Checkpoint(at, chars, line_ends))
            sample = evidence(text, encoding, sample)
            chars += len(text)
            line_ends += count_line_ends(text)
            last = text[-1:] or last
    except UnicodeDecodeError:
        return None
    lines = line_ends + (1 if last and last not in "\r\n" else 0)
    beginning = points or [Checkpoint(len(encoding.mark), 0, 0)]
    return Index(encoding, tuple(beginning), chars, lines), sample


def _blocks(
    file: BinaryIO, encoding: Encoding, block_bytes: int, check: Check
) -> Iterator[tuple[int, str]]:
    """Decode a file block by block, each with where it begins; none ends between CR and LF."""
    at = len(encoding.mark)
    file.seek(at)
    decoder = codecs.getincrementaldecoder(encoding.codec)()
    held = ""
    read = at
    while block := file.read(block_bytes):
        read += len(block)
        check(read)
        text = held + decoder.decode(block)
        held = "\r" if text.endswith("\r") else ""
        text = text.removesuffix("\r")
        if text:
            yield at, text
        at = read - len(decoder.getstate()[0]) - len(held) * encoding.unit
    text = held + decoder.decode(b"", final=True)
    if text:
        yield at, text

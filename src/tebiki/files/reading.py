"""Pages and cursors over the text model: what part of a file a reader gets, and where it goes on.

A page's end is the first character that was not given, so reading on skips and repeats nothing.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from tebiki.errors import InvalidArguments
from tebiki.files.handles import look_of
from tebiki.files.limits import MOST_CHARS
from tebiki.files.paths import translate_os_errors
from tebiki.files.patience import ENDLESS, check_bytes
from tebiki.files.text import BLOCK_BYTES, FileText, Index, cut, index_of
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.files.names import RelativePath
    from tebiki.files.paths import Root
    from tebiki.files.patience import Patience
    from tebiki.files.text import Check

SMALL_BYTES = 1024 * 1024
"""Up to this size a file is indexed anew each time, which takes no time worth a doubt."""

SETTLED_SECONDS = 2.0
"""A file changed within this time may change again without its times showing it."""

MOST_INDEXES = 32


class Cursor(NamedTuple):
    """Where to read on; the offset has authority over the line. At the end there is no more."""

    start_line: int | None = None
    char_offset: int | None = None
    is_end: bool = False


class Page(NamedTuple):
    """Part of a text: its lines, where it ends, and whether the limit cut it or the file ended."""

    text: str
    first_line: int
    last_line: int
    end: int
    is_cut: bool
    is_last: bool
    encoding: str

    @property
    def next_offset(self) -> int | None:
        """The first character not given; None at the end of the file."""
        return None if self.is_last else self.end


class Texts:
    """The texts below a root; remembers the indexes of large files.

    With `hashes` each text has that of its bytes, made before anything of it is given: whoever gets
    text that is newer than its hash is told so by the next comparison.
    """

    __slots__ = ("_clock", "_hashes", "_indexes", "_lock", "_root")

    def __init__(self, root: Root, clock: Callable[[], float], *, hashes: bool = False) -> None:
        self._root = root
        self._clock = clock
        self._hashes = hashes
        self._indexes: OrderedDict[tuple[int, ...], tuple[Index, str]] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def open(self, path: RelativePath, patience: Patience = ENDLESS) -> Iterator[FileText]:
        """Open a file's text; whoever waits for it is asked between its blocks.

        Raises:
            NotFound: there is no such file.
            InvalidPath: it is no regular file.
            Forbidden: a link is on the way.
            InvalidArguments: its encoding is not known, or it is too large.
            Conflict: nobody waits for it any more.
        """

        def check(read: int) -> None:
            patience.check()
            # What is read may grow meanwhile, or tell no size at all.
            check_bytes(read, str(path))

        with self._root.regular_file(path) as file, translate_os_errors(str(path)):
            check_bytes(os.fstat(file.fileno()).st_size, str(path))
            index, digest = self._index(file, check)
            yield FileText(file, index, check, digest)

    def _look_through(self, file: BinaryIO, check: Check) -> tuple[Index, str]:
        digest = digest_of(file, check) if self._hashes else ""
        return index_of(file, check=check), digest

    def _index(self, file: BinaryIO, check: Check) -> tuple[Index, str]:
        status = os.fstat(file.fileno())
        if status.st_size <= SMALL_BYTES:
            return self._look_through(file, check)
        identity = _identity(status)
        with self._lock:
            if known := self._indexes.get(identity):
                self._indexes.move_to_end(identity)
                return known
        known = self._look_through(file, check)
        unchanged = _identity(os.fstat(file.fileno())) == identity
        if unchanged and self._clock() - status.st_mtime > SETTLED_SECONDS:
            with self._lock:
                self._indexes[identity] = known
                if len(self._indexes) > MOST_INDEXES:
                    self._indexes.popitem(last=False)
        return known


def digest_of(file: BinaryIO, check: Check) -> str:
    """The SHA-256 of a file's bytes; `check` is called after each block, and may raise."""
    import hashlib  # not for texts that nobody changes

    found, read = hashlib.sha256(), 0
    file.seek(0)
    while block := file.read(BLOCK_BYTES):
        read += len(block)
        check(read)
        found.update(block)
    return found.hexdigest()


def page(text: FileText, start: int, stop: int | None = None, limit: int = MOST_CHARS) -> Page:
    """Read from an offset on, up to another or the end, at most a page."""
    index = text.index
    stop = index.chars if stop is None else stop
    seen = text.slice(start, min(stop, start + limit) + 1)
    is_cut = stop - start > limit
    taken = seen[: cut(seen, limit)] if is_cut else seen[: stop - start]
    end = start + len(taken)
    first = text.line_at(start)
    return Page(
        text=taken,
        first_line=first,
        last_line=text.line_at(end - 1) if taken else first,
        end=end,
        is_cut=is_cut and end < stop,
        is_last=end >= index.chars,
        encoding=index.encoding.label,
    )


def lines_page(
    text: FileText, start_line: int | None, end_line: int | None, limit: int = MOST_CHARS
) -> Page:
    """Read a range of lines, at most a page; a missing end means the first or the last line.

    Raises:
        InvalidArguments: there is no such range in the file.
    """
    if end_line is not None and end_line < 1:
        raise InvalidArguments(f"end_line is {end_line}; lines count from 1.")
    first = 1 if start_line is None else start_line
    if end_line is not None and first > end_line:
        raise InvalidArguments(f"start_line {first} is after end_line {end_line}; swap them.")
    start = line_offset(text, first)
    stop = None if end_line is None else text.start_of_line(end_line + 1)
    return page(text, start, stop, limit)


def cursor_offset(text: FileText, start_line: int | None, cursor: Cursor) -> int:
    """Where a scan begins: the line, else the cursor's offset or end, else its line, else at first.

    Raises:
        InvalidArguments: it is not in the file.
    """
    if start_line is None and cursor.is_end:
        return text.index.chars
    if start_line is None and cursor.char_offset is not None:
        offset = cursor.char_offset
        if not 0 <= offset <= text.index.chars:
            raise InvalidArguments(
                f"char_offset is {offset}; the file has offsets 0 to {text.index.chars}."
            )
        return offset
    line = cursor.start_line if start_line is None else start_line
    return 0 if line is None else line_offset(text, line)


def line_offset(text: FileText, line: int) -> int:
    """Where a line begins; an empty file has an empty line 1.

    Raises:
        InvalidArguments: the file has no such line.
    """
    last = max(1, text.index.lines)
    if not 1 <= line <= last:
        raise InvalidArguments(f"start_line is {line}; the file has lines 1 to {last}.")
    return text.start_of_line(line)


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, *look_of(status)

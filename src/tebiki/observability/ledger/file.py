"""The ledger on disk: whole lines appended, followed as it grows, begun anew when it is large.

Several processes write at once. Each line is one `write` with O_APPEND; the lock beside the file
makes "look and then write" one step. Both are waited for, so this is work for a thread that no call
waits for. The file and the lock are never links, and only their owner reads them.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple
from tebiki.observability.ledger.entries import LONGEST_LINE, read_line
from tebiki.observability.ledger.tally import Tally
from tebiki.system.file_locks import lock, unlock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.observability.ledger.entries import Record

LARGEST_FILE = 4 * 1024 * 1024
"""Bytes: some ten thousand calls."""

OLD_FILES = 3
"""Earlier files kept beside it; the oldest goes when there is one more."""

CHUNK = 1 << 20

TIME_START = b'{"time":"'
"""How each of our lines begins; the day follows."""

_SAFE = (
    getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # opening a pipe that someone put there must not wait
    | getattr(os, "O_BINARY", 0)
)


class LedgerPosition(NamedTuple):
    """How far a ledger has been read: which file, and how many bytes of it."""

    file: tuple[int, int] | None = None
    offset: int = 0


class LedgerFile:
    """One ledger; its methods may block and raise `OSError`."""

    def __init__(self, path: str, largest: int = LARGEST_FILE) -> None:
        self.path = path
        self._largest = largest

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes out."""
        os.makedirs(os.path.dirname(self.path) or ".", mode=0o700, exist_ok=True)
        descriptor = _open_file(f"{self.path}.lock", os.O_RDWR | os.O_CREAT)
        try:
            lock(descriptor)
            try:
                self._finish_beginning()
                yield
            finally:
                unlock(descriptor)
        finally:
            os.close(descriptor)

    def append(self, record: Record, now: float) -> None:
        """Add a line, perhaps to a new file; only while holding the lock."""
        line = record.line()
        if self._size() + len(line) > self._largest:
            # Where that cannot be done, a file that is too large is better than none.
            with suppress(OSError):
                self._begin_anew(now)
        _append(self.path, line)

    def try_out(self) -> bool:
        """See whether a line could be added, adding none; false when there is no ledger yet."""
        try:
            os.close(_open_file(self.path, os.O_WRONLY | os.O_APPEND))
        except FileNotFoundError:
            return False
        return True

    def follow(
        self, place: LedgerPosition, take_line: Callable[[bytes], None]
    ) -> LedgerPosition | None:
        """Hand over each whole line after a place; None when it is no longer the same file."""
        try:
            descriptor = _open_file(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return place if place == LedgerPosition() else None
        try:
            facts = os.fstat(descriptor)
            here = (facts.st_dev, facts.st_ino)
            if place != LedgerPosition() and (place.file != here or facts.st_size < place.offset):
                return None
            return LedgerPosition(here, _lines_from(descriptor, place.offset, take_line))
        finally:
            os.close(descriptor)

    def every_line(self, take_line: Callable[[bytes], None]) -> None:
        """Hand over each line of the ledger and of the files before it, oldest first."""
        for path in (*(f"{self.path}.{n}" for n in range(OLD_FILES, 0, -1)), self.path):
            try:
                descriptor = _open_file(path, os.O_RDONLY)
            except FileNotFoundError:
                continue
            try:
                _lines_from(descriptor, 0, take_line, last_too=True)
            finally:
                os.close(descriptor)

    def _size(self) -> int:
        try:
            return os.lstat(self.path).st_size
        except FileNotFoundError:
            return 0

    def _finish_beginning(self) -> None:
        """Put the new file of a process that died on the way where it belongs: it has the sum."""
        new = f"{self.path}.new"
        if os.path.islink(new) or not os.path.isfile(new):
            return
        if os.path.lexists(self.path):
            os.unlink(new)  # nothing was moved yet
        else:
            os.replace(new, self.path)

    def _begin_anew(self, now: float) -> None:
        """Put the file aside; the new one opens with what the caps need to know of this day."""
        tally = Tally()

        def add(line: bytes) -> None:
            record = read_line(line)
            if record is not None:
                tally.take(record)

        self.follow(LedgerPosition(), add)
        new = f"{self.path}.new"
        # Written before anything is moved: a full disk must not cost the sum.
        _append(new, b"".join(record.line() for record in tally.carried(now)))
        for number in range(OLD_FILES - 1, 0, -1):
            if os.path.lexists(f"{self.path}.{number}"):
                os.replace(f"{self.path}.{number}", f"{self.path}.{number + 1}")
        os.replace(self.path, f"{self.path}.1")
        os.replace(new, self.path)


def is_before(line: bytes, day: str) -> bool:
    """Tell without parsing whether a line of ours is of an earlier day."""
    start = len(TIME_START)
    return line.startswith(TIME_START) and line[start : start + len(day)] < day.encode("ascii")


def _open_file(path: str, mode: int) -> int:
    """Open a regular file, made for its owner alone.

    Raises:
        OSError: it cannot be opened, or is something else.
    """
    descriptor = os.open(path, mode | _SAFE, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is no regular file")
    return descriptor


def _append(path: str, data: bytes) -> None:
    descriptor = _open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        size = os.fstat(descriptor).st_size
        if size and _byte_at(descriptor, size - 1) != b"\n":
            # Someone died in the middle of a line, or the disk was full: that line is lost.
            data = b"\n" + data
        if os.write(descriptor, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(descriptor)


def _byte_at(descriptor: int, offset: int) -> bytes:
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, 1)


def _lines_from(
    descriptor: int, offset: int, take_line: Callable[[bytes], None], *, last_too: bool = False
) -> int:
    """Hand over whole lines; gives the offset after the last of them."""
    os.lseek(descriptor, offset, os.SEEK_SET)
    rest = b""
    while chunk := os.read(descriptor, CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            offset += len(line) + 1
            take_line(line)
        if len(rest) > LONGEST_LINE + CHUNK:
            # No line of ours: passed over without being kept, its end is one broken line.
            offset += len(rest)
            rest = b""
    if last_too and rest:
        take_line(rest)
    return offset

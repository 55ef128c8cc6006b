"""The journal: one JSON line for each write, on disk before the write takes effect.

A second file names the entries that took effect. Where a crash left an entry without that mark, the
hashes of the file and of later entries tell. How a write is taken back is not here (`undo`).
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, cast

from tebiki.errors import Conflict, NotFound, TebikiError
from tebiki.files import handles, locks
from tebiki.files.handles import Kind, kind_of
from tebiki.files.names import RelativePath
from tebiki.files.paths import told
from tebiki.named_tuples import NamedTuple
from tebiki.vault.areas import JOURNAL
from tebiki.vault.entries import from_line, to_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.files.handles import Folder
    from tebiki.files.paths import Root
    from tebiki.vault.entries import Entry

ENTRIES = "entries.jsonl"
DONE = "done.jsonl"
BLOCK_BYTES = 1024 * 1024


def digest(data: bytes) -> str:
    """The hash by which the journal knows a file's bytes."""
    return hashlib.sha256(data).hexdigest()


class _Counted(NamedTuple):
    """How many lines a file was seen to have, so that only what was added is counted."""

    inode: int = 0
    size: int = 0
    lines: int = 0


class Pen:
    """The journal while it is open for one write."""

    __slots__ = ("_count", "_entries", "_folder")

    def __init__(
        self, folder: Folder, entries: int, count: Callable[[int], tuple[int, bytes]]
    ) -> None:
        self._folder = folder
        self._entries = entries
        self._count = count

    def append(self, entry: Entry) -> Entry:
        """Write an entry ahead of what it describes; gives it with its number.

        Raises:
            Conflict: the journal cannot be written.
        """
        descriptor = self._entries
        with _unwritable():
            with locks.locked(descriptor, "The journal"):
                number, gap = self._count(descriptor)
                numbered = entry._replace(entry=number)
                line = gap + to_line(numbered)
                if os.write(descriptor, line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            handles.sync_file(descriptor)
            if number == 1:
                self._folder.sync()
        return numbered

    def mark_done(self, entry: Entry) -> None:
        """Note that an entry took effect; without the mark, the hashes tell."""
        line = json.dumps({"entry": entry.entry}).encode() + b"\n"
        # The write itself is safe and must not be reported as failed.
        with suppress(Conflict), _unwritable(), _appendable(self._folder, DONE) as descriptor:
            os.write(descriptor, line)


class Journal:
    """The journal of one vault, shared with every process that writes to it."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._counted = _Counted()

    @contextmanager
    def open(self) -> Iterator[Pen]:
        """Open the journal for one write.

        Raises:
            Conflict: it cannot be written.
        """
        with ExitStack() as held:
            with _unwritable():
                folder, _ = held.enter_context(self._root.folder(JOURNAL, make=True))
                # Now, and not when it is needed: what cannot be opened must stop the write before
                # that makes a folder.
                entries = held.enter_context(_appendable(folder, ENTRIES))
            yield Pen(folder, entries, self._count)

    def entries(self, hash_now: Callable[[str], str | None]) -> list[Entry]:
        """Every entry, oldest first, each with whether it took effect.

        `hash_now` gives the hash of a path's present bytes.
        """
        lines = [from_line(line) for line in self._lines(ENTRIES)]
        marked = {_number(line) for line in self._lines(DONE)}
        next_before: dict[str, str | None] = {}
        shown: list[Entry] = []
        for entry in reversed([entry for entry in lines if entry is not None]):
            if entry.entry in marked:
                done = True
            elif entry.path in next_before:
                done = next_before[entry.path] == entry.after
            else:
                done = hash_now(entry.path) == entry.after
            next_before[entry.path] = entry.before
            shown.append(entry._replace(done=done))
        return shown[::-1]

    def entry(self, number: int, hash_now: Callable[[str], str | None]) -> Entry:
        """The entry of that number.

        Raises:
            NotFound: there is none.
        """
        for entry in self.entries(hash_now):
            if entry.entry == number:
                return entry
        raise NotFound(f"The journal has no entry {number}; the log lists the entries.")

    def _count(self, descriptor: int) -> tuple[int, bytes]:
        """The number of the next line, and what must be written before it.

        What a killed writer left unfinished is ended, so that it costs its own line only.
        """
        status = os.fstat(descriptor)
        seen = self._counted
        if seen.inode != status.st_ino or seen.size > status.st_size:
            seen = _Counted(status.st_ino)
        lines, last = seen.lines, b"\n"
        os.lseek(descriptor, max(0, seen.size - 1), os.SEEK_SET)
        if seen.size:
            last = os.read(descriptor, 1)
        while block := os.read(descriptor, BLOCK_BYTES):
            lines += block.count(b"\n")
            last = block[-1:]
        self._counted = _Counted(status.st_ino, status.st_size, lines)
        return (lines + 1, b"") if last == b"\n" else (lines + 2, b"\n")

    def _lines(self, name: str) -> Iterator[bytes]:
        try:
            with (
                self._root.regular_file(RelativePath((*JOURNAL.parts, name))) as file,
                io.BufferedReader(cast(io.RawIOBase, file)) as lines,
                told(str(JOURNAL)),
            ):
                yield from lines
        except NotFound:
            return


@contextmanager
def _unwritable() -> Iterator[None]:
    """Turn whatever stops a line from being written into one kind of error."""
    try:
        with told(str(JOURNAL)):
            yield
    except TebikiError as error:
        message = f"The journal cannot be written, so nothing was changed: {error}"
        raise Conflict(message) from error


@contextmanager
def _appendable(folder: Folder, name: str) -> Iterator[int]:
    descriptor = folder.open(name, handles.APPEND)
    try:
        if kind_of(os.fstat(descriptor)) is not Kind.FILE:
            raise Conflict(f"{name} is no regular file; remove it")
        yield descriptor
    finally:
        os.close(descriptor)


def _number(line: bytes) -> int | None:
    try:
        number = json.loads(line)["entry"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return number if isinstance(number, int) else None

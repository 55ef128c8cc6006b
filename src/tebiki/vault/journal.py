"""The journal: one JSON line for each write, on disk before the write takes effect.

A second file names the entries that took effect. Where a crash left an entry without that mark, the
hashes of the file and of later entries tell. Which entries go when there are too many is
`trimming`'s business. How a write is taken back is not here (`undo`).
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING

from tebiki.errors import Conflict, NotFound, TebikiError
from tebiki.files import handles, locks, writing
from tebiki.files.handles import Kind, kind_of
from tebiki.files.names import RelativePath
from tebiki.files.paths import translate_os_errors
from tebiki.files.privacy import PRIVATE_FILE, close_to_others
from tebiki.named_tuples import NamedTuple
from tebiki.system.syncing import sync_file
from tebiki.vault import trimming
from tebiki.vault.areas import JOURNAL
from tebiki.vault.entries import from_line, to_line
from tebiki.vault.journal_lines import (
    NO_MOVES,
    check_line,
    head_of,
    lines_in,
    lines_of,
    look_for_moves,
    number_in,
)
from tebiki.vault.trimming import (
    NOTHING_GONE,
    gone_from,
    read_sheet,
    write_sheet,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tebiki.files.handles import Folder
    from tebiki.files.paths import Root
    from tebiki.vault.entries import JournalEntry
    from tebiki.vault.trimming import Line, Sheet, TrimmedHistory

ENTRIES = "entries.jsonl"
DONE = "done.jsonl"
NEW = "new.jsonl"
"""Either of them while it is written anew; whoever holds the lock may remove what is left of it."""

MOST_BYTES = 64 * 1024 * 1024
"""Of the entries, unless told otherwise; when there are more, the older half goes."""

BLOCK_BYTES = 1024 * 1024


def digest(data: bytes) -> str:
    """The hash by which the journal knows a file's bytes."""
    return hashlib.sha256(data).hexdigest()


def find_entry(entries: Iterable[JournalEntry], number: int) -> JournalEntry:
    """The entry of that number.

    Raises:
        NotFound: there is none.
    """
    for entry in entries:
        if entry.entry == number:
            return entry
    raise NotFound(
        f"The journal has no entry {number}, or not any more; the log lists the entries."
    )


class _Counted(NamedTuple):
    """How many lines a file was seen to have, so that only what was added is counted.

    `head` is how it begins: a file that was written anew may get the number of an older one.
    """

    inode: int = 0
    head: bytes = b""
    size: int = 0
    lines: int = 0


class Pen:
    """The journal while it is open for one write."""

    __slots__ = ("_count", "_entries", "_folder", "_most_bytes")

    def __init__(
        self, folder: Folder, count: Callable[[int], tuple[int, bytes]], most_bytes: int
    ) -> None:
        self._folder = folder
        self._count = count
        self._most_bytes = most_bytes
        # Now, and not when it is needed: what cannot be opened must stop the write before that
        # makes a folder.
        self._entries = _open_appendable(folder, ENTRIES)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._entries)

    def append(self, entry: JournalEntry) -> JournalEntry:
        """Write an entry ahead of what it describes; gives it with its number.

        Raises:
            Conflict: the journal cannot be written.
        """
        with _unwritable():
            with self.hold() as descriptor:
                number, gap = self._count(descriptor)
                numbered = entry._replace(entry=number)
                line = gap + to_line(numbered)
                if os.write(descriptor, line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            sync_file(descriptor)
            if number == 1:
                self._folder.sync()
        return numbered

    def mark_done(self, entry: JournalEntry) -> None:
        """Note that an entry took effect, and trim a journal that is too large.

        The write itself is safe and must not be reported as failed: without the mark the hashes
        tell, and what could not be trimmed now is trimmed after another write.
        """
        line = json.dumps({"entry": entry.entry}).encode() + b"\n"
        with suppress(Conflict), _unwritable(), self.hold() as descriptor:
            with _appendable(self._folder, DONE) as done:
                os.write(done, line)
            if self._is_too_large(descriptor):
                self._trim(descriptor)

    def forget(self, is_wanted: Callable[[Line], bool]) -> list[Line]:
        """Write the journal anew without some of its entries; gives those.

        Lines that are none go as well: they may hold anything.

        Raises:
            Conflict: it cannot be written; then it is as it was.
        """
        with _unwritable(), self.hold() as descriptor:
            _remove(self._folder, NEW)  # what a killed writer left of it has text in it too
            sheet, has_scraps = read_sheet(lines_of(descriptor))
            left = trimming.forget(sheet, is_wanted)
            if has_scraps or left != sheet:
                self._write_anew(left)
            kept = {line.number for line in left.lines}
            return [line for line in sheet.lines if line.number not in kept]

    @contextmanager
    def hold(self) -> Iterator[int]:
        """Keep other writers out of the journal, which may be another file than it was."""
        while True:
            with locks.hold_file(self._entries, "The journal"):
                if self._is_current():
                    yield self._entries
                    return
            os.close(self._entries)
            self._entries = _open_appendable(self._folder, ENTRIES)

    def _is_current(self) -> bool:
        """Tell whether nobody has put another file in the place of the one that is open."""
        try:
            return os.path.samestat(os.fstat(self._entries), self._folder.look(ENTRIES))
        except FileNotFoundError:
            return False

    def _is_too_large(self, descriptor: int) -> bool:
        size = os.fstat(descriptor).st_size
        if size <= self._most_bytes:
            return False
        # Where the newest entries of all notes are much, it is not tried again after every write.
        gone = gone_from(head_of(descriptor)) or NOTHING_GONE
        return size > gone.size + self._most_bytes // 2

    def _trim(self, descriptor: int) -> None:
        sheet, _ = read_sheet(lines_of(descriptor))
        left = trimming.trim(sheet, self._most_bytes // 2)
        if left != sheet:
            self._write_anew(left)

    def _write_anew(self, sheet: Sheet) -> None:
        """Put another journal in the place of this one, whole or not at all."""
        _replace(self._folder, ENTRIES, write_sheet(sheet))
        # Marks of entries that are gone are harmless until then: no number comes twice.
        kept = {line.number for line in sheet.lines}
        with _appendable(self._folder, DONE) as done:
            marks = [line for line in lines_of(done) if number_in(line) in kept]
        _replace(self._folder, DONE, marks)


class Journal:
    """The journal of one vault, shared with every process that writes to it."""

    def __init__(self, root: Root, most_bytes: int = MOST_BYTES) -> None:
        self._root = root
        self._most_bytes = most_bytes
        self._counted = _Counted()
        self._seen_moves = NO_MOVES

    @contextmanager
    def open(self) -> Iterator[Pen]:
        """Open the journal for one write.

        Raises:
            Conflict: it cannot be written.
        """
        with ExitStack() as held:
            with _unwritable():
                folder, _ = held.enter_context(self._root.folder(JOURNAL, make=True, private=True))
                pen = Pen(folder, self._count, self._most_bytes)
            held.callback(pen.close)
            yield pen

    def gone(self) -> TrimmedHistory:
        """What was in the journal once."""
        for line in self._lines(ENTRIES):
            return gone_from(line) or NOTHING_GONE
        return NOTHING_GONE

    def entries(self, hash_now: Callable[[str], str | None]) -> list[JournalEntry]:
        """Every entry, oldest first, each with whether it took effect.

        `hash_now` gives the hash of a path's present bytes.
        """
        lines = [from_line(line) for line in self._lines(ENTRIES)]
        marked = self._marked()
        next_before: dict[str, str | None] = {}
        shown: list[JournalEntry] = []
        for entry in reversed([entry for entry in lines if entry is not None]):
            if entry.entry in marked:
                done = True
            elif entry.path in next_before:
                done = next_before[entry.path] == entry.after
            else:
                done = hash_now(entry.path) == entry.after
            next_before[entry.path] = entry.before
            if entry.source is not None and done:
                next_before[entry.source] = entry.after
            shown.append(entry._replace(done=done))
        return shown[::-1]

    def open_moves(self) -> list[JournalEntry]:
        """Moves without a mark whose paths no later entry names: on their way, or killed there.

        Only what was added since the last look is read.
        """
        marked: Callable[[], set[int]] = cache(self._marked)  # read once, if at all
        try:
            with (
                self._root.regular_file(RelativePath((*JOURNAL.parts, ENTRIES))) as file,
                translate_os_errors(str(JOURNAL)),
            ):
                seen = look_for_moves(file.fileno(), self._seen_moves, marked)
        except NotFound:
            return []
        self._seen_moves = seen
        return list(seen.moves.values())

    def _marked(self) -> set[int]:
        """The numbers of the entries that took effect, as far as they are marked."""
        numbers = map(number_in, self._lines(DONE))
        return {number for number in numbers if number is not None}

    def _count(self, descriptor: int) -> tuple[int, bytes]:
        """The number of the next line, and what must be written before it.

        What a killed writer left unfinished is ended, so that it costs its own line only.
        """
        status, seen = os.fstat(descriptor), self._counted
        head = head_of(descriptor)
        is_another = seen.inode != status.st_ino or not head.startswith(seen.head)
        if is_another or seen.size > status.st_size:
            seen = _Counted(status.st_ino, head)
        lines, last = seen.lines, b"\n"
        os.lseek(descriptor, max(0, seen.size - 1), os.SEEK_SET)
        if seen.size:
            last = os.read(descriptor, 1)
        since_end = 0
        while block := os.read(descriptor, BLOCK_BYTES):
            ends = block.count(b"\n")
            since_end = len(block) if ends else since_end + len(block)
            check_line(since_end)
            lines += ends
            last = block[-1:]
        self._counted = _Counted(status.st_ino, head, status.st_size, lines)
        return (lines + 1, b"") if last == b"\n" else (lines + 2, b"\n")

    def _lines(self, name: str) -> Iterator[bytes]:
        try:
            with (
                self._root.regular_file(RelativePath((*JOURNAL.parts, name))) as file,
                translate_os_errors(str(JOURNAL)),
            ):
                yield from lines_in(file)
        except NotFound:
            return


@contextmanager
def _unwritable() -> Iterator[None]:
    """Turn whatever stops a line from being written into one kind of error."""
    try:
        with translate_os_errors(str(JOURNAL)):
            yield
    except TebikiError as error:
        message = f"The journal cannot be written, so nothing was changed: {error}"
        raise Conflict(message) from error


def _open_appendable(folder: Folder, name: str) -> int:
    descriptor = folder.open(name, handles.APPEND, PRIVATE_FILE)
    try:
        _prepare(descriptor, name)
    except (OSError, Conflict):
        os.close(descriptor)
        raise
    return descriptor


def _prepare(descriptor: int, name: str) -> None:
    if kind_of(os.fstat(descriptor)) is not Kind.FILE:
        raise Conflict(f"{name} is no regular file; remove it")
    close_to_others(descriptor)


@contextmanager
def _appendable(folder: Folder, name: str) -> Iterator[int]:
    descriptor = _open_appendable(folder, name)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _replace(folder: Folder, name: str, parts: Iterable[bytes]) -> None:
    """Put a new file in the place of one of the journal's."""
    _remove(folder, NEW)
    descriptor = folder.open(NEW, handles.CREATE, PRIVATE_FILE)
    try:
        for part in parts:
            writing.fill(descriptor, part)
        sync_file(descriptor)
    finally:
        os.close(descriptor)
    folder.rename(NEW, name)
    folder.sync()


def _remove(folder: Folder, name: str) -> None:
    with suppress(FileNotFoundError):
        folder.remove(name)

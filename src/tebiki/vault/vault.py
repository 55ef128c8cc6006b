"""The vault's front door: notes that are listed, created, read on and edited, and edits taken back.

Every path goes through the gate of `files.paths`, every write through `files.writing` and the
journal. Argument types are checked by the caller; bounds and meaning are checked here.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from tebiki.errors import Conflict, InvalidArguments, NotFound, RefusedError, UsageError
from tebiki.files import writing
from tebiki.files.handles import Kind
from tebiki.files.names import TOP, nfc, parse
from tebiki.files.paths import (
    Purpose,
    Root,
    read_only_rule,
    translate_os_errors,
)
from tebiki.files.patience import ENDLESS
from tebiki.files.reading import Cursor, Texts, cursor_offset, lines_page, page
from tebiki.files.sweeping import Sweeper
from tebiki.vault.areas import LOCKS, rule
from tebiki.vault.diffs import diff_of
from tebiki.vault.history import bytes_after, why_changed
from tebiki.vault.journal import MOST_BYTES, Journal, digest, find_entry
from tebiki.vault.recovery import Recovery
from tebiki.vault.results import Forgotten, ReadPart, Undone, VaultItem, VaultListing, VaultScanPart
from tebiki.vault.writer import Writer, bytes_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from tebiki.files.names import RelativePath
    from tebiki.files.patience import Patience
    from tebiki.files.text import FileText
    from tebiki.vault.entries import JournalEntry
    from tebiki.vault.trimming import Line, TrimmedHistory

BEGINNING = Cursor()


class Vault:
    """Notes below a root, which need not exist before the first is created."""

    def __init__(
        self,
        root: str | PathLike[str],
        clock: Callable[[], float],
        read_only: bool = False,
        *,
        journal_bytes: int = MOST_BYTES,
    ) -> None:
        self._root = Root(root, read_only_rule if read_only else rule)
        self._clock = clock
        self._texts = Texts(self._root, clock, hashes=True)
        self._locks = writing.Locks(self._root, LOCKS)
        self._sweeper = Sweeper(self._root, self._locks, clock)
        self._journal = Journal(self._root, journal_bytes)
        free_locks = writing.Locks(self._root, LOCKS, longest_wait=0)
        self._recovery = Recovery(self._root, self._journal, free_locks)
        self._is_read_only = read_only
        self._writer = Writer(
            self._root,
            clock,
            journal=self._journal,
            locks=self._locks,
            sweeper=self._sweeper,
            recovery=self._recovery,
        )
        # What changes a note is all the writer's; it is found here beside what reads one.
        self.create, self.replace = self._writer.create, self._writer.replace
        self.append, self.remove = self._writer.append, self._writer.remove
        self.move = self._writer.move

    @property
    def place(self) -> str:
        """Where the notes are; for telling a person, never for opening files."""
        return self._root.path

    def exists(self) -> bool:
        """Tell whether there is a vault yet."""
        return self._root.exists()

    def ls(self, path: str | None = None) -> VaultListing:
        """List a folder, or the root: folders first, links and special files left out.

        Raises:
            TebikiError: the path names no folder that may be listed.
        """
        stored, entries = self._root.listing(TOP if path is None else parse(path))
        base = str(stored)
        kinds = {Kind.FOLDER: 0, Kind.FILE: 1}
        listed = [entry for entry in entries if entry.kind in kinds and entry.nameable]
        listed.sort(key=lambda entry: (kinds[entry.kind], nfc(entry.name), entry.name))
        prefix = f"{base}/" if base else ""
        items = [VaultItem(entry.name, prefix + entry.name, entry.kind.value) for entry in listed]
        return VaultListing(base or None, tuple(items))

    def read(
        self,
        path: str,
        full: bool = False,
        start_line: int | None = None,
        end_line: int | None = None,
        *,
        has_range: bool = False,
        patience: Patience = ENDLESS,
    ) -> ReadPart:
        """Read a range of lines, or a file from its beginning; `has_range` tells of an empty range.

        Raises:
            TebikiError: there is no such file or range.
        """
        where = self._root.parse(path)
        if not (full or has_range or start_line is not None or end_line is not None):
            raise InvalidArguments("range is missing; give range with full=false, or full=true.")
        with self._texts.open(where, patience) as text:
            part = page(text, 0) if full else lines_page(text, start_line, end_line)
            return ReadPart(part, full, text.digest)

    def scan(
        self,
        path: str,
        start_line: int | None = None,
        cursor: Cursor = BEGINNING,
        *,
        patience: Patience = ENDLESS,
    ) -> VaultScanPart:
        """Read a page from a line or a cursor on.

        Raises:
            TebikiError: there is no such file, line or offset.
        """
        with self._texts.open(self._root.parse(path), patience) as text:
            part = page(text, cursor_offset(text, start_line, cursor))
            return VaultScanPart(part, text.digest)

    @contextmanager
    def open_text(self, path: str, patience: Patience = ENDLESS) -> Iterator[FileText]:
        """Open a file's text.

        Raises:
            TebikiError: there is no such file.
        """
        with self._texts.open(self._root.parse(path), patience) as text:
            yield text

    def try_out(self) -> bool:
        """Write, lock and remove a file that no listing shows; false when there is no vault yet.

        Raises:
            TebikiError: the vault cannot be written or locked.
        """
        if not self._root.exists():
            return False
        with self._root.folder(TOP) as (folder, _):
            writing.try_out(folder, "the vault")
        with suppress(NotFound), self._root.folder(LOCKS) as (folder, _):
            # They come with the first write; then that folder has to take files too.
            writing.try_out(folder, str(LOCKS))
        return True

    def log(self, path: str | None = None) -> list[JournalEntry]:
        """Every write, or those to one file, oldest first.

        Raises:
            TebikiError: the path is none, or the journal cannot be read.
        """
        entries = self._journal.entries(self._hash_now)
        if path is None:
            return entries
        wanted = nfc(str(self._root.parse(path)))
        return [one for one in entries if wanted in {nfc(one.path), nfc(one.source or "")}]

    def entry_of(self, request: str) -> JournalEntry | None:
        """The write that was made for a request, if it took effect.

        Raises:
            TebikiError: the journal cannot be read.
        """
        made = [one for one in self._journal.entries(self._hash_now) if one.request == request]
        return next((one for one in made if one.done), None)

    def gone(self) -> TrimmedHistory:
        """What the journal had once: entries that were trimmed, or forgotten.

        Raises:
            TebikiError: the journal cannot be read.
        """
        return self._journal.gone()

    def forget(self, path: str | None = None, before: float | None = None) -> Forgotten:
        """Remove the entries of a note, or of all below a folder, or from before a time, for good.

        What killed writers left goes too. The notes stay as they are.

        Raises:
            TebikiError: the path is none, or the journal cannot be written; then it is as it was.
        """
        if self._is_read_only:
            read_only_rule(Purpose.UNDO, TOP)
        where = None if path is None else self._root.parse(path, Purpose.UNDO)
        if not self._root.exists():
            return Forgotten(0, (), still_there=False)
        with ExitStack() as held:
            if where is not None:
                held.enter_context(self._locks.hold(where))
            pen = held.enter_context(self._journal.open())
            lines = pen.forget(lambda line: _is_meant(line, where, before))
        self._sweeper.sweep_all()
        paths = {line.path for line in lines}
        still_there = where is not None and self._is_there(where)
        moved = {path for line in lines if line.source for path in (line.path, line.source)}
        left = {entry.path for entry in self._journal.entries(self._hash_now)} if moved else set()
        return Forgotten(len(lines), tuple(sorted(paths)), still_there, tuple(sorted(moved & left)))

    def remembered(self, path: str | None = None, before: float | None = None) -> set[str]:
        """The notes that `forget` would mean: those with entries, and the one that is named.

        Raises:
            TebikiError: the path is none, or the journal cannot be read.
        """
        where = None if path is None else self._root.parse(path, Purpose.UNDO)
        named = set[str]() if where is None else {nfc(str(where))}
        return named | {
            entry.path
            for entry in self._journal.entries(self._hash_now)
            if _is_meant(entry, where, before)
        }

    def _is_there(self, path: RelativePath) -> bool:
        try:
            with self._root.place(path) as place, translate_os_errors(place.shown):
                place.folder.look(place.name)
        except (UsageError, RefusedError):
            return False
        return True

    def diff(self, entry: int) -> str:
        """What a write changed, for a person.

        Raises:
            NotFound: there is no such entry.
        """
        entries = self._journal.entries(self._hash_now)
        found = find_entry(entries, entry)
        data = bytes_after(found, entries, self._bytes_now(found.path))
        return diff_of(found, data)

    def undo(self, entry: int) -> Undone:
        """Take a write back, if the file is still as that write left it.

        Raises:
            NotFound: there is no such entry.
            Conflict: it never took effect, or the file has changed since.
        """
        if not self._is_read_only:
            self._recovery.end_moves()
        entries = self._journal.entries(self._hash_now)
        found = find_entry(entries, entry)
        where = self._root.parse(found.path, Purpose.UNDO)
        if not found.done:
            raise Conflict(f"Entry {entry} never took effect, so there is nothing to undo.")
        if self._hash_now(found.path) != found.after:
            raise Conflict(why_changed(found, entries))
        if found.source is not None:
            moved = self._writer.move_back(found)
            return Undone(moved.written_path, moved.entry, entry)
        path, number = self._writer.take_back(where, found)
        return Undone(path, number, entry)

    def _hash_now(self, path: str) -> str | None:
        data = self._bytes_now(path)
        return None if data is None else digest(data)

    def _bytes_now(self, path: str) -> bytes | None:
        """A file's bytes as far as anyone may read them; None when there is no such file."""
        try:
            with self._root.place(self._root.parse(path)) as place:
                return bytes_at(place)
        except (UsageError, RefusedError):
            return None


def _is_meant(entry: Line | JournalEntry, where: RelativePath | None, before: float | None) -> bool:
    """Tell whether an entry is of a note, or of one below a folder, and from before a time.

    A move is an entry of both its paths.
    """
    if before is not None and entry.time >= before:
        return False
    wanted = "" if where is None else nfc(str(where))
    paths = [nfc(path) for path in (entry.path, entry.source) if path is not None]
    return where is None or any(path == wanted or path.startswith(f"{wanted}/") for path in paths)

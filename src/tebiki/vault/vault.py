"""The vault's front door: notes that are listed, created, read on and edited, and edits taken back.

Every path goes through the gate of `files.paths`, every write through `files.writing` and the
journal. Argument types are checked by the caller; bounds and meaning are checked here.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from tebiki.errors import Conflict, InvalidArguments, NotFound, RefusedError, UsageError
from tebiki.files import writing
from tebiki.files.edits import Edit, replaced, reversed_edits, taken_back
from tebiki.files.encodings import UTF_8, encode
from tebiki.files.handles import Kind
from tebiki.files.names import TOP, nfc, parse
from tebiki.files.paths import (
    Place,
    Purpose,
    Root,
    open_regular,
    read_only_rule,
    translate_os_errors,
)
from tebiki.files.patience import ENDLESS, check_bytes
from tebiki.files.reading import Cursor, Texts, cursor_offset, lines_page, page
from tebiki.files.sweeping import Sweeper
from tebiki.vault.areas import LOCKS, rule
from tebiki.vault.diffs import diff_of
from tebiki.vault.entries import JournalEntry
from tebiki.vault.history import bytes_after, why_changed
from tebiki.vault.journal import MOST_BYTES, Journal, digest, numbered
from tebiki.vault.results import (
    Created,
    Forgotten,
    ReadPart,
    Replaced,
    Undone,
    VaultItem,
    VaultListing,
    VaultScanPart,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from tebiki.files.names import RelativePath
    from tebiki.files.patience import Patience
    from tebiki.files.text import FileText
    from tebiki.vault.journal import Pen
    from tebiki.vault.trimming import TrimmedHistory

MOST_BYTES_EDITED = 8 * writing.MOST_BYTES
"""Of a file that an edit makes small enough; more is not even read."""

BLOCK_BYTES = 1024 * 1024
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
        self._texts = Texts(self._root, clock)
        self._locks = writing.Locks(self._root, LOCKS)
        self._sweeper = Sweeper(self._root, self._locks, clock)
        self._journal = Journal(self._root, journal_bytes)
        self._is_read_only = read_only
        self._has_seen_a_note = False

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

    def create(self, path: str, content: str) -> Created:
        """Make a new file, and the folders above it.

        Raises:
            Conflict: the name is taken.
            TebikiError: the path or the content cannot be written.
        """
        if not content:
            raise InvalidArguments("content is empty; give the text of the note.")
        where = self._root.parse(path, Purpose.CREATE)
        data = encode(content, UTF_8)
        writing.check_size(len(data))
        with (
            self._locks.held(where),
            self._journal.open() as pen,
            self._root.place(where, make=True) as place,
        ):
            entry = self._entry("create", place, None, data)
            _put(pen, entry, lambda ready: writing.create(place, data, ready))
        self._sweeper.sweep_sometimes(where.above)
        return Created(place.shown, len(data))

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
            return ReadPart(part, full)

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
            return VaultScanPart(page(text, cursor_offset(text, start_line, cursor)))

    @contextmanager
    def open_text(self, path: str, patience: Patience = ENDLESS) -> Iterator[FileText]:
        """Open a file's text.

        Raises:
            TebikiError: there is no such file.
        """
        with self._texts.open(self._root.parse(path), patience) as text:
            yield text

    def replace(
        self,
        path: str,
        find: str,
        replace: str,
        max_replacements: int = 1,
        *,
        patience: Patience = ENDLESS,
    ) -> Replaced:
        """Replace the first hits of a text; every other byte stays as it is.

        Raises:
            TebikiError: the file cannot be changed, or cannot hold the text.
        """
        if not find:
            raise InvalidArguments("find is empty; give the text to replace.")
        if max_replacements < 0:
            raise InvalidArguments(
                f"max_replacements is {max_replacements}; it must be at least 0."
            )
        where = self._root.parse(path, Purpose.REPLACE)
        if not self._has_seen_a_note:
            # Locks are files of the vault: only where a note is there may replacing make any.
            with self._root.regular_file(where):
                self._has_seen_a_note = True
        with self._locks.held(where), self._root.place(where) as place:
            data, status = _bytes_of(place, patience)
            edited = replaced(data, find, replace, max_replacements, writing.check_size)
            if edited.data != data:
                entry = self._entry("replace", place, data, edited.data)
                entry = entry._replace(encoding=edited.encoding, edits=edited.edits)
                with self._journal.open() as pen:
                    _put(
                        pen, entry, lambda ready: writing.replace(place, edited.data, status, ready)
                    )
        if edited.hits:
            self._sweeper.sweep_sometimes(where.above)
        return Replaced(place.shown, edited.hits)

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
        return [entry for entry in entries if nfc(entry.path) == wanted]

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
                held.enter_context(self._locks.held(where))
            pen = held.enter_context(self._journal.open())
            lines = pen.forget(lambda line: _is_meant(line.path, line.time, where, before))
        self._sweeper.sweep_all()
        paths = {line.path for line in lines}
        still_there = where is not None and self._is_there(where)
        return Forgotten(len(lines), tuple(sorted(paths)), still_there)

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
            if _is_meant(entry.path, entry.time, where, before)
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
        found = numbered(entries, entry)
        data = bytes_after(found, entries, self._bytes_now(found.path))
        return diff_of(found, data)

    def undo(self, entry: int) -> Undone:
        """Take a write back, if the file is still as that write left it.

        Raises:
            NotFound: there is no such entry.
            Conflict: it never took effect, or the file has changed since.
        """
        entries = self._journal.entries(self._hash_now)
        found = numbered(entries, entry)
        where = self._root.parse(found.path, Purpose.UNDO)
        if not found.done:
            raise Conflict(f"Entry {entry} never took effect, so there is nothing to undo.")
        if self._hash_now(found.path) != found.after:
            raise Conflict(why_changed(found, entries))
        with (
            self._locks.held(where),
            self._journal.open() as pen,
            self._root.place(where, make=found.after is None) as place,
        ):
            done = self._take_back(pen, place, found)
        self._sweeper.sweep_sometimes(where.above)
        return Undone(place.shown, done.entry, entry)

    def _take_back(self, pen: Pen, place: Place, found: JournalEntry) -> JournalEntry:
        now, status = (None, None) if found.after is None else _bytes_of(place)
        if now is not None and digest(now) != found.after:
            raise Conflict(why_changed(found, ()))
        old = None if found.before is None else taken_back(now or b"", found.edits)
        if old is not None and digest(old) != found.before:
            raise Conflict(f"Entry {found.entry} does not give the old file back; edit it instead.")
        entry = self._entry("undo", place, now, old)
        whole = () if now is None else (Edit(0, now, b""),)
        edits = whole if old is None else reversed_edits(found.edits)
        entry = entry._replace(encoding=found.encoding, edits=edits, undoes=found.entry)
        if old is None:
            return _put(pen, entry, lambda ready: writing.remove(place, ready))
        if status is None:
            return _put(pen, entry, lambda ready: writing.create(place, old, ready))
        return _put(pen, entry, lambda ready: writing.replace(place, old, status, ready))

    def _entry(self, kind: str, place: Place, old: bytes | None, new: bytes | None) -> JournalEntry:
        before = None if old is None else digest(old)
        after = None if new is None else digest(new)
        return JournalEntry(0, self._clock(), kind, place.shown, before, after, UTF_8.label, ())

    def _hash_now(self, path: str) -> str | None:
        data = self._bytes_now(path)
        return None if data is None else digest(data)

    def _bytes_now(self, path: str) -> bytes | None:
        """A file's bytes as far as anyone may read them; None when there is no such file."""
        try:
            with self._root.place(self._root.parse(path)) as place:
                return _bytes_of(place)[0]
        except (UsageError, RefusedError):
            return None


def _is_meant(path: str, time: float, where: RelativePath | None, before: float | None) -> bool:
    """Tell whether an entry is of a note, or of one below a folder, and from before a time."""
    wanted = "" if where is None else nfc(str(where))
    is_in = where is None or nfc(path) == wanted or nfc(path).startswith(f"{wanted}/")
    return is_in and (before is None or time < before)


def _put(
    pen: Pen, entry: JournalEntry, write: Callable[[Callable[[], None]], None]
) -> JournalEntry:
    """Write with the journal ahead of it, and note that it is done."""
    written: list[JournalEntry] = []
    write(lambda: written.append(pen.append(entry)))
    pen.mark_done(written[0])
    return written[0]


def _bytes_of(place: Place, patience: Patience = ENDLESS) -> tuple[bytes, os.stat_result]:
    with open_regular(place) as file, translate_os_errors(place.shown):
        status = os.fstat(file.fileno())
        _check_edited(status.st_size, place)
        data = bytearray()
        while block := file.read(BLOCK_BYTES):
            patience.check()
            data += block
            # It may have grown since.
            _check_edited(len(data), place)
        return bytes(data), status


def _check_edited(size: int, place: Place) -> None:
    check_bytes(size, place.shown, MOST_BYTES_EDITED, "edited")

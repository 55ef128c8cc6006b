"""Everything that changes a note: whole or not at all, under its lock, with the journal ahead.

A change may be tied to what its writer has seen of the note: the hash of its bytes (`if_match`).
Not here: what the journal knows afterwards (`vault`), how bytes become a file (`files.writing`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tebiki.errors import Conflict, InvalidArguments
from tebiki.files import writing
from tebiki.files.dress import PERMISSIONS, Dress, dress_of
from tebiki.files.edits import Edit, append_text, replace_text, reverse_edits, take_back_edits
from tebiki.files.encodings import UTF_8, encode
from tebiki.files.paths import Purpose, open_regular, translate_os_errors
from tebiki.files.patience import ENDLESS, check_bytes
from tebiki.files.privacy import PRIVATE_FILE
from tebiki.vault.diffs import capped_diff
from tebiki.vault.entries import JournalEntry
from tebiki.vault.history import why_changed
from tebiki.vault.journal import digest
from tebiki.vault.requests import request_in_charge
from tebiki.vault.results import Appended, Created, Moved, Removed, Replaced

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.files.edits import Edited
    from tebiki.files.names import RelativePath
    from tebiki.files.paths import Place, Root
    from tebiki.files.patience import Patience
    from tebiki.files.sweeping import Sweeper
    from tebiki.vault.journal import Journal, Pen
    from tebiki.vault.recovery import Recovery

BLOCK_BYTES = 1024 * 1024


class Writer:
    """Changes the notes below a root."""

    def __init__(
        self,
        root: Root,
        clock: Callable[[], float],
        *,
        journal: Journal,
        locks: writing.Locks,
        sweeper: Sweeper,
        recovery: Recovery,
    ) -> None:
        self._root = root
        self._clock = clock
        self._journal = journal
        self._locks = locks
        self._sweeper = sweeper
        self._recovery = recovery
        self._has_seen_a_note = False

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
        self._recovery.end_moves()
        with (
            self._locks.hold(where),
            self._journal.open() as pen,
            self._root.place(where, make=True) as place,
        ):
            entry = self._entry("create", place, None, data)
            _put(pen, entry, lambda ready: writing.create(place, data, ready))
        self._sweeper.sweep_sometimes(where.above)
        return Created(place.shown, len(data), digest(data))

    def replace(
        self,
        path: str,
        find: str,
        replace: str,
        max_replacements: int = 1,
        *,
        if_match: str | None = None,
        dry_run: bool = False,
        patience: Patience = ENDLESS,
    ) -> Replaced:
        """Replace the first hits of a text, or show what that would change.

        Every other byte stays as it is.

        Raises:
            InvalidArguments: it would replace nothing.
            Conflict: the note is not as its writer saw it.
            TebikiError: the file cannot be changed, or cannot hold the text.
        """
        if not find:
            raise InvalidArguments("find is empty; give the text to replace.")
        if max_replacements < 0:
            raise InvalidArguments(
                f"max_replacements is {max_replacements}; it must be at least 0."
            )
        where = self._root.parse(path, Purpose.REPLACE)

        def edit(data: bytes) -> Edited:
            return replace_text(data, find, replace, max_replacements, writing.check_size)

        if dry_run:
            # Nothing is locked, since locks are files: a look leaves nothing behind.
            with self._root.place(where) as place:
                data, _ = _bytes_of(place, patience)
            _check_seen(place, data, if_match)
            edited = edit(data)
            return Replaced(None, edited.hits, digest(data), capped_diff(place.shown, data, edited))
        place, data, edited = self._edit("replace", where, edit, if_match, patience)
        diff = capped_diff(place.shown, data, edited) if edited.data != data else None
        return Replaced(place.shown, edited.hits, digest(edited.data), diff)

    def append(
        self, path: str, content: str, *, if_match: str | None = None, patience: Patience = ENDLESS
    ) -> Appended:
        """Add text to the end of a note, on a line of its own; a note of the day too.

        Raises:
            NotFound: there is no such note; none is made.
            Conflict: the note is not as its writer saw it.
            TebikiError: the file cannot be changed, or cannot hold the text.
        """
        if not content:
            raise InvalidArguments("content is empty; give the text to add.")
        where = self._root.parse(path, Purpose.APPEND)
        place, data, edited = self._edit(
            "append",
            where,
            lambda data: append_text(data, content, writing.check_size),
            if_match,
            patience,
        )
        return Appended(place.shown, len(edited.data) - len(data), digest(edited.data))

    def _edit(
        self,
        kind: str,
        where: RelativePath,
        edit: Callable[[bytes], Edited],
        if_match: str | None,
        patience: Patience,
    ) -> tuple[Place, bytes, Edited]:
        if not self._has_seen_a_note:
            # Locks are files of the vault: only where a note is there may a change make any.
            with self._root.regular_file(where):
                self._has_seen_a_note = True
        self._recovery.end_moves()
        with self._locks.hold(where), self._root.place(where) as place:
            data, status = _bytes_of(place, patience)
            _check_seen(place, data, if_match)
            edited = edit(data)
            if edited.data != data:
                entry = self._entry(kind, place, data, edited.data)
                entry = entry._replace(encoding=edited.encoding, edits=edited.edits)
                with self._journal.open() as pen:
                    _put(
                        pen, entry, lambda ready: writing.replace(place, edited.data, status, ready)
                    )
        if edited.hits:
            self._sweeper.sweep_sometimes(where.above)
        return place, data, edited

    def remove(self, path: str) -> Removed:
        """Take a note away; the journal keeps its bytes, so that it can be given back.

        Raises:
            NotFound: there is no such note, or it is a folder.
            InvalidArguments: it is too large for the journal.
        """
        where = self._root.parse(path, Purpose.REMOVE)
        self._recovery.end_moves()
        with self._root.regular_file(where):
            self._has_seen_a_note = True
        with (
            self._locks.hold(where),
            self._journal.open() as pen,
            self._root.place(where) as place,
        ):
            data, status = _bytes_of(place)
            check_bytes(len(data), place.shown, writing.MOST_BYTES, "removed here")
            entry = self._entry("remove", place, data, None)
            entry = _with_dress(entry._replace(edits=(Edit(0, data, b""),)), place, status)
            done = _put(pen, entry, lambda ready: writing.remove(place, ready))
        return Removed(place.shown, done.entry)

    def move(self, path: str, to: str) -> Moved:
        """Give a note another path, which must be free; folders are made as needed.

        A `to` that is a folder, or ends like one, keeps the note's name.

        Raises:
            NotFound: there is no such note, or it is a folder.
            Conflict: the new path is taken.
        """
        where = self._root.parse(path, Purpose.REMOVE)
        target = self._root.parse(self._place_in(to, where), Purpose.CREATE)
        for ended in self._recovery.end_moves():
            if (ended.source, ended.path) == (str(where), str(target)):
                return Moved(ended.path, str(where), ended.entry)  # asked for again after a kill
        return self._move(where, target)

    def move_back(self, found: JournalEntry) -> Moved:
        """Give a note the path back that it had before an entry.

        Raises:
            NotFound: it is gone.
            Conflict: it has changed since, or its old path is taken.
        """
        where = self._root.parse(found.path, Purpose.UNDO)
        target = self._root.parse(found.source or "", Purpose.UNDO)
        return self._move(where, target, found)

    def _move(
        self, where: RelativePath, target: RelativePath, undone: JournalEntry | None = None
    ) -> Moved:
        with self._root.regular_file(where):
            self._has_seen_a_note = True
        with (
            self._locks.hold_both(where, target),
            self._journal.open() as pen,
            self._root.place(where) as old,
        ):
            data, status = _bytes_of(old)
            if undone is not None and digest(data) != undone.after:
                raise Conflict(why_changed(undone, ()))
            with translate_os_errors(old.shown):
                dress = dress_of(old, status)
            with self._root.place(target, make=True) as new:
                entry = self._entry("move" if undone is None else "undo", new, None, data)
                number = None if undone is None else undone.entry
                entry = entry._replace(source=old.shown, undoes=number)

                def move(ready: Callable[[], None]) -> None:
                    writing.create(new, data, ready, dress)
                    writing.keep_times(new, status)
                    writing.remove(old, lambda: None)

                done = _put(pen, entry, move)
        return Moved(new.shown, old.shown, done.entry)

    def _place_in(self, to: str, where: RelativePath) -> str:
        """Where a note goes: a folder takes it under its own name."""
        if to.endswith(("/", "\\")):
            return f"{to}{where.parts[-1]}"
        wanted = self._root.parse(to)
        return f"{to}/{where.parts[-1]}" if self._root.has_folder(wanted) else to

    def take_back(self, where: RelativePath, found: JournalEntry) -> tuple[str, int]:
        """Give a note the bytes back that it had before an entry; gives its path and the new entry.

        Raises:
            Conflict: the file has changed since.
        """
        with (
            self._locks.hold(where),
            self._journal.open() as pen,
            self._root.place(where, make=found.after is None) as place,
        ):
            done = self._write_back(pen, place, found)
        self._sweeper.sweep_sometimes(where.above)
        return place.shown, done.entry

    def _write_back(self, pen: Pen, place: Place, found: JournalEntry) -> JournalEntry:
        now, status = (None, None) if found.after is None else _bytes_of(place)
        if now is not None and digest(now) != found.after:
            raise Conflict(why_changed(found, ()))
        old = None if found.before is None else take_back_edits(now or b"", found.edits)
        if old is not None and digest(old) != found.before:
            raise Conflict(
                f"Entry {found.entry} cannot give the old file back; edit the note instead."
            )
        entry = self._entry("undo", place, now, old)
        whole = () if now is None else (Edit(0, now, b""),)
        edits = whole if old is None else reverse_edits(found.edits)
        entry = entry._replace(encoding=found.encoding, edits=edits, undoes=found.entry)
        if old is None and status is not None:
            entry = _with_dress(entry, place, status)
        if old is None:
            return _put(pen, entry, lambda ready: writing.remove(place, ready))
        if status is None:
            return _put(pen, entry, lambda ready: writing.create(place, old, ready, _dress(found)))
        return _put(pen, entry, lambda ready: writing.replace(place, old, status, ready))

    def _entry(self, kind: str, place: Place, old: bytes | None, new: bytes | None) -> JournalEntry:
        before = None if old is None else digest(old)
        after = None if new is None else digest(new)
        entry = JournalEntry(0, self._clock(), kind, place.shown, before, after, UTF_8.label, ())
        return entry._replace(request=request_in_charge())


def bytes_at(place: Place) -> bytes:
    """A note's bytes.

    Raises:
        TebikiError: there is none that may be read, or it is too large to be edited.
    """
    return _bytes_of(place)[0]


def _check_seen(place: Place, data: bytes, if_match: str | None) -> None:
    """Let only those change a note who have seen it as it is."""
    now = digest(data)
    if if_match is not None and if_match != now:
        raise Conflict(
            f"{place.shown} has changed since it was read, so nothing was written; read it again.",
            details={"reason": "stale", "etag": now},
        )


def _put(
    pen: Pen, entry: JournalEntry, write: Callable[[Callable[[], None]], None]
) -> JournalEntry:
    """Write with the journal ahead of it, and note that it is done."""
    written: list[JournalEntry] = []
    write(lambda: written.append(pen.append(entry)))
    pen.mark_done(written[0])
    return written[0]


def _with_dress(entry: JournalEntry, place: Place, status: os.stat_result) -> JournalEntry:
    """An entry of a note that goes, with what it wore."""
    with translate_os_errors(place.shown):
        dress = dress_of(place, status).without_list()
    return entry._replace(mode=dress.mode & PERMISSIONS, group=dress.group)


def _dress(found: JournalEntry) -> Dress:
    """What a note wears that is given back; its owner's alone where older entries do not tell."""
    if found.mode is None:
        return Dress(PRIVATE_FILE)
    return Dress(found.mode & PERMISSIONS, group=found.group)


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
    check_bytes(size, place.shown, writing.MOST_BYTES_EDITED, "edited")

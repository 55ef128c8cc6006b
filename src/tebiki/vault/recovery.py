"""Moves that a killed writer began: ended by the next write.

A move puts the note under its new path and then takes the old one away. Whoever is killed in
between leaves both, and an entry without its mark. Only that much is mended here: what else a kill
leaves is the old note or the new one, and temporary files (`files.sweeping`).
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from tebiki.errors import RefusedError, UsageError
from tebiki.files import writing
from tebiki.files.paths import Purpose, open_regular, translate_os_errors
from tebiki.vault.journal import digest

if TYPE_CHECKING:
    from tebiki.files.paths import Place, Root
    from tebiki.vault.entries import JournalEntry
    from tebiki.vault.journal import Journal


class Recovery:
    """Ends the moves of one vault; what cannot be ended now is left for later."""

    __slots__ = ("_journal", "_locks", "_root", "_settled")

    def __init__(self, root: Root, journal: Journal, locks: writing.Locks) -> None:
        """`locks` are such as wait for nobody: who holds one of a move is on the way with it."""
        self._root = root
        self._journal = journal
        self._locks = locks
        self._settled: set[tuple[int, float]] = set()

    def end_moves(self) -> list[JournalEntry]:
        """End every move whose writer is gone; gives their entries.

        A journal that cannot be read is told by the write that needs it.
        """
        found: list[JournalEntry] = []
        with suppress(UsageError, RefusedError):
            found = self._journal.open_moves()
        return [entry for entry in found if self._end(entry)]

    def _end(self, entry: JournalEntry) -> bool:
        known = (entry.entry, entry.time)
        if known in self._settled:
            return False
        with suppress(UsageError, RefusedError):
            source = self._root.parse(entry.source or "", Purpose.UNDO)
            target = self._root.parse(entry.path, Purpose.UNDO)
            with self._locks.hold_both(source, target), self._journal.open() as pen:
                # A writer marks its entry before it lets go of the locks: without the mark it died.
                # Whatever comes of it now, it is not looked at again with every write.
                self._settled.add(known)
                if entry.entry not in {one.entry for one in self._journal.open_moves()}:
                    return False
                with self._root.place(source) as old, self._root.place(target) as new:
                    status = _is_left_over(old, new, entry)
                    if status is None:
                        return False
                    writing.keep_times(new, status)
                    writing.remove(old, lambda: None)
                pen.mark_done(entry)
                return True
        return False


def _is_left_over(old: Place, new: Place, entry: JournalEntry) -> os.stat_result | None:
    """How the old note looks, if both are as the move left them; None if they are not.

    A file that came to the old path later, be it the same bytes, is somebody else's.
    """
    if _hash_of(new) != entry.after or _hash_of(old) != entry.after:
        return None
    with translate_os_errors(old.shown):
        status = old.folder.look(old.name)
    return status if status.st_ctime <= entry.time else None


def _hash_of(place: Place) -> str | None:
    """The hash of a note's bytes; None where they are more than any move takes."""
    with open_regular(place) as file, translate_os_errors(place.shown):
        if os.fstat(file.fileno()).st_size > writing.MOST_BYTES_EDITED:
            return None
        return digest(file.read())

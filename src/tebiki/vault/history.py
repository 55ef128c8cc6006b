"""What the journal knows of a note's past: its bytes after each write, and why one is not undone.

Pure functions over entries and the bytes that are there now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.files.edits import take_back_edits
from tebiki.files.names import nfc
from tebiki.vault.journal import digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.vault.entries import JournalEntry


def bytes_after(
    entry: JournalEntry, entries: Sequence[JournalEntry], now: bytes | None
) -> bytes | None:
    """A note as an entry left it, by taking back what came later; None when nothing tells that.

    Nothing does where another program changed the note, or entries in between are gone: until a
    still later entry that took the whole note away.
    """
    data = now
    for later in reversed(_later(entry, entries)):
        if not later.done:
            continue
        if nfc(later.path) != nfc(entry.path):
            data = None  # moved away: what is here now, if anything, is another note
            continue
        is_known = data is not None and digest(data) == later.after
        if later.before is None or not (is_known or later.after is None):
            data = None
            continue
        data = take_back_edits(data if is_known and data is not None else b"", later.edits)
        if digest(data) != later.before:
            data = None
    return data if data is not None and digest(data) == entry.after else None


def why_changed(entry: JournalEntry, entries: Sequence[JournalEntry]) -> str:
    """Why a note is no longer as an entry left it, and what can be done."""
    later = [one for one in _later(entry, entries) if one.done]
    undone = {one.undoes for one in later}
    for one in later:
        if one.undoes == entry.entry and one.entry not in undone:
            return (
                f"Entry {entry.entry} was undone already, by entry {one.entry}; "
                f"undo {one.entry} to bring it back."
            )
    if later:
        numbers = ", ".join(str(one.entry) for one in reversed(later))
        return (
            f"{entry.path} has changed since entry {entry.entry}; "
            f"undo the later entries first ({numbers}), or edit the file."
        )
    return (
        f"{entry.path} has changed since entry {entry.entry}, and not by an entry of the journal; "
        "edit the file instead."
    )


def _later(entry: JournalEntry, entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    path = nfc(entry.path)
    return [
        one
        for one in entries
        if one.entry > entry.entry and path in {nfc(one.path), nfc(one.source or "")}
    ]

"""What an import did with each file, as rows for a report."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tebiki.importer.outcomes import WORDS
from tebiki.named_tuples import NamedTuple

IMPORTED, UNCHANGED, PARTIAL, UNREAD = "imported", "unchanged", "partial", "unread"
KEPT, VANISHED, REMOVED = "kept", "vanished", "removed"
STATUSES = (IMPORTED, UNCHANGED, PARTIAL, UNREAD, KEPT, VANISHED, REMOVED)
"""In the order of a report. Kept: what is there was not overwritten or removed."""

EDITED = "edited"
NOT_OURS = "not_ours"
NAME_TAKEN = "name_taken"
NO_TEXT = "no_text"
PAGES = "pages"
ROOT_MISSING = "root_missing"
NOT_WRITTEN = "not_written"

MORE_WORDS = {
    EDITED: "the text was edited since it was imported; --force overwrites it",
    NOT_OURS: "a file is there that import did not write; it is never overwritten",
    NAME_TAKEN: "another source has the same place in the manual",
    NO_TEXT: "no text was found in it",
    ROOT_MISSING: "the folder it came from is missing or cannot be read",
}


class ImportRow(NamedTuple):
    """A source, where its text is, and what became of it."""

    source: str
    status: str
    output: str = ""
    reason: str = ""
    words: str = ""
    pages: int | None = None
    unread: tuple[int, ...] = ()
    parts: int = 1

    def row(self) -> dict[str, Any]:
        """For a program: what is not known is left out."""
        told: dict[str, Any] = {"source": self.source, "status": self.status}
        if self.output:
            told["output"] = self.output
        if self.reason:
            told |= {"reason": self.reason, "words": self.words or words_for(self.reason)}
        if self.pages is not None:
            told["pages"] = self.pages
        if self.unread:
            told["unread_pages"] = list(self.unread)
        if self.parts > 1:
            told["parts"] = self.parts
        return told


class ImportReport(NamedTuple):
    """All rows, how many files of other kinds were passed over, and why nothing was pruned."""

    rows: list[ImportRow]
    others: Counter[str]
    prune_refused: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """How many files there are of each status."""
        counted = Counter(row.status for row in self.rows)
        return {status: counted[status] for status in STATUSES if counted[status]}

    @property
    def is_whole(self) -> bool:
        """Whether every source is in the manual as it is now, and what was asked for was done."""
        unread = any(row.status in {UNREAD, KEPT} for row in self.rows)
        return not unread and not self.prune_refused


def words_for(reason: str) -> str:
    """A reason for a person."""
    return MORE_WORDS.get(reason) or WORDS.get(reason) or reason

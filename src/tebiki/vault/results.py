"""What the vault answers, and each answer as the caller's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.files.limits import MOST_CHARS
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.files.reading import Page


class VaultItem(NamedTuple):
    """A folder or a file in a listing."""

    name: str
    path: str
    kind: str

    def as_json(self) -> dict[str, Any]:
        """Give the item as the caller reads it."""
        return {"name": self.name, "path": self.path, "kind": self.kind}


class VaultListing(NamedTuple):
    """What is in a folder; the root has no path."""

    base_path: str | None
    items: tuple[VaultItem, ...]

    def as_json(self) -> dict[str, Any]:
        """Give the listing as the caller reads it."""
        return {"base_path": self.base_path, "items": [item.as_json() for item in self.items]}


class Created(NamedTuple):
    """A file that was made."""

    written_path: str
    written_bytes: int

    def as_json(self) -> dict[str, Any]:
        """Give the result as the caller reads it."""
        return {"written_path": self.written_path, "written_bytes": self.written_bytes}


class Replaced(NamedTuple):
    """A file that was searched, and how many hits were replaced."""

    written_path: str
    replacements: int

    def as_json(self) -> dict[str, Any]:
        """Give the result as the caller reads it."""
        return {"written_path": self.written_path, "replacements": self.replacements}


class Undone(NamedTuple):
    """A write that was taken back, and the entry that says so."""

    written_path: str
    entry: int
    undoes: int

    def as_json(self) -> dict[str, Any]:
        """Give the result as the caller reads it."""
        return {"written_path": self.written_path, "entry": self.entry, "undoes": self.undoes}


class Forgotten(NamedTuple):
    """How many entries are gone for good, of which notes, and whether the named one is there."""

    entries: int
    paths: tuple[str, ...]
    still_there: bool


class ReadPart(NamedTuple):
    """A page of a range or of a whole file."""

    page: Page
    full: bool

    def as_json(self) -> dict[str, Any]:
        """Give the page as the caller reads it."""
        page = self.page
        reason = "none" if page.is_last else "max_chars" if page.is_cut else "range_end"
        return {
            "text": page.text,
            "truncated": not page.is_last,
            "returned_chars": len(page.text),
            "applied_range": _lines(page),
            "next_cursor": {"char_offset": page.next_offset},
            "truncated_reason": reason,
            "applied": {"full": self.full, "max_chars": MOST_CHARS, "encoding": page.encoding},
        }


class VaultScanPart(NamedTuple):
    """A page of a file that is read on and on."""

    page: Page

    def as_json(self) -> dict[str, Any]:
        """Give the page as the caller reads it."""
        page = self.page
        return {
            "text": page.text,
            "applied_range": _lines(page),
            "next_cursor": {"char_offset": page.next_offset},
            "eof": page.is_last,
            "truncated": not page.is_last,
            "truncated_reason": "none" if page.is_last else "max_chars",
            "applied": {"max_chars": MOST_CHARS, "encoding": page.encoding},
        }


def _lines(page: Page) -> dict[str, int]:
    return {"start_line": page.first_line, "end_line": page.last_line}

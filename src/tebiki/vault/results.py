"""What the vault answers, as values; how callers read them is the counter's business."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.files.reading import Page


class VaultItem(NamedTuple):
    """A folder or a file in a listing."""

    name: str
    path: str
    kind: str


class VaultListing(NamedTuple):
    """What is in a folder; the root has no path."""

    base_path: str | None
    items: tuple[VaultItem, ...]


class Created(NamedTuple):
    """A file that was made."""

    written_path: str
    written_bytes: int
    etag: str


class Replaced(NamedTuple):
    """A file that was searched, how many hits were replaced, and what that changed.

    Without a path nothing was written; then the hash is that of the file as it still is.
    """

    written_path: str | None
    replacements: int
    etag: str
    diff: str | None = None


class Appended(NamedTuple):
    """A file that got longer, and by how much."""

    written_path: str
    written_bytes: int
    etag: str


class Removed(NamedTuple):
    """A file that is gone, and the entry by which it comes back."""

    removed_path: str
    entry: int


class Moved(NamedTuple):
    """A file that has another path, and the entry by which it goes back."""

    written_path: str
    moved_from: str
    entry: int


class Undone(NamedTuple):
    """A write that was taken back, and the entry that says so."""

    written_path: str
    entry: int
    undoes: int


class Forgotten(NamedTuple):
    """How many entries are gone for good, of which notes, and whether the named one is there.

    `other_names` are those that a note had before or after a move, and that have entries still.
    """

    entries: int
    paths: tuple[str, ...]
    still_there: bool
    other_names: tuple[str, ...] = ()


class ReadPart(NamedTuple):
    """A page of a range or of a whole file."""

    page: Page
    full: bool
    etag: str


class VaultScanPart(NamedTuple):
    """A page of a file that is read on and on."""

    page: Page
    etag: str

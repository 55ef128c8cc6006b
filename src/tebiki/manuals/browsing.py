"""The manuals for whoever names a place in them by itself: folders and texts, nothing remembered.

What a client has listed or read before does not matter here, and nothing is noted of it. Searching,
and reading on by asking again, are elsewhere.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from tebiki.errors import NotFound
from tebiki.files.names import RelativePath, parse
from tebiki.manuals import listing, reading
from tebiki.manuals.documents.folders import is_ignored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.files.paths import Root
    from tebiki.files.patience import Patience
    from tebiki.files.reading import Texts
    from tebiki.files.text import FileText
    from tebiki.manuals.documents.file_types import FileTypes


class Browser:
    """The folders and texts below a root."""

    __slots__ = ("_root", "_texts", "_types")

    def __init__(self, root: Root, texts: Texts, types: FileTypes) -> None:
        self._root = root
        self._types = types
        self._texts = texts

    def ids(self) -> list[str]:
        """The manuals, by name."""
        return listing.manual_ids(self._root)

    def folder(self, manual_id: str, path: str = "") -> listing.Listing:
        """List a folder of a manual, or its top.

        Raises:
            NotFound: there is no such manual or folder.
            TebikiError: it may not be listed.
        """
        self._check_id(manual_id)
        inner = [part for part in path.split("/") if part]
        return listing.ls(self._root, "/".join([manual_id, *inner]), self._types)

    @contextmanager
    def open_text(self, manual_id: str, path: str, patience: Patience) -> Iterator[FileText]:
        """Open the text of a file.

        Raises:
            NotFound: there is no such manual or file.
            TebikiError: it may not be read.
        """
        self._check_id(manual_id)
        known = listing.resolve_manual(self._root, manual_id)
        with self._texts.open(reading.path_in(known, path, self._types), patience) as text:
            yield text

    def read_bytes(self, manual_id: str, path: str, most: int) -> bytes:
        """Read a file of any kind, such as a picture; no more than so many bytes, and one more.

        Raises:
            NotFound: there is no such manual or file.
            TebikiError: it may not be read.
        """
        self._check_id(manual_id)
        known = listing.resolve_manual(self._root, manual_id)
        parts = parse(path).parts
        if not parts or any(map(is_ignored, parts)):
            raise NotFound("There is no such file.")
        with self._root.regular_file(RelativePath((known, *parts))) as file:
            return file.read(most + 1)

    def _check_id(self, manual_id: str) -> None:
        """Refuse what is no id of one manual: `ls` has a name for all of them."""
        if manual_id == listing.ROOT_ID or "/" in manual_id:
            raise NotFound("There is no such manual.")

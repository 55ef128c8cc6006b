"""Several folders as one root: those that have a name of their own stand beside what is in it.

Each is behind a gate of its own: a path below a name never leaves the folder of that name.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tebiki.files.handles import Kind
from tebiki.files.names import TOP, RelativePath, nfc
from tebiki.files.paths import FolderEntry, Root

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tebiki.files.handles import Folder


class JoinedRoot(Root):
    """A root in which some names stand for folders elsewhere; such a name hides one inside."""

    __slots__ = ("_named",)

    def __init__(self, path: str | os.PathLike[str], named: Mapping[str, str]) -> None:
        super().__init__(path)
        self._named = {nfc(name): Root(folder) for name, folder in named.items()}

    def origin_of(self, name: str) -> tuple[str, str]:
        """The folder above what is called so at the top, and its name there."""
        named = self._named.get(nfc(name))
        return super().origin_of(name) if named is None else os.path.split(named.path)

    @contextmanager
    def folder(
        self, path: RelativePath, *, make: bool = False, private: bool = False
    ) -> Iterator[tuple[Folder, RelativePath]]:
        """Walk to a folder; the first step may lead elsewhere."""
        name = nfc(path.parts[0]) if path.parts else ""
        root, inside = self._named.get(name), RelativePath(path.parts[1:])
        if root is None:
            with super().folder(path, make=make, private=private) as found:
                yield found
            return
        with root.folder(inside, make=make, private=private) as (folder, stored):
            yield folder, RelativePath((name, *stored.parts))

    def listing(self, path: RelativePath = TOP) -> tuple[RelativePath, list[FolderEntry]]:
        """List a folder; at the top the names that lead elsewhere too, where there is a folder."""
        stored, entries = super().listing(path)
        if path.parts:
            return stored, entries
        own = [entry for entry in entries if nfc(entry.name) not in self._named]
        there = [name for name, root in self._named.items() if os.path.isdir(root.path)]
        return stored, [*own, *(FolderEntry(name, Kind.FOLDER, nameable=True) for name in there)]

"""A manual that is watched, its clock in the test's hand, and the same manual walked."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any

from tebiki.files.paths import Root
from tebiki.manuals.documents.sources import WalkedManual
from tebiki.manuals.find import Clocks
from tebiki.manuals.library import Library
from tebiki.manuals.request import FindRequest
from tests.manuals import usual

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.manuals.documents.watching import WatchedManual


class Watched:
    """The manual `m` in a folder, and a folder outside of it."""

    def __init__(self, folder: Path, *, most_folders: int = 1000, most_manuals: int = 8) -> None:
        from tebiki.manuals.documents.watching import WatchPlaces  # only where that can be

        self.root = folder / "manuals"
        self.folder = self.root / "m"
        self.outside = folder / "outside"
        self.said: list[str] = []
        self.now = 0.0
        self._cache = folder / "cache"
        self._most_folders = most_folders
        self._places = WatchPlaces(lambda: self.now, most_manuals)
        self.folder.mkdir(parents=True)
        self.outside.mkdir()
        self.source = self.another("m")

    def another(self, manual_id: str) -> WatchedManual:
        """The source of a manual."""
        from tebiki.manuals.documents.watching import WatchedManual  # see above

        return WatchedManual(
            Root(self.root),
            manual_id,
            self._places,
            lambda: self.now,
            self.said.append,
            most_folders=self._most_folders,
        )

    def write(self, path: str, text: str) -> None:
        """Write a file of the manual."""
        where = self.folder / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(text)

    def library(self, *, lasts: bool) -> Library:
        """A library of its own, with an index of its own, that watches if it lasts."""
        finder = usual.FINDER._replace(index_root=str(self._cache / str(lasts)), lasts=lasts)
        numbers = itertools.count()
        library = Library(
            self.root,
            usual.LIBRARY._replace(finder=finder),
            Clocks(time.time, time.monotonic, time.time_ns),
            lambda: f"trace-{next(numbers)}",
            log=self.said.append,
        )
        library.ls()
        return library

    @staticmethod
    def find(library: Library, word: str) -> dict[str, Any]:
        """All that a find says."""
        return library.find(FindRequest(word, "m", (word,))).found.to_json()


def difference(watched: Watched) -> str:
    """Where a watched manual is not what a walk finds; nothing if it is."""
    seen = watched.source.walk(lambda: False)
    there = WalkedManual(Root(watched.root), "m").walk(lambda: False)
    if not seen.is_whole:
        return "not whole"
    for name in ("files", "unsupported"):
        one, other = getattr(seen, name), getattr(there, name)
        if one != other:
            paths = [path for path in {*one, *other} if one.get(path) != other.get(path)]
            return f"{name}: {paths}"
    return "" if sorted(seen.skipped) == sorted(there.skipped) else "skipped"

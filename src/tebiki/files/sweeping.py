"""What killed writers left below a root, removed later: temporary files, and nothing else.

A writer holds its lock from before its temporary file is made until after that is gone, and the
file's name tells which lock that is. So whoever gets the lock knows that no such file is in use.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from tebiki.errors import RefusedError, UsageError
from tebiki.files.handles import Kind, kind_of
from tebiki.files.names import TEMPORARY_PREFIX, TOP, RelativePath
from tebiki.files.paths import translate_os_errors
from tebiki.files.privacy import is_ours

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.files.handles import Folder
    from tebiki.files.paths import Root
    from tebiki.files.writing import Locks

PAUSE_SECONDS = 600.0
"""Between two sweeps of one folder by one process: a folder of thousands takes a while to list."""

UNTOLD_SECONDS = 24 * 60 * 60.0
"""Age from which a file is removed whose name tells no lock, once nobody holds any lock at all."""

OURS = re.compile(
    re.escape(TEMPORARY_PREFIX)
    + r"(?:([0-9a-f]{2})-[0-9a-f]{24}"  # of a write, with its lock
    + r"|[0-9a-f]{24}"  # as older versions of this program named them
    + r"|try-[0-9a-f]{16})"  # of a trial, which takes no lock of the root
)


class Sweeper:
    """Removes temporary files whose writer is gone; what it cannot do now it leaves for later."""

    __slots__ = ("_clock", "_locks", "_root", "_swept")

    def __init__(self, root: Root, locks: Locks, clock: Callable[[], float]) -> None:
        self._root = root
        self._locks = locks
        self._clock = clock
        self._swept: dict[RelativePath, float] = {}

    def sweep_sometimes(self, path: RelativePath) -> None:
        """Sweep a folder, unless this process did so a moment ago."""
        now = self._clock()
        last = self._swept.get(path)
        if last is None or not 0 <= now - last < PAUSE_SECONDS:
            self._swept[path] = now
            self._sweep(path)

    def sweep_all(self) -> int:
        """Sweep every folder below the root; gives how many files were removed."""
        removed, waiting = 0, [TOP]
        while waiting:
            path = waiting.pop()
            count, inside = self._sweep(path)
            removed += count
            waiting += [RelativePath((*path.parts, name)) for name in inside]
        return removed

    def _sweep(self, path: RelativePath) -> tuple[int, list[str]]:
        """Sweep one folder; gives how many files were removed, and the folders in it."""
        removed, folders = 0, list[str]()
        with (
            suppress(UsageError, RefusedError),
            self._root.folder(path) as (folder, shown),
            translate_os_errors(str(shown)),
        ):
            for name, kind in folder.kinds():
                if kind is Kind.FOLDER:
                    folders.append(name)
                elif kind is Kind.FILE and name.startswith(TEMPORARY_PREFIX):
                    with suppress(OSError):
                        removed += self._remove(folder, name)
        return removed, folders

    def _remove(self, folder: Folder, name: str) -> bool:
        found = OURS.fullmatch(name)
        if found is None or not (found[1] or self._is_old(folder, name)):
            return False
        with self._locks.free(found[1]) as is_free:
            # Looked at while the lock is held: now nobody puts another one in its place.
            status = folder.look(name)
            if not is_free or kind_of(status) is not Kind.FILE or not is_ours(status):
                return False
            folder.remove(name)
        return True

    def _is_old(self, folder: Folder, name: str) -> bool:
        return self._clock() - folder.look(name).st_mtime > UNTOLD_SECONDS

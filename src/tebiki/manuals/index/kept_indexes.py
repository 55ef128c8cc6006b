"""The indexes that lie in the user's cache, and of those the ones whose manuals are gone.

An index can always be built again, so removing one loses nothing. Only folders that this program
made are looked at: no links, nothing of another user, nothing by another kind of name.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from tebiki.files.handles import Kind, kind_of
from tebiki.files.privacy import is_ours
from tebiki.manuals.index.small_files import Broken, remove_path
from tebiki.manuals.index.store import (
    KEY_CHARS,
    index_folder,
    indexes_folder,
    open_lock,
    read_origin,
)
from tebiki.named_tuples import NamedTuple
from tebiki.system.file_locks import try_lock, unlock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tebiki.manuals.index.store import IndexOrigin

KEY = re.compile(f"[0-9a-f]{{{KEY_CHARS}}}")
USED, GONE, UNKNOWN = "used", "gone", "unknown"


class KeptIndex(NamedTuple):
    """An index on disk: of which manual, if that was noted, and whether there is such a manual.

    The state is used, gone, or unknown where an older version noted nothing.
    """

    folder: str
    origin: IndexOrigin | None
    state: str
    size: int

    def row(self) -> dict[str, object]:
        """The row that tells of it."""
        noted = self.origin._asdict() if self.origin else {"root": None, "manual_id": None}
        return {**noted, "folder": self.folder, "state": self.state, "bytes": self.size}

    @property
    def name(self) -> str:
        """What a person knows it by: the manual's folder, or its own."""
        return os.path.join(*self.origin) if self.origin else self.folder


def kept_indexes(cache: str, origins: Iterable[tuple[str, str]]) -> list[KeptIndex]:
    """List the indexes of a cache, by the folders of their manuals.

    Those of the manuals given are in use, whether or not that was noted in them.
    """
    own = {index_folder(cache, root, manual_id) for root, manual_id in origins}
    found = [_look_at(folder, is_own=folder in own) for folder in _folders(indexes_folder(cache))]
    return sorted(found, key=lambda one: (one.state, one.name))


def remove_index(index: KeptIndex) -> bool:
    """Remove an index; False when it is in use, or there is a manual again.

    Raises:
        OSError: it cannot be removed.
    """
    try:
        with open_lock(index.folder) as descriptor:
            if not try_lock(descriptor):
                return False
            try:
                if index.origin and _is_there(index.origin):
                    return False
                remove_path(index.folder)
            finally:
                unlock(descriptor)
    except Broken:
        remove_path(index.folder)  # whatever stands for its lock, nobody can hold it
    return True


def _folders(indexes: str) -> Iterator[str]:
    """The folders of indexes, as this program makes them."""
    try:
        with os.scandir(indexes) as entries:
            found = [entry for entry in entries if KEY.fullmatch(entry.name)]
            looks = [(entry.path, entry.stat(follow_symlinks=False)) for entry in found]
    except OSError:
        return  # there is no cache yet, or it may not be read
    for path, status in looks:
        if kind_of(status) is Kind.FOLDER and is_ours(status):
            yield path


def _look_at(folder: str, *, is_own: bool) -> KeptIndex:
    origin = read_origin(folder)
    is_used = is_own or (origin is not None and _is_there(origin))
    lost = GONE if origin else UNKNOWN
    return KeptIndex(folder, origin, USED if is_used else lost, _size(folder))


def _is_there(origin: IndexOrigin) -> bool:
    return os.path.isdir(os.path.join(*origin))


def _size(folder: str) -> int:
    """Bytes of all files below a folder."""
    sizes = 0
    for above, _, names in os.walk(folder):
        for name in names:
            try:
                sizes += os.lstat(os.path.join(above, name)).st_size
            except OSError:
                continue  # removed since it was listed
    return sizes

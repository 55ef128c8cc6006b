"""A client's configuration file: read, written whole or not at all, and backed up beside itself.

A backup's name carries the digest of what was written after it, so the name alone tells whether
the file has changed since. Its mode is that of the file: it holds the same secrets.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tebiki.errors import Conflict, Forbidden, NotFound
from tebiki.files import handles, writing
from tebiki.files.paths import Place, open_regular, translate_os_errors
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.clients import places

MOST_BYTES = 64 * 1024 * 1024
"""Far above any settings file; more is not read."""

COPY = "bak"
NOTHING = "none"
UNDONE = "undone"
"""How a backup's name ends: a copy of the file, a mark that there was none, or a copy of what an
undo took back, which no further undo brings again."""


class ConfigFile(NamedTuple):
    """What was found: where, and its bytes with its status, or None for no file."""

    path: str
    data: bytes | None
    status: os.stat_result | None
    shared: bool = False


def look(place: places.ConfigPlace) -> ConfigFile:
    """Read the file.

    Raises:
        Forbidden: it is a link that leads elsewhere, or may not be read.
        Conflict: it is too large to be one.
        NotFound: it is a folder, or a link to nothing.
    """
    path = _follow_link(place)
    try:
        with _hold_place(path) as held, open_regular(held) as file:
            status = os.fstat(file.fileno())
            if status.st_size > MOST_BYTES:
                raise Conflict(f"{path} has {status.st_size} bytes; that is no settings file.")
            return ConfigFile(path, file.read(), status, place.shared)
    except NotFound:
        if os.path.lexists(path):
            raise
        return ConfigFile(path, None, None, place.shared)


def save(found: ConfigFile, data: bytes, *, undoes: bool = False) -> str:
    """Write the file, and give the path of the backup.

    Raises:
        Conflict: someone changed the file just now.
        Forbidden: the system does not allow it.
    """
    folder = os.path.dirname(found.path)
    with translate_os_errors(folder):
        os.makedirs(folder, exist_ok=True)
    kind = NOTHING if found.data is None else UNDONE if undoes else COPY
    backup = _backup(found.path, data, kind)
    with _hold_place(found.path) as held, _hold_place(backup) as beside:
        if found.data is None or found.status is None:
            # The mark first: it says nothing of a file that then was not written after all.
            if not os.path.lexists(backup):
                writing.create(beside, b"", _nothing_to_wait_for)
            # Private as the clients do it themselves: keys are kept in such files.
            mode = writing.AS_USUAL if found.shared else writing.PRIVATE
            writing.create(held, data, _nothing_to_wait_for, mode)
        else:
            writing.replace(beside, found.data, found.status, _nothing_to_wait_for, like=held)
            writing.replace(held, data, found.status, lambda: _require_unchanged(found))
    return backup


def backup_of(found: ConfigFile) -> ConfigFile | None:
    """The backup from just before the file became what it is; without data: there was no file."""
    if found.data is None:
        return None
    for kind in (COPY, NOTHING):
        path = _backup(found.path, found.data, kind)
        if os.path.lexists(path):
            with _hold_place(path) as held, open_regular(held) as file:
                return ConfigFile(path, file.read() if kind == COPY else None, None)
    return None


def restore(found: ConfigFile, backup: ConfigFile) -> None:
    """Put a backup in the place of the file.

    Raises:
        Conflict: someone changed the file just now.
        Forbidden: the system does not allow it.
    """
    with _hold_place(found.path) as held, _hold_place(backup.path) as beside:
        if backup.data is None or found.status is None:
            writing.remove(held, lambda: _require_unchanged(found))
        else:
            writing.replace(held, backup.data, found.status, lambda: _require_unchanged(found))
        writing.remove(beside, _nothing_to_wait_for)


def _follow_link(place: places.ConfigPlace) -> str:
    """The file itself, where a link stands for it and leads somewhere sensible.

    In a project, which may be a stranger's, the folders on the way are looked at too.
    """
    real = os.path.realpath(place.path)
    is_link = os.path.islink(place.path)
    if is_link and not os.path.exists(real):
        raise NotFound(f"{place.path} is a link to {real}, which does not exist; put that right.")
    if (is_link or place.shared) and not _within(real, place.roofs):
        raise Forbidden(
            f"{place.path} is a link to {real}, outside {place.roofs[0]}; "
            "edit that file yourself, or replace the link by a file."
        )
    return real if is_link else place.path


def _within(path: str, roofs: tuple[str, ...]) -> bool:
    return any(path.startswith(os.path.join(os.path.realpath(roof), "")) for roof in roofs)


@contextmanager
def _hold_place(path: str) -> Iterator[Place]:
    """A name in its folder, shown by the whole path: it is the user's own machine."""
    folder, name = os.path.split(path)
    with translate_os_errors(path):
        held = handles.open_top(os.path.realpath(folder))
    with held as open_folder:
        yield Place(open_folder, name, path)


def _backup(path: str, written: bytes, kind: str) -> str:
    digest = hashlib.sha256(written).hexdigest()[:12]
    return f"{path}.tebiki-{digest}.{kind}"


def _require_unchanged(found: ConfigFile) -> None:
    with _hold_place(found.path) as held, open_regular(held) as file:
        if file.read() != found.data:
            raise Conflict(f"{found.path} was changed just now by someone else; try again.")


def _nothing_to_wait_for() -> None:
    """Nothing has to happen before this write."""

"""Indexes that may hold a file's text, removed for good: the next find builds them anew.

An index notes of which manual it is. One that was made before that was noted is judged by whether
it is of a manual below the present root, else by the files it lists, and where even that cannot
tell, it goes: deleting an index is always safe.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

from tebiki.errors import Conflict
from tebiki.files import locks
from tebiki.files.names import nfc
from tebiki.manuals.index import engine
from tebiki.manuals.index.manifest_file import manifest_of
from tebiki.manuals.index.manifest_log import LOG
from tebiki.manuals.index.small_files import Broken, read_body, remove_path
from tebiki.manuals.index.store import (
    LOCK,
    MANIFEST,
    NEXT,
    index_folder,
    indexes_folder,
    open_lock,
    read_origin,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

POLL_SECONDS = 0.1
"""Between two looks at whether there is time left to wait for a lock."""


def drop_indexes(
    indexes: str, root: str, files: Collection[str], stop: Callable[[], bool]
) -> list[str]:
    """Remove every index that may hold the text of files, which need not exist any more.

    Gives their folders. Waits for whoever writes one, until `stop`.

    Raises:
        Conflict: one is being written all the time.
    """
    try:
        names = sorted(os.listdir(indexes_folder(indexes)))
    except FileNotFoundError:
        return []
    known = _known(indexes, root)
    wanted = [nfc(os.path.realpath(file)) for file in files]
    folders = [os.path.join(indexes_folder(indexes), name) for name in names]
    concerned = [
        folder
        for folder in folders
        if os.path.isdir(folder)
        and not os.path.islink(folder)
        and _may_hold(folder, _manual(folder) or known.get(folder), wanted)
    ]
    for folder in concerned:
        _drop(folder, stop)
    return concerned


def _known(indexes: str, root: str) -> dict[str, str]:
    """The folders of the manuals below the root, by the folders of their indexes."""
    try:
        names = os.listdir(root)
    except OSError:
        return {}
    real = os.path.realpath(root)
    return {
        index_folder(indexes, root, spelling): os.path.join(real, name)
        for name in names
        for spelling in (name, nfc(name))
    }


def _manual(folder: str) -> str | None:
    origin = read_origin(folder)
    return None if origin is None else os.path.join(os.path.realpath(origin.root), origin.manual_id)


def _may_hold(folder: str, manual: str | None, files: list[str]) -> bool:
    if manual is not None:
        # Of what was in there once, something may be left, whatever the manifest says; and what is
        # forgotten may be a folder, with the manual in it.
        inside, own = f"{nfc(manual)}{os.sep}", nfc(manual)
        return any(
            file.startswith(inside) or f"{own}{os.sep}".startswith(_in(file)) for file in files
        )
    if os.path.lexists(os.path.join(folder, LOG)):
        return True
    try:
        stored = [read_body(folder, name)[1] for name in (MANIFEST, NEXT)]
    except (Broken, OSError, ValueError):
        return True
    for body in stored:
        manifest = None if body is None else manifest_of(body, engine.FORMAT)
        if body is not None and (manifest is None or manifest.has_removed):
            return True
        paths = () if manifest is None else manifest.files
        if any(_is_same(file, path) for path in paths for file in files):
            return True
    return stored == [None, None]


def _in(file: str) -> str:
    return file + os.sep


def _is_same(file: str, path: str) -> bool:
    """Tell whether a file, or one below it, may be what an index of an unknown root lists."""
    listed = path.replace("/", os.sep)
    top = os.path.basename(file)
    return _in(file).endswith(f"{os.sep}{listed}{os.sep}") or top in listed.split(os.sep)[:-1]


def _drop(folder: str, stop: Callable[[], bool]) -> None:
    """Remove all of an index but its lock, which whoever is next needs."""
    with open_lock(folder) as descriptor, ExitStack() as held:
        while True:
            try:
                held.enter_context(
                    locks.hold_file(descriptor, "An index of a manual", POLL_SECONDS)
                )
                break
            except Conflict:
                if stop():
                    raise
        for name in os.listdir(folder):
            if name != LOCK:
                remove_path(os.path.join(folder, name))

"""Who may read what: modes of files that are their owner's alone, and whose a file is.

How a name becomes a descriptor is the business of `handles`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from tebiki.files import handles
from tebiki.files.handles import Kind

if TYPE_CHECKING:
    from tebiki.files.handles import Folder

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
HERE = "."


def is_ours(status: os.stat_result) -> bool:
    """Tell whether a file belongs to this user; where the system has no such thing, it does."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def _is_open_to_others(status: os.stat_result) -> bool:
    """Tell whether others have access to a file or folder, and it is ours to take that away."""
    return bool(status.st_mode & 0o077) and hasattr(os, "geteuid") and is_ours(status)


def close_to_others(descriptor: int) -> None:
    """Take others' access to an open file away, where they have any."""
    if _is_open_to_others(os.fstat(descriptor)):
        os.fchmod(descriptor, PRIVATE_FILE)


def close_folder_to_others(folder: Folder) -> None:
    """Take others' access to a folder and to the files in it away, where they have any."""
    if not _is_open_to_others(folder.look(HERE)):
        return
    for name, kind in folder.kinds():
        if kind is Kind.FILE:
            # One that is gone, or may not be opened, is left to whoever uses it.
            with suppress(OSError):
                _close(folder, name, PRIVATE_FILE)
    # Last of all: a folder that is closed says that the files in it are.
    _close(folder, HERE, PRIVATE_FOLDER)


def _close(folder: Folder, name: str, mode: int) -> None:
    descriptor = folder.open(name, handles.READ)
    try:
        if _is_open_to_others(os.fstat(descriptor)):
            os.fchmod(descriptor, mode)
    finally:
        os.close(descriptor)

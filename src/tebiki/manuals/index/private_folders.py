"""Folders of the user's cache that hold the manuals' text: ours, private, and never behind a link.

Whoever can put a link into a shared folder must not get our files, nor have us change theirs.
"""

from __future__ import annotations

import contextlib
import errno
import os
from typing import TYPE_CHECKING

from tebiki.errors import OutOfScope
from tebiki.files import handles
from tebiki.files.privacy import HERE, PRIVATE_FOLDER, close_folder_to_others, is_ours

if TYPE_CHECKING:
    from tebiki.files.handles import Folder


def private_folder(path: str) -> str:
    """Make a folder, or take the one there if it is ours; gives its path without any link.

    Links on the way to it are the user's own affair, such as a cache on another disk.

    Raises:
        OSError: it cannot be made, is a link, or belongs to somebody else.
    """
    above, name = os.path.split(path)
    os.makedirs(above, PRIVATE_FOLDER, exist_ok=True)
    path = os.path.join(os.path.realpath(above), name)
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, PRIVATE_FOLDER)
    with open_folder(path) as folder:
        if not is_ours(folder.look(HERE)):
            raise PermissionError(errno.EPERM, "it belongs to somebody else")
        close_folder_to_others(folder)
    return path


def open_folder(path: str) -> Folder:
    """Open a folder that was made as above.

    Raises:
        OSError: there is none, or a link stands there.
    """
    try:
        return handles.open_top(path)
    except OutOfScope:
        raise PermissionError(errno.EPERM, "a link stands there") from None

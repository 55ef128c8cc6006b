"""Files for their owner alone, and never a link, a pipe or a folder that somebody put there."""

from __future__ import annotations

import os
import stat

OWNER_ALONE = 0o600

_SAFE = (
    getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # opening a pipe that someone put there must not wait
    | getattr(os, "O_BINARY", 0)
)


def open_regular(path: str, mode: int) -> int:
    """Open a regular file, made for its owner alone.

    Raises:
        OSError: it cannot be opened, or is something else.
    """
    descriptor = os.open(path, mode | _SAFE, OWNER_ALONE)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is no regular file")
    return descriptor


def require_regular(path: str) -> None:
    """See to it that a path names a regular file, without opening it.

    Raises:
        OSError: it does not.
    """
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise OSError(f"{path} is no regular file")

"""Locks between threads and processes: open files, let go when a process dies.

Waiting is bounded. What a lock protects is its user's business.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tebiki.errors import Conflict
from tebiki.files import handles
from tebiki.files.handles import Kind, kind_of
from tebiki.files.privacy import PRIVATE_FILE
from tebiki.system.file_locks import try_lock, unlock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.files.handles import Folder

LONGEST_WAIT_SECONDS = 10.0
"""A write takes milliseconds: whoever keeps others out for so long hangs."""

SHORTEST_PAUSE_SECONDS = 0.0005
LONGEST_PAUSE_SECONDS = 0.02
"""Between two looks at a lock that is taken, twice as long each time."""


@contextmanager
def hold(folder: Folder, name: str, what: str, longest_wait: float) -> Iterator[None]:
    """Hold the lock file of that name.

    Raises:
        Conflict: someone else held it all the time, or it is no file.
    """
    with _open_lock(folder, name, what) as descriptor, hold_file(descriptor, what, longest_wait):
        yield


@contextmanager
def hold_if_free(folder: Folder, name: str) -> Iterator[bool]:
    """Hold the lock file of that name, if nobody else does; tells whether it is held.

    Raises:
        Conflict: it is no file.
    """
    with _open_lock(folder, name, name) as descriptor:
        is_free = try_lock(descriptor)
        try:
            yield is_free
        finally:
            if is_free:
                unlock(descriptor)


@contextmanager
def _open_lock(folder: Folder, name: str, what: str) -> Iterator[int]:
    descriptor = folder.open(name, handles.APPEND, PRIVATE_FILE)
    try:
        if kind_of(os.fstat(descriptor)) is not Kind.FILE:
            raise Conflict(f"The lock for {what} is no regular file; remove it and try again.")
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def hold_file(
    descriptor: int, what: str, longest_wait: float = LONGEST_WAIT_SECONDS
) -> Iterator[None]:
    """Keep others who lock the same open file out.

    Raises:
        Conflict: someone else kept us out all the time.
    """
    _wait(descriptor, what, longest_wait)
    try:
        yield
    finally:
        unlock(descriptor)


def _wait(descriptor: int, what: str, longest_wait: float) -> None:
    deadline = time.monotonic() + longest_wait
    pause = SHORTEST_PAUSE_SECONDS
    while not try_lock(descriptor):
        if time.monotonic() >= deadline:
            raise Conflict(f"{what} is being written by someone else; try again in a moment.")
        time.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

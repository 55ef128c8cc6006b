"""Standard descriptors as the operating system has them: which are open, and is there room.

Knows nothing of messages or logs. Where a question cannot be asked (pipes on Windows) it is None.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ALWAYS_FITS = 4096
"""Bytes that a pipe reported writable takes without blocking: Linux's PIPE_BUF."""


def fill_closed() -> set[int]:
    """Open the null device for each of 0, 1 and 2 that is closed, and say which were.

    Otherwise the next file opened would take such a number, and be mistaken for the stream.
    """
    closed = set()
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            closed.add(descriptor)
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number: this one
    return closed


def make_blocking(descriptor: int) -> None:
    """Let reads and writes wait; Windows has no such switch before Python 3.12, nor the need."""
    set_blocking = getattr(os, "set_blocking", None)
    if set_blocking is None:
        return
    try:
        set_blocking(descriptor, True)
    except OSError:
        # On Windows only pipes know it; everything else waits anyway.
        return


def room_probe(descriptor: int) -> Callable[[int], bool] | None:
    """Make the question "is there room for a small write, within so many milliseconds?".

    It may be asked by one thread at a time: the system's poll object bears no more.
    """
    poll = _poll(descriptor, "POLLOUT")
    return None if poll is None else lambda milliseconds: bool(poll(milliseconds))


def departure_of_reader(descriptor: int) -> Callable[[], None] | None:
    """Make a wait for the moment when the other end of a pipe or socket is closed."""
    poll = _poll(descriptor, None)  # no wish but those always reported: error and hang-up
    if poll is None:
        return None

    def wait() -> None:
        poll(None)

    return wait


def _poll(descriptor: int, wish: str | None) -> Callable[[int | None], object] | None:
    try:
        import select  # its `poll` is absent from some platforms

        poll = select.poll()
        poll.register(descriptor, getattr(select, wish) if wish is not None else 0)
    except (ImportError, AttributeError, OSError):
        return None
    return poll.poll

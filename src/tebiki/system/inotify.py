"""inotify, by which Linux tells what happened in folders, and which file system a folder is on.

By ctypes, which the standard library has and which takes milliseconds to import: imported only by
whoever watches. Knows nothing of manuals.
"""

from __future__ import annotations

import array
import ctypes
import errno
import fcntl
import os
import struct
import termios
from functools import cache

from tebiki.named_tuples import NamedTuple

MODIFY, ATTRIB, CLOSE_WRITE = 0x2, 0x4, 0x8
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF = 0x400, 0x800
UNMOUNT, OVERFLOW, IGNORED = 0x2000, 0x4000, 0x8000
IS_FOLDER = 0x4000_0000
_ONLY_FOLDERS = 0x0100_0000
_WANTED = (
    MODIFY
    | ATTRIB
    # When the last writer lets go, its memory maps included, which tell nothing else.
    | CLOSE_WRITE
    | MOVED_FROM
    | MOVED_TO
    | CREATE
    | DELETE
    | DELETE_SELF
    | MOVE_SELF
    | _ONLY_FOLDERS
)
_HEAD = struct.Struct("iIII")
_READ_BYTES = 256 * 1024
_STATFS_BYTES = 256
"""More than the structure has on any machine."""

LOCAL_FILE_SYSTEMS = {
    0xEF53: "ext4",
    0x58465342: "xfs",
    0x9123683E: "btrfs",
    0x01021994: "tmpfs",
    0x858458F6: "ramfs",
    0xF2F52010: "f2fs",
    0x2FC12FC1: "zfs",
    0xCA451A4E: "bcachefs",
    0x794C7630: "overlay",
    0x2011BAB0: "exfat",
    0x4D44: "vfat",
}
"""Those where nobody writes but this machine, through its own kernel: all that happens is told."""


class Happening(NamedTuple):
    """What happened: in which watched folder, what (bits), and to which name in it, if any."""

    watch: int
    mask: int
    name: str


class Inotify:
    """A queue of what happens in some folders; one descriptor. For one thread at a time.

    Raises:
        OSError: the system has no more of them for this user.
    """

    __slots__ = ("_descriptor",)

    def __init__(self) -> None:
        self._descriptor = _check(_libc().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))

    def close(self) -> None:
        """Stop watching everything."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        if hasattr(self, "_descriptor"):
            self.close()

    def watch(self, folder: int) -> int:
        """Watch a folder that is open, whatever its path is; gives the number of the watch.

        A folder that is watched already keeps its number.

        Raises:
            OSError: the user may have no more watches, or the folder may not be read.
        """
        # By the descriptor: a path could have been swapped for a link.
        path = b"/proc/self/fd/%d" % folder
        return _check(_libc().inotify_add_watch(self._descriptor, path, _WANTED))

    def unwatch(self, watch: int) -> None:
        """Stop watching a folder; it may be gone by now."""
        _libc().inotify_rm_watch(self._descriptor, watch)

    def read(self) -> list[Happening]:
        """All that happened until now, in order; what happens meanwhile may be among it or not."""
        waiting = array.array("i", [0])
        fcntl.ioctl(self._descriptor, termios.FIONREAD, waiting)
        left, found = waiting[0], []
        # No more than waits now: a storm of writers must not keep a reader for ever.
        while left > 0:
            try:
                data = os.read(self._descriptor, _READ_BYTES)
            except BlockingIOError:
                break
            left -= len(data)
            found += _parse(data)
        return found


def _parse(data: bytes) -> list[Happening]:
    found = []
    at = 0
    while at < len(data):
        watch, mask, _, length = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        name = data[at : at + length].rstrip(b"\0")
        found.append(Happening(watch, mask, os.fsdecode(name)))
        at += length
    return found


def file_system_of(folder: int) -> int:
    """The number of the kind of file system that an open folder is on.

    Raises:
        OSError: it cannot be told.
    """
    told = ctypes.create_string_buffer(_STATFS_BYTES)
    _check(_libc().fstatfs(folder, told))
    # Some machines have it as a signed number.
    return ctypes.c_long.from_buffer(told).value & 0xFFFF_FFFF


@cache
def _libc() -> ctypes.CDLL:
    found = ctypes.CDLL(None, use_errno=True)
    # An old or foreign C library that lacks one of them is no library to watch with.
    for name in ("inotify_init1", "inotify_add_watch", "inotify_rm_watch", "fstatfs"):
        if not hasattr(found, name):
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    return found


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result

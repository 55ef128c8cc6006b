"""A word to running servers that something was forgotten: they drop what they keep of finds.

A small file beside the indexes; whoever finds it changed forgets. No text is in it.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

STAMP = "forgotten"
_FLAGS = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def tell_servers(indexes: str) -> None:
    """Have every server that uses these indexes forget what it found."""
    with contextlib.suppress(FileNotFoundError):
        descriptor = os.open(os.path.join(indexes, STAMP), _FLAGS | os.O_TRUNC, 0o600)
        try:
            os.write(descriptor, os.urandom(8).hex().encode())
        finally:
            os.close(descriptor)


class Amnesia:
    """Calls `forget` once for each word that was said since it was made."""

    __slots__ = ("_forget", "_path", "_seen")

    def __init__(self, indexes: str | None, forget: Callable[[], None]) -> None:
        self._path = None if indexes is None else os.path.join(indexes, STAMP)
        self._forget = forget
        self._seen = self._look()

    def obey(self) -> None:
        """Forget, if that was asked for."""
        look = self._look()
        if look != self._seen:
            self._seen = look
            self._forget()

    def _look(self) -> tuple[int, int, int] | None:
        if self._path is None:
            return None
        try:
            status = os.lstat(self._path)
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_ctime_ns

"""The store of a worker that shares a file with others, for as long as the file can be used.

While it cannot (a full disk, a folder that is gone), the worker keeps what it is given in its own
memory: then a client is served, if not always by what another worker knows.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from tebiki.state.memory import MemoryStateStore
from tebiki.state.shared import SharedStore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from tebiki.state.store import Kept, Lease, Shelf

Given = TypeVar("Given")


class SpillingStore:
    """Keeps things in the shared file, and beside it once that has refused something."""

    waits = True

    def __init__(self, path: str, clock: Callable[[], float], warn: Callable[[str], None]) -> None:
        self._path = path
        self._clock = clock
        self._warn = warn
        self._lock = threading.Lock()
        self._opened: SharedStore | None = None
        self._own = MemoryStateStore(clock)
        self._is_spilt = False

    def put(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> None:
        """Keep a thing, in place of one with the same key."""
        self._ask_shared(lambda store: store.put(shelf, owner, key, value), lambda _own: None)
        if self._is_spilt:
            # Whatever is there from a time when the file refused would hide the newer one.
            self._own.put(shelf, owner, key, value)

    def add(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> bool:
        """Keep a thing, unless somebody has that key already."""
        return self._ask_shared(
            lambda store: store.add(shelf, owner, key, value),
            lambda own: own.add(shelf, owner, key, value),
        )

    def get(self, shelf: Shelf[Kept], owner: str, key: str) -> Kept | None:
        """Give a thing that is still kept for that owner."""
        own = self._own.get(shelf, owner, key) if self._is_spilt else None
        if own is not None:
            return own
        return self._ask_shared(lambda store: store.get(shelf, owner, key), lambda _own: None)

    def clear(self, shelf_name: str) -> None:
        """Forget everything on a shelf."""
        self._own.clear(shelf_name)
        self._ask_shared(lambda store: store.clear(shelf_name), lambda _own: None)

    def count(self, name: str, owner: str, seconds: int, amount: float = 1) -> float:
        """Add to an owner's sum of this stretch of time."""
        return self._ask_shared(
            lambda store: store.count(name, owner, seconds, amount),
            lambda own: own.count(name, owner, seconds, amount),
        )

    def lease(self, lease: Lease, most: float, seconds: float) -> float | None:
        """Take something of an owner's for a while."""
        return self._ask_shared(
            lambda store: store.lease(lease, most, seconds),
            lambda own: own.lease(lease, most, seconds),
        )

    def renew(self, leases: Collection[Lease], seconds: float) -> None:
        """Keep what is still held."""
        self._ask_shared(lambda store: store.renew(leases, seconds), lambda _own: None)
        if self._is_spilt:
            self._own.renew(leases, seconds)

    def release(self, lease: Lease) -> None:
        """Give back what was taken."""
        self._ask_shared(lambda store: store.release(lease), lambda _own: None)
        if self._is_spilt:
            self._own.release(lease)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()

    def _ask_shared(
        self, wanted: Callable[[SharedStore], Given], instead: Callable[[MemoryStateStore], Given]
    ) -> Given:
        """Ask the file, or the memory of this process where the file refuses; say that once."""
        try:
            return wanted(self._file())
        except sqlite3.Error as refused:
            with self._lock:
                is_news, self._is_spilt = not self._is_spilt, True
            if is_news:
                words = f"workers cannot share what they keep ({refused}); each goes on by itself"
                self._warn(words)
            return instead(self._own)

    def _file(self) -> SharedStore:
        with self._lock:
            if self._opened is None:
                # SQLite gives its files beside this one the same mode, and says what is wrong.
                with suppress(OSError):
                    os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
                self._opened = SharedStore(self._path, self._clock)
            return self._opened

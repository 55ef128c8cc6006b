"""How many finds work at once: a turn is for the processor, and nobody keeps it while waiting."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TURN_SECONDS = 0.02
"""How often whoever waits for a turn asks whether it is still wanted."""


class Turns:
    """Turns that threads take; safe for many of them."""

    def __init__(self, most: int) -> None:
        self._free = threading.BoundedSemaphore(most)
        self._own = threading.local()

    @contextlib.contextmanager
    def take(self, stop: Callable[[], bool]) -> Iterator[None]:
        """Work when it is this thread's turn; once `stop` says so, without one."""
        while not (is_mine := self._free.acquire(timeout=TURN_SECONDS)):
            if stop():
                break
        self._own.has = is_mine
        try:
            yield
        finally:
            if self._own.has:
                self._own.has = False
                self._free.release()

    @contextlib.contextmanager
    def lend(self) -> Iterator[None]:
        """Let another thread work while this one waits for a network."""
        if not getattr(self._own, "has", False):
            yield
            return
        self._free.release()
        try:
            yield
        finally:
            self._free.acquire()

"""The way out: one wire descriptor, whole messages in order, and a bound on what waits.

Rules:
 1. A small message goes out at once, in the thread that made it, when nothing waits before it and
    the pipe has room; otherwise it waits for the writer thread, which may block.
 2. Only the reader of the wire waits for room (`wait_for_room`): a peer that does not read is not
    read from. Calls never wait, so one slow peer cannot hold up the engines.
 3. The largest waiting message is not counted, so a single large answer cannot stop the reading.
 4. When the peer has gone, `on_closed` is told once and everything else is dropped.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import TYPE_CHECKING

from tebiki.system.descriptors import ALWAYS_FITS, make_blocking, room_probe

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_WAITING_BYTES = 8 * 1024 * 1024
"""What may wait besides the largest message: thousands of ordinary answers."""


class Outbox:
    """Sends whole messages through one descriptor."""

    def __init__(
        self, descriptor: int, on_closed: Callable[[], None], most_waiting: int = MOST_WAITING_BYTES
    ) -> None:
        self._descriptor = descriptor
        self._on_closed = on_closed
        self._most_waiting = most_waiting
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._changed = threading.Condition()
        self._writer: threading.Thread | None = None
        self._writing = False
        self._closed = False
        self._room = room_probe(descriptor)

    def put(self, data: bytes) -> None:
        """Send one message, now or after those before it; never blocks."""
        with self._changed:
            if self._closed:
                return
            idle = not self._waiting and not self._writing
            if idle and len(data) <= ALWAYS_FITS and self._room is not None and self._room(0):
                self._write(data)
                return
            self._waiting.append(data)
            self._waiting_bytes += len(data)
            self._start_writer()
            self._changed.notify_all()

    def is_crowded(self) -> bool:
        """Tell whether more is waiting than should."""
        with self._changed:
            return self._is_crowded()

    def wait_for_room(self) -> None:
        """Hold the reader back while the peer does not take what it asked for."""
        with self._changed:
            while self._is_crowded() and not self._closed:
                self._changed.wait()

    def flush(self) -> None:
        """Wait until everything has left."""
        with self._changed:
            while (self._waiting or self._writing) and not self._closed:
                self._changed.wait()

    def _is_crowded(self) -> bool:
        if self._waiting_bytes <= self._most_waiting:
            return False
        return self._waiting_bytes - max(map(len, self._waiting)) > self._most_waiting

    def _start_writer(self) -> None:
        if self._writer is None:
            self._writer = threading.Thread(target=self._drain, name="writer", daemon=True)
            self._writer.start()

    def _drain(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                data = self._waiting.popleft()
                self._waiting_bytes -= len(data)
                self._writing = True
                self._changed.notify_all()
            self._write(data)
            with self._changed:
                self._writing = False
                self._changed.notify_all()

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._descriptor, view) :]
            except BlockingIOError:
                # Somebody who shares the pipe has changed it; a full pipe is no reason to give up.
                make_blocking(self._descriptor)
            except OSError:
                self._close()
                return

    def _close(self) -> None:
        with self._changed:
            if self._closed:
                return
            self._closed = True
            self._waiting.clear()
            self._waiting_bytes = 0
            self._changed.notify_all()
        self._on_closed()

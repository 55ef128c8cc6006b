"""Wires of loopback that can be cut: a proxy before each address, which then passes nothing on."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType
    from typing import Self

CHUNK = 65_536
LOOK_SECONDS = 0.05


class CutWires:
    """A proxy for each of some addresses; cut, it takes connections and answers nothing."""

    def __init__(self, urls: Iterable[str]) -> None:
        self._targets = [(parts.hostname, parts.port) for parts in map(urlsplit, urls)]
        self._listeners: list[socket.socket] = []
        self._is_whole = threading.Event()
        self._is_over = threading.Event()
        self._is_whole.set()
        self.urls: list[str] = []

    def __enter__(self) -> Self:
        for target in self._targets:
            listener = socket.create_server(("127.0.0.1", 0))
            self._listeners.append(listener)
            self.urls.append(f"http://127.0.0.1:{listener.getsockname()[1]}")
            threading.Thread(target=self._accept, args=(listener, target), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_over.set()
        for listener in self._listeners:
            listener.close()

    def cut(self) -> None:
        """Let nothing through any more, in either direction."""
        self._is_whole.clear()

    def mend(self) -> None:
        """Let everything through again."""
        self._is_whole.set()

    def _accept(self, listener: socket.socket, target: tuple[str | None, int | None]) -> None:
        while not self._is_over.is_set():
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(client, target), daemon=True).start()

    def _pass_on(self, client: socket.socket, target: tuple[str | None, int | None]) -> None:
        with (
            contextlib.suppress(OSError),
            client,
            socket.create_connection(target) as server,
            selectors.DefaultSelector() as ready,
        ):
            ready.register(client, selectors.EVENT_READ, (client, server))
            ready.register(server, selectors.EVENT_READ, (server, client))
            while not self._is_over.is_set():
                if not self._is_whole.wait(LOOK_SECONDS):
                    continue
                for key, _ in ready.select(LOOK_SECONDS):
                    one, other = key.data
                    data = one.recv(CHUNK)
                    if not data:
                        return
                    other.sendall(data)

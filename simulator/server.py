"""The simulator itself: a thread with an event loop that listens on a loopback port."""

import asyncio
import itertools
import socket
import threading
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Self

from simulator.connection import Connection
from simulator.journal import Journal, RecordedRequest
from simulator.routes import Router

_HOST = "127.0.0.1"
_BACKLOG = 1024

PATIENCE_SECONDS = 60.0
"""How long to wait for something that must happen; a loaded machine takes its time."""


class Simulator:
    """A loopback Responses API, served from `with Simulator() as simulator:`.

    `shutdown_dates` are the days (`YYYY-MM-DD`) that the list of models tells, by model. Models in
    `gone` have shut down; parameters in `lacks` are refused: usually what the API's types do not
    have, though it may take it, and as by a gateway that is behind when there are more.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        delay_ms: float = 0,
        shutdown_dates: Mapping[str, str] | None = None,
        gone: Collection[str] = (),
        lacks: Collection[str] = ("blocked_domains",),
    ) -> None:
        self._wanted_port = port
        self._journal = Journal()
        self._router = Router(
            self._journal,
            delay_seconds=delay_ms / 1000,
            shutdown_dates=shutdown_dates or {},
            gone=gone,
            lacks=lacks,
        )
        self._connections: set[Connection] = set()
        self._numbers = itertools.count(1)
        self._port = 0
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        listener = socket.create_server((_HOST, self._wanted_port), backlog=_BACKLOG)
        listener.setblocking(False)
        self._port = listener.getsockname()[1]
        self._stopping.clear()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(listener)), name="simulator", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        with suppress(OSError), socket.create_connection((_HOST, self._port)):
            pass  # wakes the thread, which waits for connections and nothing else
        if self._thread is not None:
            self._thread.join()

    @property
    def base_url(self) -> str:
        """The URL to give to a client of the API."""
        return f"http://{_HOST}:{self._port}/v1"

    @property
    def requests(self) -> list[RecordedRequest]:
        """The requests so far, oldest first (the last 10,000)."""
        return self._journal.requests

    @property
    def disconnects(self) -> int:
        """How often a client left while its request was being answered."""
        return self._journal.disconnects

    def wait_for_requests(self, count: int, timeout: float = PATIENCE_SECONDS) -> None:
        """Return once this many requests have arrived, or raise TimeoutError."""
        self._journal.wait_for_requests(count, timeout)

    def wait_for_disconnects(self, count: int, timeout: float = PATIENCE_SECONDS) -> None:
        """Return once this many clients have left early, or raise TimeoutError."""
        self._journal.wait_for_disconnects(count, timeout)

    def reset(self) -> None:
        """Forget the requests, the disconnects and how far each script was played."""
        self._journal.reset()

    def forget_responses(self) -> None:
        """Lose every background response, as the API does after a while."""
        self._router.keeping.forget()

    async def _serve(self, listener: socket.socket) -> None:
        """Accept by hand: asyncio's own server loses a connection that comes as it closes."""
        loop = asyncio.get_running_loop()
        with listener:
            while True:
                accepted, _ = await loop.sock_accept(listener)
                if self._stopping.is_set():
                    accepted.close()
                    break
                accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                await loop.connect_accepted_socket(self._connection, accepted)
        await self._end_connections()

    def _connection(self) -> Connection:
        return Connection(
            next(self._numbers),
            self._router.answer,
            self._connections.add,
            self._journal.record_disconnect,
            self._connections.discard,
        )

    async def _end_connections(self) -> None:
        while ending := list(self._connections):
            for connection in ending:
                connection.abort()
            await asyncio.gather(*(connection.lost for connection in ending))

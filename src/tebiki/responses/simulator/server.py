"""The simulator itself: a thread with an event loop that listens on a loopback port."""

import asyncio
import itertools
import threading
from concurrent.futures import Future
from typing import Self

from tebiki.responses.simulator.connection import Connection
from tebiki.responses.simulator.journal import Journal, RecordedRequest
from tebiki.responses.simulator.routes import Router

_HOST = "127.0.0.1"
_BACKLOG = 1024


class Simulator:
    """A loopback Responses API, served from `with Simulator() as simulator:`."""

    def __init__(self, *, port: int = 0, delay_ms: float = 0) -> None:
        self._wanted_port = port
        self._journal = Journal()
        self._router = Router(self._journal, delay_seconds=delay_ms / 1000)
        self._connections: set[Connection] = set()
        self._numbers = itertools.count(1)
        self._port = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        ready: Future[int] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(ready)), name="simulator", daemon=True
        )
        self._thread.start()
        self._port = ready.result()
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop is None or self._stopping is None or self._thread is None:
            return
        self._loop.call_soon_threadsafe(self._stopping.set)
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

    def wait_for_requests(self, count: int, timeout: float = 5) -> None:
        """Return once this many requests have arrived, or raise TimeoutError."""
        self._journal.wait_for_requests(count, timeout)

    def wait_for_disconnects(self, count: int, timeout: float = 5) -> None:
        """Return once this many clients have left early, or raise TimeoutError."""
        self._journal.wait_for_disconnects(count, timeout)

    def reset(self) -> None:
        """Forget the requests, the disconnects and how far each script was played."""
        self._journal.reset()

    async def _serve(self, ready: Future[int]) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        try:
            server = await self._loop.create_server(
                self._connection, _HOST, self._wanted_port, backlog=_BACKLOG
            )
        except (OSError, OverflowError) as problem:
            ready.set_exception(problem)
            return
        ready.set_result(server.sockets[0].getsockname()[1])
        await self._stopping.wait()
        server.close()
        await self._end_connections()
        await server.wait_closed()

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

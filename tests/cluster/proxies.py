"""What stands between machines, on loopback: a line that can be cut, and a balancer.

`Line` hands bytes on to one port until it is cut; then it drops them without a word, as a network
does that has lost a route: connections stay open, new ones are taken, and nothing comes back. When
it is mended, whatever lost bytes meanwhile is closed. `Balancer` gives each new connection to the
next port in turn, and leaves out those that refuse. `ProofFirst` holds searches back.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

CHUNK_BYTES = 65_536


class _Relay:
    """A listener in a thread of its own that hands connections on."""

    def __init__(self) -> None:
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._writers: WeakSet[asyncio.StreamWriter] = WeakSet()

    @property
    def url(self) -> str:
        """Where it listens, as an address of HTTP."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1024)
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self) -> None:
        """Let every connection go, and the loop hear of it."""
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for writer in self._writers:
            writer.transport.abort()
        # What is let go tells the loop at its next turn.
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            there, back = await self._open()
        except OSError:
            writer.close()
            return
        self._writers.add(back)
        await asyncio.gather(self._pump(reader, back), self._pump(there, writer))

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        raise NotImplementedError

    def _drops(self) -> bool:
        return False

    async def _hold(self, data: bytes) -> None:
        """Wait until some bytes may go on."""

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lost = False
        with suppress(OSError):
            while data := await reader.read(CHUNK_BYTES):
                lost = lost or self._drops()
                if lost and not self._drops():
                    break
                if not lost:
                    await self._hold(data)
                    writer.write(data)
                    await writer.drain()
        writer.close()


class Line(_Relay):
    """The way to one port; whole until it is cut."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._target = port
        self._is_cut = False

    def cut(self) -> None:
        """Drop whatever is sent from now on, in both directions."""
        self._is_cut = True

    def mend(self) -> None:
        """Hand bytes on again."""
        self._is_cut = False

    def _drops(self) -> bool:
        return self._is_cut

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self._target)


class ProofFirst(Line):
    """The way to a node on which no search goes on before the newest state was asked for."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self._is_asked = asyncio.Event()

    async def _hold(self, data: bytes) -> None:
        request = data.partition(b"\r\n")[0]
        if b"/_bulk" in request:
            self._is_asked.set()
        elif b"/_msearch" in request:
            await self._is_asked.wait()


class Balancer(_Relay):
    """One port for several servers, each connection to the next of them."""

    def __init__(self, *ports: int) -> None:
        super().__init__()
        self._ports = list(ports)
        self._turn = 0

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        refused: OSError = ConnectionRefusedError("no server")
        for _ in self._ports:
            port = self._ports[self._turn % len(self._ports)]
            self._turn += 1
            try:
                return await asyncio.open_connection("127.0.0.1", port)
            except OSError as failure:
                refused = failure
        raise refused

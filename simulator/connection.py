"""One client connection: reads requests, performs the moves for each, sees clients leave."""

import asyncio
from collections.abc import Callable, Sequence
from typing import cast

from simulator.moves import Close, Follow, Hang, Move, Pause, Repeat, Send
from simulator.wire import BadWire, Request, take_request, wants_continue

Answerer = Callable[[Request, int], Sequence[Move]]


class Connection(asyncio.Protocol):
    """Answers one request after the other."""

    def __init__(
        self,
        number: int,
        answer: Answerer,
        on_made: Callable[["Connection"], None],
        on_disconnect: Callable[[], None],
        on_lost: Callable[["Connection"], None],
    ) -> None:
        self._number = number
        self._answer = answer
        self._on_made = on_made
        self._on_disconnect = on_disconnect
        self._on_lost = on_lost
        self._buffer = bytearray()
        self._told_to_continue = False
        self._performance: asyncio.Task[None] | None = None
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._closed_here = False
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Have asyncio report whatever could not be sent at once."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=0)
        self._on_made(self)

    def data_received(self, data: bytes) -> None:
        """Collect bytes and answer each request that is complete."""
        self._buffer += data
        if self._performance is None:
            self._answer_what_is_there()

    def eof_received(self) -> bool:
        """Take a half-closed connection for a closed one, as the API's front end does."""
        return False

    def pause_writing(self) -> None:
        """Remember that the client has not taken everything yet."""
        self._has_room.clear()

    def resume_writing(self) -> None:
        """Remember that the client has taken everything."""
        self._has_room.set()

    def connection_lost(self, _exc: Exception | None) -> None:
        """Stop answering; count the client as gone early unless the end came from here."""
        if self._performance is not None:
            self._performance.cancel()
        if not self._closed_here and (self._performance is not None or not self._has_room.is_set()):
            self._on_disconnect()
        self._on_lost(self)
        self.lost.set_result(None)

    def abort(self) -> None:
        """End the connection because the simulator stops."""
        self._closed_here = True
        self._transport.abort()

    def _answer_what_is_there(self) -> None:
        while self._performance is None and not self._transport.is_closing():
            try:
                request = take_request(self._buffer)
            except BadWire:
                self._refuse()
                return
            if request is None:
                self._allow_body()
                return
            self._told_to_continue = False
            self._perform(list(self._answer(request, self._number)), request.keep_alive)

    def _refuse(self) -> None:
        self._transport.write(
            b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
        )
        self._close()

    def _allow_body(self) -> None:
        if not self._told_to_continue and wants_continue(self._buffer):
            self._told_to_continue = True
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _perform(self, moves: list[Move], keep_alive: bool) -> None:
        """Send what can be sent at once; only an answer that takes time is worth a task."""
        while moves and isinstance(moves[0], Send):
            self._transport.write(cast(Send, moves.pop(0)).data)
        if moves:
            self._performance = asyncio.create_task(self._perform_over_time(moves, keep_alive))
        elif not keep_alive:
            self._close()

    async def _perform_over_time(self, moves: list[Move], keep_alive: bool) -> None:
        for move in moves:
            match move:
                case Send(data):
                    self._transport.write(data)
                case Pause(seconds):
                    await asyncio.sleep(seconds)
                case Hang():
                    await asyncio.Event().wait()
                case Repeat(data, times):
                    await self._repeat(data, times)
                case Follow(pieces):
                    async for piece in pieces:
                        self._transport.write(piece)
                case Close():
                    self._close()
        self._performance = None
        if not keep_alive:
            self._close()
        self._answer_what_is_there()

    async def _repeat(self, data: bytes, times: int) -> None:
        for _ in range(times):
            self._transport.write(data)
            await asyncio.sleep(0)  # the client may be gone
            await self._has_room.wait()

    def _close(self) -> None:
        self._closed_here = True
        self._transport.close()

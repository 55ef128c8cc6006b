"""Connections as bytes: how many, how long a head may take, how long answers may wait.

uvicorn waits for ever for a request's head and for a client to read; a few hundred such clients
would be all a server can serve. Also here: where a request's body ends, which a head may say once.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import h11
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

from tebiki.web.asgi import SAFE_HEADERS
from tebiki.web.headers import find_repeated_in, framing_fault

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from tebiki.web.settings import Bounds


HUNG_SECONDS = 30
"""A worker that says nothing for so long is replaced, and its calls are lost: on a busy machine
one that starts is silent for longer than five seconds, and so is each that replaces it."""


class BoundedConfig(Config):
    """uvicorn's own settings, and the bounds of a connection."""

    def __init__(self, application: Callable[..., Any], bounds: Bounds, **rest: Any) -> None:
        super().__init__(
            application,
            factory=True,
            http=BoundedProtocol,
            ws="none",
            # Neither trusted nor needed: nothing depends on a client's address.
            proxy_headers=False,
            server_header=False,
            # Ours is written by `access_log`, without what must not be in it.
            access_log=False,
            log_config=None,
            lifespan="on",
            h11_max_incomplete_event_size=bounds.header_bytes,
            # In whole seconds by its type alone; it is waited for as it is.
            timeout_graceful_shutdown=cast(int, bounds.shutdown_seconds),
            timeout_worker_healthcheck=HUNG_SECONDS,
            **rest,
        )
        self.bounds = bounds


class StrictConnection(h11.Connection):
    """The parser of one connection, which takes no request whose body may end in two places."""

    refusal: str | None = None

    def next_event(self) -> Any:
        """Give what the client has said next.

        Raises:
            h11.RemoteProtocolError: it is no HTTP, or not clear; `refusal` has the words.
        """
        if self.their_state is not h11.IDLE:
            return super().next_event()
        received, _ = self.trailing_data
        try:
            event = super().next_event()
        except h11.RemoteProtocolError:
            self.refusal = find_repeated_in(received) or framing_fault(received)
            raise
        if isinstance(event, h11.Request):
            self.refusal = framing_fault(received)
            if self.refusal is not None:
                raise h11.RemoteProtocolError(self.refusal)
        return event


class BoundedProtocol(H11Protocol):
    """One connection that may neither dawdle nor be one too many."""

    config: BoundedConfig
    conn: StrictConnection
    _head_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None

    def __init__(self, *rest: Any, **named: Any) -> None:
        super().__init__(*rest, **named)
        self.conn = StrictConnection(h11.SERVER, self.config.bounds.header_bytes)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, unless there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self.config.bounds.connections:
            transport.abort()
            return
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers too."""
        self._stop_head_timer()
        self._stop_write_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; a head that has begun must also end."""
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop_head_timer()
        elif self._head_timer is None and self._is_between_requests():
            self._await_head()

    def pause_writing(self) -> None:
        """Wait for the client to read, but not for ever."""
        super().pause_writing()
        self._write_timer = self.loop.call_later(
            self.config.bounds.write_seconds, self.transport.abort
        )

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        self._stop_write_timer()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request, and hang up: nobody knows where the next would begin."""
        body = json.dumps({"error": self.conn.refusal or msg}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            *SAFE_HEADERS,
            (b"connection", b"close"),
        ]
        start = h11.Response(status_code=400, headers=headers, reason=b"Bad Request")
        for event in (start, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _is_between_requests(self) -> bool:
        cycle: Any = self.cycle  # none before the first request, whatever its type says
        return cycle is None or bool(cycle.response_complete)

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(
            self.config.bounds.read_seconds, self.transport.abort
        )

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

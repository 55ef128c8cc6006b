"""Connections as bytes: how many, how long a head may take, how long answers may wait.

uvicorn waits for ever for a request's head and for a client to read; a few hundred such clients
would be all a server can serve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from tebiki.web.settings import Bounds


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
            **rest,
        )
        self.bounds = bounds


class BoundedProtocol(H11Protocol):
    """One connection that may neither dawdle nor be one too many."""

    config: BoundedConfig
    _head_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None

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

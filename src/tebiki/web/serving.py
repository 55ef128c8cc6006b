"""Running it: the socket, the worker processes, the log, and an end that finishes running calls."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import multiprocessing.connection
import signal
import socket
import sys
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from sse_starlette.sse import AppStatus
from uvicorn import Server
from uvicorn.supervisors import Multiprocess

from tebiki.errors import BadSetting
from tebiki.web.addresses import ListenAddress
from tebiki.web.connections import BoundedConfig
from tebiki.web.door import MCP_PATH, Door

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

    from tebiki.observability.logs import Log
    from tebiki.state.store import StateStore
    from tebiki.web.asgi import Application
    from tebiki.web.authentication import Keepers
    from tebiki.web.endpoint import Endpoint
    from tebiki.web.settings import WebSettings
    from tebiki.web.vault_calls import SealedAnswer

BACKLOG = 512
"""Connections the system may hold for us while a worker is busy."""


def serve(
    settings: WebSettings,
    application: Callable[[ListenAddress], Door],
    log: Log,
    words: Iterable[str] = (),
    on_listening: Callable[[ListenAddress], list[str]] = lambda _place: [],
) -> None:
    """Serve until told to stop; each worker makes its own application.

    `words` are told once it listens: who may call, and how; so is what `on_listening` has to say.
    An application is told where that is.

    Raises:
        BadSetting: the address cannot be listened on.
    """
    listening = listen(settings.place)
    place = ListenAddress(settings.place.host, listening.getsockname()[1])
    signal.signal(signal.SIGTERM, _end)
    config = BoundedConfig(
        partial(application, place), settings.bounds, workers=settings.workers, backlog=BACKLOG
    )
    more = on_listening(place)
    log.info(f"serving on {place.url(MCP_PATH)}")
    for line in (*more, *words):
        log.info(line)
    if settings.workers > 1:
        Multiprocess(config, sockets=[listening]).run()
    else:
        Server(config).run(sockets=[listening])


def application_of(
    endpoint: Endpoint,
    settings: WebSettings,
    log: Log,
    *,
    keepers: Keepers,
    store: StateStore,
    new_id: Callable[[], str],
    is_ready: Callable[[], bool],
    on_start: Callable[[], None],
    look_at_state: Callable[[], str | None] | None = None,
    page: Application | None = None,
    answer_vault_call: Callable[[str, bytes], SealedAnswer] | None = None,
) -> Door:
    """Make the application of one worker, in that worker."""
    bounds = settings.bounds
    _speak_through(log)
    # Otherwise every running call would be cut off the moment a signal arrives.
    AppStatus.enable_automatic_graceful_drain = False
    sdk = endpoint.server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        # Never plain JSON answers: a client that hangs up could not stop its call.
        json_response=False,
        stateless_http=not settings.has_sessions,
        max_request_body_size=bounds.body_bytes,
        max_sessions=bounds.sessions,
        session_idle_timeout=bounds.session_idle_seconds,
        # `Door` has checked Host and Origin, on this route as on every other.
        transport_security=None,
        host="",
    )

    def start() -> None:
        _note_stray_failures(log)
        _tell_when_stopping(door.close)
        _end_with_the_parent()
        on_start()

    door = Door(
        sdk,
        settings,
        keepers=keepers,
        store=store,
        new_id=new_id,
        log=log,
        is_ready=is_ready,
        on_start=start,
        plain=endpoint.answer if endpoint.has_fast_path else None,
        look_at_state=look_at_state,
        page=page,
        answer_vault_call=answer_vault_call,
    )
    endpoint.is_closing = door.is_closing
    return door


def listen(place: ListenAddress) -> socket.socket:
    """Take an address; what is accepted there sends without waiting for more to send.

    Raises:
        BadSetting: it cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    # Named, for asyncio lets small answers leave at once only on sockets that say they are TCP.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":
            # There it would let two programs have one port.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((place.host, place.port))
        listening.listen(BACKLOG)
    except OSError as refused:
        listening.close()
        reason = refused.strerror or "not possible"
        raise BadSetting(f"cannot listen on {place}: {reason}") from refused
    listening.set_inheritable(True)
    return listening


def _end(_number: int, _frame: FrameType | None) -> None:
    """End as asked: uvicorn raises the signal again once it is done."""
    sys.exit(0)


def _note_stray_failures(log: Log) -> None:
    """Note in a line what a library's own task failed with; asyncio would print a traceback."""

    def note(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        log.warning(f"loop: {context.get('message')} {context.get('exception')!r}")

    asyncio.get_running_loop().set_exception_handler(note)


def _tell_when_stopping(close: Callable[[], None]) -> None:
    """Call a function in the loop as soon as a signal asks the server to stop.

    uvicorn tells an application only after its last response; a stream would never be that.
    """
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        before = signal.getsignal(number)

        def handle(number: int, frame: FrameType | None, before: Any = before) -> None:
            loop.call_soon_threadsafe(close)
            before(number, frame)

        signal.signal(number, handle)


def _end_with_the_parent() -> None:
    """Let a worker whose parent was killed end as if told to; nobody else would tell it."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch(sentinel: int = parent.sentinel) -> None:
        multiprocessing.connection.wait([sentinel])
        signal.raise_signal(signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()


class LogHandler(logging.Handler):
    """What the libraries have to say, in our log: warnings and worse, scrubbed like the rest."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        # A line of somebody else's words must not look like one of ours.
        words = "\n  ".join(self.format(record).splitlines())
        if record.levelno >= logging.ERROR:
            self._log.error(words)
        else:
            self._log.warning(words)


def _speak_through(log: Log) -> None:
    handler = LogHandler(log)
    for name in ("uvicorn", "mcp"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.WARNING)
        logger.propagate = False

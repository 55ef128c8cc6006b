"""The short way for plain requests of the modern era: one call or one list, one document back.

The SDK spends three quarters of such a request's time on what it does not need: tasks and streams
for events it never sends, and models of a message whose parts the desk checks by itself. Only what
is plain in every respect goes this way, and the SDK's own rules for headers still judge it; what is
odd, wants progress or is traced goes on to the SDK, which also words every refusal.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mcp.shared.inbound import InboundModernRoute, classify_inbound_request
from opentelemetry import trace

from tebiki.errors import ProtocolError
from tebiki.protocol import messages
from tebiki.protocol.eras import CAPABILITIES_KEY, CLIENT_INFO_KEY, VERSION_KEY, meta_of
from tebiki.web.asgi import SAFE_HEADERS, replay
from tebiki.web.sessions import is_modern

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tebiki.protocol.messages import Request
    from tebiki.web.asgi import Application, Header, Receive, Scope, Send

    Answer = tuple[int, bytes]

QUIET_SECONDS = 15.0
"""After which a client that waits, and any proxy between, hears that somebody is there."""

PLAIN_PARAMS = {
    "tools/list": frozenset({"_meta"}),
    "tools/call": frozenset({"name", "arguments", "_meta"}),
}
PLAIN_META = frozenset({VERSION_KEY, CAPABILITIES_KEY, CLIENT_INFO_KEY})
"""No token for progress, no level for logs, no trace: what has any of them is not plain."""

WANTED_TYPES = frozenset({"application/json", "text/event-stream"})

EVENTS: tuple[Header, ...] = (
    (b"content-type", b"text/event-stream"),
    *SAFE_HEADERS,
    (b"x-accel-buffering", b"no"),
)
PING = b": ping\r\n\r\n"


class FastPath:
    """Answers plain requests by itself, and hands on everything else."""

    def __init__(
        self,
        application: Application,
        answer: Callable[[Scope, Request], Awaitable[Answer]],
        quiet_seconds: float = QUIET_SECONDS,
    ) -> None:
        self._application = application
        self._answer = answer
        self._quiet_seconds = quiet_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request whose body is whole."""
        if scope["method"] != "POST" or not is_modern(scope) or _is_traced():
            await self._application(scope, receive, send)
            return
        body = (await receive()).get("body", b"")
        request = plain_request(scope["headers"], body)
        if request is None:
            await self._application(scope, replay(body, receive), send)
        else:
            await self._serve(request, scope, receive, send)

    async def _serve(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, unless the client goes first: then its call is stopped."""
        work = asyncio.ensure_future(self._answer(scope, request))
        gone = asyncio.ensure_future(receive())
        try:
            await self._first_of(work, gone)
            if work.done():
                await _send_document(send, *work.result())
            elif not gone.done():
                await self._send_events(send, work, gone)
        finally:
            work.cancel()
            gone.cancel()

    async def _send_events(
        self, send: Send, work: asyncio.Future[Answer], gone: asyncio.Future[Any]
    ) -> None:
        """Keep the connection open while the work goes on, then send its answer as an event."""
        await send({"type": "http.response.start", "status": 200, "headers": list(EVENTS)})
        while not work.done():
            await send({"type": "http.response.body", "body": PING, "more_body": True})
            await self._first_of(work, gone)
            if gone.done():
                return
        _, body = work.result()
        event = b"event: message\r\ndata: %b\r\n\r\n" % body
        await send({"type": "http.response.body", "body": event})

    async def _first_of(self, *tasks: asyncio.Future[Any]) -> None:
        wait = self._quiet_seconds
        await asyncio.wait(tasks, timeout=wait, return_when=asyncio.FIRST_COMPLETED)


async def _send_document(send: Send, status: int, body: bytes) -> None:
    headers: list[Header] = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        *SAFE_HEADERS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def plain_request(headers: list[Header], body: bytes) -> Request | None:
    """The request in a body, if it and its headers are plain in every respect."""
    names = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}
    kinds = {part.strip() for part in names.get("accept", "").split(",")}
    if names.get("content-type") != "application/json" or not kinds >= WANTED_TYPES:
        return None
    try:
        request = messages.read(body)
    except ProtocolError:
        return None
    if not isinstance(request, messages.Request) or not _is_plain(request):
        return None
    message = {"method": request.method, "params": request.params}
    verdict = classify_inbound_request(message, headers=names)
    return request if isinstance(verdict, InboundModernRoute) else None


def _is_plain(request: Request) -> bool:
    params = request.params
    if not isinstance(params, dict) or not _is_plain_meta(meta_of(params)):
        return False
    if not params.keys() <= PLAIN_PARAMS.get(request.method, frozenset()):
        return False
    if request.method == "tools/list":
        return True
    arguments = params.get("arguments", {})
    return isinstance(params.get("name"), str) and isinstance(arguments, dict)


def _is_plain_meta(meta: dict[str, Any]) -> bool:
    """Tell whether a request says who it is from as it should, and nothing else."""
    client = meta.get(CLIENT_INFO_KEY, {"name": "", "version": ""})
    capabilities = meta.get(CAPABILITIES_KEY)
    return (
        meta.keys() <= PLAIN_META
        and isinstance(client, dict)
        and client.keys() == {"name", "version"}
        and all(isinstance(value, str) for value in client.values())
        and isinstance(capabilities, dict)
        # Those with contents are for the SDK to read.
        and all(value == {} for value in capabilities.values())
    )


def _is_traced() -> bool:
    """Tell whether somebody gathers spans: the SDK makes one for each message."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)

"""The door: every request passes here before anything of it is believed.

In order: does it say everything once; is it meant for us (Host, Origin); which route; whose is it
(token); is it whole and not too large; has the client room for a session; then the SDK. What is
refused is told in one sentence and logged without its contents.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tebiki.web.access_log import AccessLog
from tebiki.web.addresses import unknown_host_words
from tebiki.web.asgi import answer, discard, head_bytes, header_values, refuse
from tebiki.web.authentication import METADATA_PATH, Doorkeeper
from tebiki.web.bodies import WholeBodies
from tebiki.web.fast_path import FastPath
from tebiki.web.headers import repeated, repeated_words
from tebiki.web.principals import SESSION_HEADER
from tebiki.web.sessions import SessionShares

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tebiki.observability.logs import Log
    from tebiki.protocol.messages import Request
    from tebiki.state.store import StateStore
    from tebiki.web.asgi import Application, Message, Receive, Scope, Send
    from tebiki.web.authentication import Keepers
    from tebiki.web.fast_path import Answer
    from tebiki.web.settings import WebSettings

MCP_PATH = "/mcp"


class Door:
    """The whole HTTP application of one worker."""

    def __init__(
        self,
        sdk: Application,
        settings: WebSettings,
        *,
        keepers: Keepers,
        store: StateStore,
        new_id: Callable[[], str],
        log: Log,
        is_ready: Callable[[], bool],
        on_start: Callable[[], None],
        plain: Callable[[Scope, Request], Awaitable[Answer]] | None = None,
    ) -> None:
        self._sdk = sdk
        self._guests = settings.guests
        self._most_head_bytes = settings.bounds.header_bytes
        self._has_sessions = settings.workers == 1
        self._is_ready = is_ready
        self._on_start = on_start
        self._closing = asyncio.Event()
        bounds = settings.bounds
        inside: Application = self._stream
        if self._has_sessions:
            inside = SessionShares(self._stream, bounds, store, new_id)
        if plain is not None:
            inside = FastPath(inside, plain)
        bodies = WholeBodies(inside, bounds.body_bytes, bounds.read_seconds)
        keeper = Doorkeeper(bodies, keepers)
        self._routes: dict[str, Application] = {
            MCP_PATH: keeper,
            "/healthz": self._health,
            "/readyz": self._readiness,
            METADATA_PATH: keeper.metadata,
            f"{METADATA_PATH}{MCP_PATH}": keeper.metadata,
        }
        self._requests: Application = self._serve
        if settings.access_log:
            self._requests = AccessLog(self._serve, self._routes, log)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the life of the process."""
        if scope["type"] == "lifespan":
            self._on_start()
            await self._sdk(scope, receive, send)
        elif scope["type"] == "http":
            await self._requests(scope, receive, send)

    def close(self) -> None:
        """Let no stream that merely listens hold up the end; running calls go on."""
        self._closing.set()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is None:
            await self._routes.get(scope["path"], _not_found)(scope, receive, send)
        else:
            await discard(receive)
            await refuse(send, *refusal, hang_up=True)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the words for a request that no route is to see."""
        # What comes in one piece is not looked at by `connections`, whose bound is for pieces.
        if head_bytes(scope) > self._most_head_bytes:
            return 431, f"A request's head may have at most {self._most_head_bytes} bytes."
        if name := repeated(name for name, _ in scope["headers"]):
            return 400, repeated_words(name)
        hosts = header_values(scope, b"host")
        if not self._guests.knows_host(hosts):
            return 421, unknown_host_words(hosts)
        if not self._guests.knows_origin(header_values(scope, b"origin")):
            return 403, (
                "This page may not call; the server's owner can add it to http.allowed_origins."
            )
        return None

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "GET":
            receive = self._ending_with_us(receive)
        if not self._has_sessions:
            # Nobody has given it that id; it would be a name of the client's own choice.
            headers = [pair for pair in scope["headers"] if pair[0] != SESSION_HEADER]
            scope = {**scope, "headers": headers}
        await self._sdk(scope, receive, send)

    def _ending_with_us(self, receive: Receive) -> Receive:
        """Say that the client has gone once the server is told to stop."""

        async def either() -> Message:
            asking = asyncio.ensure_future(receive())
            closing = asyncio.ensure_future(self._closing.wait())
            try:
                await asyncio.wait({asking, closing}, return_when=asyncio.FIRST_COMPLETED)
                return asking.result() if asking.done() else {"type": "http.disconnect"}
            finally:
                asking.cancel()
                closing.cancel()

        return either

    async def _health(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        await answer(send, 200, {"status": "ok"})

    async def _readiness(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        ready = self._is_ready() and not self._closing.is_set()
        await answer(send, 200 if ready else 503, {"status": "ready" if ready else "not ready"})


async def _not_found(_scope: Scope, receive: Receive, send: Send) -> None:
    await discard(receive)
    await refuse(send, 404, f"Nothing here; MCP is served at {MCP_PATH}.")

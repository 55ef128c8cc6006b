"""The door: every request passes here before anything of it is believed.

`Door` shows the layers that a request goes through, from outside to inside, and folds them around
the SDK. Each is an application that has the next one inside: it answers by itself, or hands on.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from tebiki.web.access_log import AccessLog
from tebiki.web.asgi import answer
from tebiki.web.authentication import METADATA_PATH, Doorkeeper, ResourceMetadata
from tebiki.web.bodies import WholeBodies
from tebiki.web.fast_path import FastPath
from tebiki.web.screening import Routes, Screening
from tebiki.web.sessions import EndingStreams, SessionShares, without_session

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tebiki.observability.logs import Log
    from tebiki.protocol.messages import Request
    from tebiki.state.store import StateStore
    from tebiki.web.asgi import Application, Receive, Scope, Send
    from tebiki.web.authentication import Keepers
    from tebiki.web.fast_path import Answer
    from tebiki.web.settings import Bounds, WebSettings
    from tebiki.web.vault_calls import SealedAnswer

    Layer = Callable[[Application], Application]

MCP_PATH = "/mcp"
PAGE_PATHS = ("/", "/ui/session", "/ui/proof", "/ui/")
PAGE_BODY_BYTES = 1024 * 1024
"""A question, or an answer that is saved as a note."""
VAULT_CALLS_PATH = "/vault/calls"


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
        look_at_state: Callable[[], str | None] | None = None,
        page: Application | None = None,
        answer_vault_call: Callable[[str, bytes], SealedAnswer] | None = None,
    ) -> None:
        """`look_at_state` tells why the state that several machines share is away, if it is.

        `answer_vault_call` does what other servers of the cluster forward.
        """
        self._look_at_state = look_at_state
        self._sdk = sdk
        self._is_ready = is_ready
        self._on_start = on_start
        self._closing = asyncio.Event()
        bounds = settings.bounds
        routes = self._routes(keepers, bounds, page)
        if answer_vault_call is not None:
            routes[VAULT_CALLS_PATH] = _vault_calls(answer_vault_call, bounds)
        # From outside to inside; what is missing by the settings is None.
        layers: list[Layer | None] = [
            # Sees every request and how it ended, also those that the next layers refuse.
            partial(AccessLog, paths={MCP_PATH, *routes}, log=log) if settings.access_log else None,
            # Says everything once, and is meant for us (Host, Origin): asked on every route.
            partial(Screening, guests=settings.guests, most_head_bytes=bounds.header_bytes),
            # Whoever watches over the server, or looks for a token, has none to show.
            partial(Routes, inside_path=MCP_PATH, others=routes),
            # Whose it is, before a byte of the body is waited for.
            partial(Doorkeeper, keepers=keepers),
            # Whole and not too large, before anything is parsed.
            partial(WholeBodies, most_bytes=bounds.body_bytes, seconds=bounds.read_seconds),
            # A plain request of the modern era has no session and needs no SDK.
            partial(FastPath, answer=plain) if plain is not None else None,
            # Has the client room for a session; with several processes there are none.
            partial(SessionShares, bounds=bounds, store=store, new_id=new_id)
            if settings.has_sessions
            else without_session,
            # A stream that only listens would never end by itself.
            partial(EndingStreams, closing=self._closing),
        ]
        self._requests = sdk
        for layer in reversed(layers):
            if layer is not None:
                self._requests = layer(self._requests)

    def _routes(
        self, keepers: Keepers, bounds: Bounds, page: Application | None
    ) -> dict[str, Application]:
        """What is answered beside MCP, by its path."""
        metadata = ResourceMetadata(keepers)
        routes: dict[str, Application] = {
            "/healthz": self._health,
            "/readyz": self._readiness,
            METADATA_PATH: metadata,
            f"{METADATA_PATH}{MCP_PATH}": metadata,
        }
        if page is not None:
            # It lets people in by itself; a token of the Authorization header is for programs.
            whole = WholeBodies(page, min(bounds.body_bytes, PAGE_BODY_BYTES), bounds.read_seconds)
            routes |= dict.fromkeys(PAGE_PATHS, whole)
        return routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the life of the process."""
        if scope["type"] == "lifespan":
            self._on_start()
            await self._sdk(scope, receive, send)
        elif scope["type"] == "http":
            await self._requests(scope, receive, send)

    def is_closing(self) -> bool:
        """Tell whether the server is about to end."""
        return self._closing.is_set()

    def close(self) -> None:
        """Let no stream that merely listens hold up the end; running calls go on."""
        self._closing.set()

    async def _health(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        await answer(send, 200, {"status": "ok"})

    async def _readiness(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        ready = self._is_ready() and not self._closing.is_set()
        body = {"status": "ready" if ready else "not ready"}
        if self._look_at_state is not None:
            # It goes on serving without: that is no reason to send it no requests.
            away = await asyncio.to_thread(self._look_at_state)
            body["state"] = "shared" if away is None else "degraded"
        await answer(send, 200 if ready else 503, body)


def _vault_calls(answer_call: Callable[[str, bytes], SealedAnswer], bounds: Bounds) -> Application:
    """By its own seal: the servers of a cluster have no tokens of each other."""
    from tebiki.web.vault_calls import VaultCalls  # most servers own nobody's notes

    return VaultCalls(answer_call, bounds.body_bytes, bounds.read_seconds)

"""How many MCP sessions one client may have open: so that nobody takes those of all the others.

Also how a stream ends that belongs to one, and what becomes of an id where there are none.

The SDK has one bound for all clients together. Here each session is a lease of its principal's,
renewed by every request in it and while one runs, as the SDK closes a session that is not used.
Whatever might open a session takes a lease before the SDK sees it: nothing that is sent can make
this part and the SDK disagree to the sender's advantage.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tebiki.protocol.eras import MODERN_VERSIONS
from tebiki.state.leases import LEASE_SECONDS, LeasesInUse
from tebiki.state.store import Lease
from tebiki.web.asgi import header_values, refuse, watch_start
from tebiki.web.principals import SESSION_HEADER, principal_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.state.store import StateStore
    from tebiki.web.asgi import Application, Message, Receive, Scope, Send
    from tebiki.web.settings import Bounds

NAME = "sessions"
VERSION_HEADER = b"mcp-protocol-version"

GRACE_SECONDS = 1.0
"""How much longer a session counts than the SDK keeps it: never less."""

OK = 200


class SessionShares:
    """Lets a client open sessions until it has its share."""

    def __init__(
        self, application: Application, bounds: Bounds, store: StateStore, new_id: Callable[[], str]
    ) -> None:
        self._application = application
        self._most = bounds.sessions_per_client
        self._idle_seconds = bounds.session_idle_seconds + GRACE_SECONDS
        self._store = store
        self._new_id = new_id
        self._used_seconds = max(self._idle_seconds, LEASE_SECONDS)
        self.in_use = LeasesInUse(store, self._used_seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse to open one session more."""
        sessions = header_values(scope, SESSION_HEADER)
        if sessions:
            await self._go_on(sessions[0], scope, receive, send)
        elif is_modern(scope):
            await self._application(scope, receive, send)
        else:
            await self._begin(scope, receive, send)

    async def _go_on(self, session: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        # Under the asker's own name: with somebody else's id it finds nothing.
        lease = Lease(NAME, principal_of(scope).name, session.decode("latin-1"))
        self._store.renew([lease], self._used_seconds)
        starts: list[Message] = []
        self.in_use.begin(lease)
        try:
            await self._application(scope, receive, watch_start(send, starts.append))
        finally:
            if self.in_use.end(lease):
                self._store.renew([lease], self._idle_seconds)
        if scope["method"] == "DELETE" and starts and starts[0]["status"] == OK:
            self._store.release(lease)

    async def _begin(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal = principal_of(scope).name
        trial = Lease(NAME, principal, self._new_id())
        if self._store.lease(trial, self._most, self._used_seconds) is None:
            words = f"{self._most} sessions of this client are open; close some, or wait."
            await refuse(send, 429, words)
            return

        def note_session(start: Message) -> None:
            for session in _sessions_in(start):
                lease = Lease(NAME, principal, session)
                self._store.lease(lease, float("inf"), self._idle_seconds)

        self.in_use.begin(trial)
        try:
            await self._application(scope, receive, watch_start(send, note_session))
        finally:
            self.in_use.end(trial)
            self._store.release(trial)


class EndingStreams:
    """Tells the SDK that a listening client has gone, once the server is told to stop."""

    def __init__(self, application: Application, closing: asyncio.Event) -> None:
        self._application = application
        self._closing = closing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def receive_or_end() -> Message:
            asking = asyncio.ensure_future(receive())
            closing = asyncio.ensure_future(self._closing.wait())
            try:
                await asyncio.wait({asking, closing}, return_when=asyncio.FIRST_COMPLETED)
                return asking.result() if asking.done() else {"type": "http.disconnect"}
            finally:
                asking.cancel()
                closing.cancel()

        is_listening = scope["method"] == "GET"
        await self._application(scope, receive_or_end if is_listening else receive, send)


def without_session(application: Application) -> Application:
    """Hand requests on without the id of a session that nobody has given them.

    It would be a name of the client's own choice.
    """

    async def hand_on(scope: Scope, receive: Receive, send: Send) -> None:
        headers = [pair for pair in scope["headers"] if pair[0] != SESSION_HEADER]
        await application({**scope, "headers": headers}, receive, send)

    return hand_on


def is_modern(scope: Scope) -> bool:
    """Tell whether a request can open no session: its one version is of the modern era."""
    versions = header_values(scope, VERSION_HEADER)
    return len(versions) == 1 and versions[0].decode("latin-1") in MODERN_VERSIONS


def _sessions_in(start: Message) -> list[str]:
    """The ids that a good answer gives to its client."""
    if start["status"] != OK:
        return []
    return [
        value.decode("latin-1")
        for name, value in start["headers"]
        if name.lower() == SESSION_HEADER
    ]

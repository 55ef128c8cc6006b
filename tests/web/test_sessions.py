"""A client's share of the sessions, counted by what the SDK really holds."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.state.leases import LEASE_SECONDS
from tebiki.state.memory import MemoryStateStore
from tebiki.web.principals import LOCAL, admit
from tebiki.web.sessions import GRACE_SECONDS, SessionShares
from tebiki.web.settings import Bounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.web.asgi import Message, Receive, Scope, Send

IDLE_SECONDS = 60.0
BOUNDS = Bounds(1, 1, 1, 1, 1, 10, 1, IDLE_SECONDS, 1)


class Sdk:
    """Opens a session for whoever has none, and answers in one until it is told to end."""

    def __init__(self) -> None:
        self.begun, self.ended = asyncio.Event(), asyncio.Event()

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Serve one request."""
        headers = [] if _has_session(scope) else [(b"mcp-session-id", b"s")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if scope["method"] == "GET":
            self.begun.set()
            await self.ended.wait()


def _has_session(scope: Scope) -> bool:
    return any(name == b"mcp-session-id" for name, _ in scope["headers"])


async def _receive() -> Message:
    return {"type": "http.disconnect"}


def _asking(shares: SessionShares) -> Callable[..., Any]:
    async def ask(method: str, *headers: tuple[bytes, bytes]) -> int:
        statuses: list[int] = []

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        scope = admit({"method": method, "headers": list(headers)}, LOCAL)
        await shares(scope, _receive, send)
        return statuses[0]

    return ask


@pytest.mark.requirement("http:limits:sessions-held")
def test_a_session_in_use_stays_counted() -> None:
    """However long a stream is open in it; an unused one is free after the SDK has closed it."""
    now = [1000.0]
    ids = count()

    async def run() -> None:
        sdk = Sdk()
        shares = SessionShares(
            sdk, BOUNDS, MemoryStateStore(lambda: now[0]), lambda: str(next(ids))
        )
        ask, session = _asking(shares), (b"mcp-session-id", b"s")
        assert await ask("POST") == 200
        listening = asyncio.create_task(ask("GET", session))
        await sdk.begun.wait()
        for _ in range(10):
            now[0] += min(LEASE_SECONDS, IDLE_SECONDS) - 1
            shares.in_use.renew()
            assert await ask("POST") == 429
        sdk.ended.set()
        await listening
        now[0] += IDLE_SECONDS
        assert await ask("POST") == 429
        now[0] += GRACE_SECONDS
        assert await ask("POST") == 200

    asyncio.run(run())


@pytest.mark.requirement("http:limits:sessions-held")
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "PUT"])
@pytest.mark.parametrize(
    "versions",
    [(), (b"2025-06-18",), (b"x",), (b"2025-06-18", b"2026-07-28"), (b"2026-07-28", b"x")],
)
def test_whatever_might_open_a_session_is_counted(versions: tuple[bytes, ...], method: str) -> None:
    """In every method, and whichever of several versions the SDK goes by."""
    ids = count()

    async def run() -> None:
        sdk = Sdk()
        sdk.ended.set()
        shares = SessionShares(sdk, BOUNDS, MemoryStateStore(lambda: 0.0), lambda: str(next(ids)))
        headers = [(b"mcp-protocol-version", version) for version in versions]
        ask = _asking(shares)
        assert await ask(method, *headers) == 200
        assert await ask(method, *headers) == 429

    asyncio.run(run())

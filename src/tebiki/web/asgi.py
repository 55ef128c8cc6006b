"""The contract every part of the door obeys, and the few answers it gives by itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

Header = tuple[bytes, bytes]

SAFE_HEADERS: tuple[Header, ...] = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)
"""Answers are for one client, and are no page that a browser should guess at."""


HEADER_SIGNS = len(b": \r\n")

MOST_DISCARDED = 64 * 1024
DISCARD_SECONDS = 1.0
"""What a client that is refused may still send, and how long."""


def header_values(scope: Scope, name: bytes) -> list[bytes]:
    """Every value a request has for a header; ASGI gives names in small letters."""
    return [value for key, value in scope["headers"] if key == name]


def head_bytes(scope: Scope) -> int:
    """How long a request's head was, nearly."""
    headers = sum(len(name) + len(value) + HEADER_SIGNS for name, value in scope["headers"])
    return len(scope["raw_path"]) + len(scope["query_string"]) + headers


def watch_start(send: Send, note_start: Callable[[Message], None]) -> Send:
    """Send as before, and note how each response starts, before it does."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            note_start(message)
        await send(message)

    return sending


def replay(body: bytes, receive: Receive) -> Receive:
    """Give the body once, then whatever the connection really says."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


async def answer(
    send: Send,
    status: int,
    body: Any,
    headers: tuple[Header, ...] = (),
) -> None:
    """Send one JSON document and be done."""
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
    start = {
        "type": "http.response.start",
        "status": status,
        "headers": [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(data)),
            *SAFE_HEADERS,
            *headers,
        ],
    }
    await send(start)
    await send({"type": "http.response.body", "body": data})


async def refuse(send: Send, status: int, words: str, *, hang_up: bool = False) -> None:
    """Say in one sentence why a request is not served."""
    closing: tuple[Header, ...] = ((b"connection", b"close"),) if hang_up else ()
    await answer(send, status, {"error": words}, closing)


async def discard(receive: Receive) -> None:
    """Read what a refused client has sent, within reason, and forget it.

    A connection closed with bytes unread takes the answer with it: the client would see an error
    of the network instead of our words.
    """
    left = MOST_DISCARDED
    with suppress(TimeoutError):
        async with asyncio.timeout(DISCARD_SECONDS):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if not message.get("more_body", False):
                    return

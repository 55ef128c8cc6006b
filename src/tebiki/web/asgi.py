"""The contract every part of the door obeys, and the few answers it gives by itself."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
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


def header_values(scope: Scope, name: bytes) -> list[bytes]:
    """Every value a request has for a header; ASGI gives names in small letters."""
    return [value for key, value in scope["headers"] if key == name]


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


async def refuse(
    send: Send, status: int, words: str, headers: tuple[Header, ...] = (), *, hang_up: bool = False
) -> None:
    """Say in one sentence why a request is not served."""
    closing: tuple[Header, ...] = ((b"connection", b"close"),) if hang_up else ()
    await answer(send, status, {"error": words}, (*headers, *closing))

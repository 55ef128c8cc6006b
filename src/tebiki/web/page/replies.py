"""What the page answers with: bytes and headers, the same careful headers on every answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.web.asgi import Header, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
"""Nothing but our own files runs, and no text becomes markup; no other page may frame this one."""

SANDBOX = "default-src 'none'; style-src 'none'; sandbox"
"""For a file that is somebody else's: should it be opened by itself, nothing in it runs."""

CAREFUL: tuple[Header, ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)

NO_STORE: Header = (b"cache-control", b"no-store")
JSON_TYPE = "application/json"
JSON_LINES = "application/x-ndjson"

STATUSES = {
    "no_session": 401,
    "session_ended": 401,
    "bad_login": 401,
    "used_link": 401,
    "over_budget": 402,
    "forbidden": 403,
    "foreign_origin": 403,
    "read_only": 403,
    "private_text": 403,
    "out_of_scope": 403,
    "not_found": 404,
    "wrong_method": 405,
    "conflict": 409,
    "too_large": 413,
    "wrong_type": 415,
    "rate_limited": 429,
    "internal": 500,
    "upstream": 502,
    "not_configured": 503,
}
"""What fails by which code; everything else is the caller's own: 400."""


class PageReply(NamedTuple):
    """One answer; `policy` is what a browser may do with it."""

    status: int
    body: bytes = b""
    media_type: str = JSON_TYPE
    headers: tuple[Header, ...] = (NO_STORE,)
    policy: str = POLICY


def json_reply(value: Any, status: int = 200, headers: tuple[Header, ...] = ()) -> PageReply:
    """Answer with a value; what is data is kept by nobody."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return PageReply(status, body.encode("utf-8", "backslashreplace"), headers=(NO_STORE, *headers))


def failure(code: str, message: str, **more: Any) -> PageReply:
    """Say what is wrong: a code for the program, a sentence for people."""
    headers: tuple[Header, ...] = ()
    if (seconds := more.get("retry_after")) is not None:
        headers = ((b"retry-after", b"%d" % seconds),)
    error = {"code": code, "message": message, **more}
    return json_reply({"error": error}, STATUSES.get(code, 400), headers)


class RefusedRequest(Exception):
    """A request that goes no further; carries its answer."""

    def __init__(self, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.reply = failure(code, message, **more)


def head_of(reply: PageReply, length: int | None) -> dict[str, Any]:
    """The start of an answer; one whose length nobody knows yet is sent in pieces."""
    headers: list[Header] = [(b"content-type", reply.media_type.encode("latin-1"))]
    if length is not None:
        headers.append((b"content-length", b"%d" % length))
    headers += [*reply.headers, *CAREFUL, (b"content-security-policy", reply.policy.encode())]
    return {"type": "http.response.start", "status": reply.status, "headers": headers}


async def send_reply(send: Send, reply: PageReply, *, without_body: bool = False) -> None:
    """Send one answer and be done; for HEAD without what it is about."""
    await send(head_of(reply, len(reply.body)))
    await send({"type": "http.response.body", "body": b"" if without_body else reply.body})

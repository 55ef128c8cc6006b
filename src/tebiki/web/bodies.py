"""Bodies on their way in: whole, within a bound of bytes and of time, before anything is parsed.

Also the two things that are changed in them, so that a client is served as on stdio: an
`initialize` asks for the handshake revision this server answers with, whatever was asked for; and a
lone surrogate, which is legal JSON but which the SDK cannot read, becomes a replacement sign.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any

from mcp.types import InitializeRequestParams

from tebiki.protocol.eras import HANDSHAKE_VERSION
from tebiki.values.numerals import count_in
from tebiki.web.asgi import header_values, refuse, replay

if TYPE_CHECKING:
    from tebiki.web.asgi import Application, Receive, Scope, Send


SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<alone>u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|.)",
    re.DOTALL,
)
"""What JSON writes with a backslash: both halves of a pair, a surrogate alone, or anything else.

Taken from the left, one after the other: what follows an escaped backslash is no escape.
"""

NOBODY = {"name": "unknown", "version": ""}
"""A client that does not say who it is."""


class TooLarge(Exception):
    """More bytes than a body may have."""


class Gone(Exception):
    """The client left before it had said everything."""


class WholeBodies:
    """Reads a request's body to its end, then lets the application have it."""

    def __init__(self, application: Application, most_bytes: int, seconds: float) -> None:
        self._application = application
        self._most = most_bytes
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        declared = b"".join(header_values(scope, b"content-length"))
        if declared.isdigit() and count_in(declared) > self._most:
            await self._refuse_size(send)
            return
        try:
            async with asyncio.timeout(self._seconds):
                body = await read_body(receive, self._most)
        except TooLarge:
            await self._refuse_size(send)
        except TimeoutError:
            await refuse(send, 408, "The request took too long to arrive.", hang_up=True)
        except Gone:
            return
        else:
            whole = pin_revision(pair_surrogates(body)) if scope["method"] == "POST" else body
            await self._application(_resize(scope, len(whole)), replay(whole, receive), send)

    async def _refuse_size(self, send: Send) -> None:
        words = f"A request may have at most {self._most} bytes."
        await refuse(send, 413, words, hang_up=True)


async def read_body(receive: Receive, most_bytes: int) -> bytes:
    """A request's body, whole.

    Raises:
        TooLarge: it has more bytes than it may.
        Gone: the client left before its end.
    """
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise Gone
        body += message.get("body", b"")
        if len(body) > most_bytes:
            raise TooLarge
        if not message.get("more_body", False):
            return bytes(body)


def _resize(scope: Scope, length: int) -> Scope:
    headers = [
        (name, b"%d" % length if name == b"content-length" else value)
        for name, value in scope["headers"]
    ]
    return {**scope, "headers": headers}


def pair_surrogates(body: bytes) -> bytes:
    """The same body; a surrogate that stands alone is replaced."""
    # Looking for any surrogate is many times as quick, and most bodies have none.
    return ESCAPE.sub(_whole, body) if SURROGATE.search(body) else body


def _whole(escape: re.Match[bytes]) -> bytes:
    return escape[0] if escape["alone"] is None else rb"\ufffd"


def pin_revision(body: bytes) -> bytes:
    """The same body; an `initialize` in it asks for the revision that is answered.

    What its params lack is filled in, and odd ones are left out: on stdio such a client is served
    too.
    """
    if b'"initialize"' not in body:
        return body
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(message, dict) or message.get("method") != "initialize":
        return body
    params = _object(message.get("params"))
    usual = {"protocolVersion": HANDSHAKE_VERSION, "capabilities": {}, "clientInfo": NOBODY}
    message["params"] = {
        **params,
        **usual,
        "capabilities": _object(params.get("capabilities")),
        "clientInfo": {**NOBODY, **_object(params.get("clientInfo"))},
    }
    if not _is_readable(message["params"]):
        message["params"] = usual
    return json.dumps(message).encode()


def _is_readable(params: dict[str, Any]) -> bool:
    try:
        InitializeRequestParams.model_validate(params)
    except ValueError:
        return False
    return True


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}

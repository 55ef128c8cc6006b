"""The route by which other servers call the notes' tools: bytes in, bytes out, within bounds.

Who is let in, and what is done, whoever answers decides by the seal on the bytes; no token opens
this route, and nothing is parsed here.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple
from tebiki.web.asgi import SAFE_HEADERS, header_values, refuse
from tebiki.web.bodies import Gone, TooLarge, read_body

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.web.asgi import Receive, Scope, Send

SEAL = b"tebiki-seal"

ESCAPES_GROW = 3
"""How much longer a call may be than it was when a client sent it: signs are escaped on the way."""

ENVELOPE_BYTES = 65_536
THREADS = 16
"""Forwarded calls that run at once; the others wait for their turn."""


class SealedAnswer(NamedTuple):
    """What goes back; one that was not let in gets no seal."""

    status: int
    seal: str
    body: bytes


class VaultCalls:
    """Hands sealed calls on, in threads of their own."""

    def __init__(
        self, answer: Callable[[str, bytes], SealedAnswer], most_bytes: int, seconds: float
    ) -> None:
        self._answer = answer
        self._most_bytes = ESCAPES_GROW * most_bytes + ENVELOPE_BYTES
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(THREADS, "vault-calls")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one call."""
        seals = header_values(scope, SEAL)
        if scope["method"] != "POST" or len(seals) != 1:
            await refuse(send, 403, "This is for servers of the same cluster.", hang_up=True)
            return
        try:
            async with asyncio.timeout(self._seconds):
                body = await read_body(receive, self._most_bytes)
        except TooLarge:
            words = f"A call may have at most {self._most_bytes} bytes."
            await refuse(send, 413, words, hang_up=True)
        except TimeoutError:
            await refuse(send, 408, "The call took too long to arrive.", hang_up=True)
        except Gone:
            return
        else:
            loop = asyncio.get_running_loop()
            seal = seals[0].decode("latin-1")
            # Not cancelled with the connection: a write that has begun is ended and noted.
            asked = loop.run_in_executor(self._threads, self._answer, seal, body)
            await _send(send, await asyncio.shield(asked))


async def _send(send: Send, answer: SealedAnswer) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(answer.body)),
        *SAFE_HEADERS,
    ]
    if answer.seal:
        headers.append((SEAL, answer.seal.encode("ascii")))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})

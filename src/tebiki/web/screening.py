"""The first two layers of the door: is a request meant for us, and where does it go.

What is refused is told in one sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.web.addresses import unknown_host_words
from tebiki.web.asgi import discard, head_bytes, header_values, refuse
from tebiki.web.headers import find_repeated, repeated_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tebiki.web.addresses import Guests
    from tebiki.web.asgi import Application, Receive, Scope, Send


class Screening:
    """Refuses what no route is to see."""

    def __init__(self, application: Application, guests: Guests, most_head_bytes: int) -> None:
        self._application = application
        self._guests = guests
        self._most_head_bytes = most_head_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        refusal = self._refusal(scope)
        if refusal is None:
            await self._application(scope, receive, send)
        else:
            await discard(receive)
            await refuse(send, *refusal, hang_up=True)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the words for a request that no route is to see."""
        # What comes in one piece is not looked at by `connections`, whose bound is for pieces.
        if head_bytes(scope) > self._most_head_bytes:
            return 431, f"A request's head may have at most {self._most_head_bytes} bytes."
        if name := find_repeated(name for name, _ in scope["headers"]):
            return 400, repeated_words(name)
        hosts = header_values(scope, b"host")
        if not self._guests.knows_host(hosts):
            return 421, unknown_host_words(hosts)
        if not self._guests.knows_origin(header_values(scope, b"origin")):
            return 403, (
                "This page may not call; the server's owner can add it to http.allowed_origins."
            )
        return None


class Routes:
    """Hands on what is for one path, and lets others answer for theirs.

    A path of the others that ends with a slash stands for all below it.
    """

    def __init__(
        self, application: Application, inside_path: str, others: Mapping[str, Application]
    ) -> None:
        self._inside_path = inside_path
        self._routes = {inside_path: application, **others}
        self._below = [
            (path, one) for path, one in others.items() if path.strip("/") and path[-1] == "/"
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._find(scope["path"])(scope, receive, send)

    def _find(self, path: str) -> Application:
        found = self._routes.get(path)
        if found is not None:
            return found
        return next((one for start, one in self._below if path.startswith(start)), self._refuse)

    async def _refuse(self, _scope: Scope, receive: Receive, send: Send) -> None:
        await discard(receive)
        await refuse(send, 404, f"Nothing here; MCP is served at {self._inside_path}.")

"""One line for each request: what was asked for, by whom, how it ended, how long it took.

Never in it: a token, a session id, an address's query, a path that is none of ours, an argument.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tebiki.web.asgi import watch_start

if TYPE_CHECKING:
    from collections.abc import Collection

    from tebiki.observability.logs import Log
    from tebiki.web.asgi import Application, Message, Receive, Scope, Send

KEY = "tebiki.noted"
QUIET = "\0quiet"

LONGEST_NAME = 100
"""Characters of a client's name; what an OAuth server calls people is its own business."""

KNOWN_METHODS = ("GET", "POST", "DELETE", "OPTIONS", "HEAD", "PUT", "PATCH")


class AccessLog:
    """Writes a line after each request."""

    def __init__(self, application: Application, paths: Collection[str], log: Log) -> None:
        self._application = application
        self._paths = paths
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, and note it."""
        begun = time.monotonic()
        noted: dict[str, str] = {}
        starts: list[Message] = []
        try:
            await self._application(
                {**scope, KEY: noted}, receive, watch_start(send, starts.append)
            )
        finally:
            if QUIET not in noted:
                self._write(scope, starts, begun, noted)

    def _write(
        self, scope: Scope, starts: list[Message], begun: float, noted: dict[str, str]
    ) -> None:
        method, path = scope["method"], scope["path"]
        self._log.info(
            "access",
            method=method if method in KNOWN_METHODS else "other",
            path=path if path in self._paths else "other",
            # 0: the client left before it was answered.
            status=starts[0]["status"] if starts else 0,
            ms=round((time.monotonic() - begun) * 1000),
            **noted,
        )


def keep_quiet(scope: Scope) -> None:
    """Write no line for a request: it says again what has a line already."""
    noted = scope.get(KEY)
    if noted is not None:
        noted[QUIET] = ""


def note(scope: Scope, name: str, value: str) -> None:
    """Add a fact to the line of a request; what is not printable is left out."""
    noted = scope.get(KEY)
    if noted is not None:
        plain = "".join(sign for sign in value if sign.isprintable() and not sign.isspace())
        noted[name] = plain[:LONGEST_NAME]

"""A browser as the server sees one: it sends a cookie and an Origin, and keeps the page's key."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tebiki.web.page.own_key import KeyFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tebiki.web.page.own_key import OwnKey
    from tests.support.http_process import HttpProcess, Reply

STATE = ".local/state/tebiki"


def own_key(server: HttpProcess, home: Path) -> OwnKey:
    """The key that a server left for its user."""
    found = KeyFile(str(home / STATE), server.port).read()
    assert found is not None
    return found[0]


class BrowserLike:
    """One browser with its cookie and its key; headers of a test stand above its own."""

    def __init__(self, server: HttpProcess) -> None:
        self.server = server
        self.origin = f"http://127.0.0.1:{server.port}"
        self.cookie: str | None = None
        self.key: str | None = None

    def sign_in(self, **proof: str) -> Reply:
        """Log in by a secret or a token."""
        reply = self.send("POST", "/ui/session", proof)
        if reply.status == 200:
            self.cookie = reply.headers["set-cookie"].partition(";")[0]
            self.key = reply.json["key"]
        return reply

    def open(self, home: Path) -> BrowserLike:
        """Come as `tebiki open` leads a browser."""
        reply = self.sign_in(secret=own_key(self.server, home).new_login(time.time()))
        assert reply.status == 200, reply
        return self

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Reply:
        """Send one request as a page of this server would."""
        usual = {
            "Cookie": self.cookie,
            "x-tebiki-key": self.key,
            "Origin": None if method in {"GET", "HEAD"} else self.origin,
            "Content-Type": None if body is None else "application/json",
        }
        sent = {name: value for name, value in (usual | dict(headers or {})).items() if value}
        data = (
            None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        )
        return self.server.request(method, path, data, sent)

    def get(self, name: str, **query: object) -> Any:
        """What a screen shows; it must be there."""
        reply = self.send("GET", f"/ui/api/{name}?{urlencode(query)}")
        assert reply.status == 200, reply
        return reply.json

    def post(self, name: str, body: Any) -> Any:
        """What comes of a question."""
        reply = self.send("POST", f"/ui/api/{name}", body)
        assert reply.status == 200, reply
        return reply.json

    def refusal(
        self, method: str, path: str, body: Any = None, **headers: str | None
    ) -> tuple[int, str]:
        """The status and the code with which something is refused."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        reply = self.send(method, path, body, names)
        return reply.status, reply.json["error"]["code"]

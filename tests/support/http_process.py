"""The real HTTP server as a subprocess, and a client for it that is not the SDK's.

`HttpProcess` is the server; `HttpTalk` is one client's conversation with it, with the same verbs as
`ServerProcess`, so that the interaction tests run over HTTP too.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from mcp.shared.inbound import NAME_BEARING_METHODS, encode_header_value

from tests.support.launching import clean_environment, launch
from tests.support.overheard import PATIENCE_SECONDS, Listening, Overheard
from tests.support.talk import LEGACY, MODERN_META, Json, Talk, encoded, request_of, version_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

ACCEPT = "application/json, text/event-stream"
CANCELLED = -32800
HELLO = {
    "protocolVersion": LEGACY,
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Reply(NamedTuple):
    """An HTTP answer, read to its end."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON, or the last message of an event stream."""
        if self.headers.get("content-type", "").startswith("text/event-stream"):
            return list(events(self.body.splitlines(keepends=True)))[-1]
        return json.loads(self.body)


class HttpProcess(Listening):
    """One running server."""

    def __init__(
        self,
        home: Path,
        *flags: str,
        face: str = "tebiki",
        env: Mapping[str, str] | None = None,
        bind: str = "127.0.0.1:0",
    ) -> None:
        environment = clean_environment(home) | dict(env or {})
        # Warnings of the libraries are theirs; ours are errors in the tests that import us.
        environment.pop("PYTHONWARNINGS")
        # Its workers are of its group, and must not outlive a test that fails.
        self.process = launch(
            face,
            ("--http", bind, *flags),
            environment,
            listens=False,
            cwd=home,
            own_group=True,
        )
        assert self.process.stderr is not None
        self.overheard = Overheard(self.process.stderr)
        self.overheard.wait_for("serving on ")
        found = re.search(r"serving on http://([^:]+|\[[^\]]+\]):(\d+)/mcp", self.stderr)
        assert found is not None, self.stderr
        self.port = int(found[2])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE_SECONDS)
        self.overheard.close()
        assert self.process.stdout is not None
        self.process.stdout.close()

    @property
    def url(self) -> str:
        """Where MCP is served."""
        return f"http://127.0.0.1:{self.port}/mcp"

    def stop(self) -> int:
        """Ask it to end, and wait for its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_SECONDS)

    def connect(self) -> http.client.HTTPConnection:
        """Open a connection."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send one request and read its answer to the end."""
        connection = self.connect()
        try:
            # What is refused by its head is answered before its body is sent.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, names, response.read())
        finally:
            connection.close()

    def post(self, message: object, **headers: str) -> Reply:
        """Send one JSON-RPC message."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.request("POST", "/mcp", encoded(message), mcp_headers(message) | names)

    def talk(self, *, token: str | None = None, modern: bool = False) -> HttpTalk:
        """Begin a conversation."""
        talk = HttpTalk(self, token=token, modern=modern)
        return talk if modern else talk.greet()


def mcp_headers(message: object) -> dict[str, str]:
    """The headers a client sends with a message, by its era."""
    headers = {"Content-Type": "application/json", "Accept": ACCEPT}
    if not isinstance(message, dict) or "method" not in message:
        return headers
    params = message.get("params")
    version = version_of(message["method"], params)
    if version != LEGACY:
        headers |= {"MCP-Protocol-Version": version, "Mcp-Method": message["method"]}
        named = NAME_BEARING_METHODS.get(message["method"], "name")
        if isinstance(params, dict) and isinstance(params.get(named), str):
            headers["Mcp-Name"] = encode_header_value(params[named])
    return headers


class HttpTalk(Talk):
    """One client: a session in the handshake era, nothing but requests in the modern one."""

    transport = "http"

    def __init__(
        self, server: HttpProcess, *, token: str | None = None, modern: bool = False
    ) -> None:
        super().__init__()
        self.server = server
        self.overheard = server.overheard
        self._modern = modern
        self._auth = {"Authorization": f"Bearer {token}"} if token is not None else {}
        self._open: dict[object, http.client.HTTPConnection] = {}
        self._readers: list[threading.Thread] = []
        self._cancelled: set[object] = set()
        self.session: str | None = None
        self._has_greeted = modern

    def __exit__(self, *_: object) -> None:
        """Nothing to do: the server takes the connections with it."""

    def greet(self) -> Self:
        """Begin a session, as a client of the handshake era does."""
        reply = self.server.post(request_of("hello", "initialize", HELLO), **self._auth)
        assert reply.status == 200, reply
        self.session = reply.headers.get("mcp-session-id")
        self._has_greeted = True
        return self

    def _greet_before(self, message: Any) -> None:
        """Begin the session that a message needs, unless it is what begins one."""
        method = message.get("method") if isinstance(message, dict) else None
        if method == "initialize":
            self._has_greeted = True
        elif not self._has_greeted and "MCP-Protocol-Version" not in mcp_headers(message):
            self.greet()

    def headers(self, message: object) -> dict[str, str]:
        """What goes with a message."""
        headers = mcp_headers(message) | self._auth
        if "MCP-Protocol-Version" not in headers:
            headers["MCP-Protocol-Version"] = LEGACY
            if self.session is not None:
                headers["Mcp-Session-Id"] = self.session
        return headers

    def request(self, request_id: object, method: str, params: Any = None) -> None:
        """Send a request without waiting."""
        if self._modern:
            meta = MODERN_META | (params or {}).get("_meta", {})
            params = {**(params or {}), "_meta": meta}
        super().request(request_id, method, params)

    def send(self, message: object) -> None:
        """Post one message; what comes back is read beside, but for a notification."""
        meaning = (
            json.loads(message, parse_int=_first_digits) if isinstance(message, bytes) else message
        )
        self._greet_before(meaning)
        connection = self.server.connect()
        connection.request("POST", "/mcp", encoded(message), self.headers(meaning))
        if not isinstance(meaning, dict) or "id" not in meaning:
            # The status is all that comes back, also for one that could not be read.
            assert connection.getresponse().status in {202, 400}
            connection.close()
            return
        self._open[meaning["id"]] = connection
        reader = threading.Thread(target=self._read, args=(connection, meaning["id"]), daemon=True)
        self._readers.append(reader)
        reader.start()

    def cancel(self, request_id: object, reason: str = "test") -> None:
        """Cancel a request; the end of its stream is not an answer."""
        self._cancelled.add((type(request_id), request_id))
        super().cancel(request_id, reason)

    def hang_up(self, request_id: object) -> None:
        """Close the connection of a request, as a client that gives up does."""
        sock = self._open.pop(request_id).sock
        assert sock is not None
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)

    def finish(self) -> list[Json]:
        """Wait for every answer, tell the server to end, return everything not yet taken."""
        for reader in self._readers:
            reader.join(PATIENCE_SECONDS)
        assert self.server.stop() == 0
        self.overheard.wait_for_end()
        self._messages.put(None)
        return self._rest()

    def _read(self, connection: http.client.HTTPConnection, request_id: object) -> None:
        # A connection that a test hangs up ends here; whoever waits for its answer says so.
        with suppress(OSError, http.client.HTTPException, ValueError):
            response = connection.getresponse()
            self.session = self.session or response.getheader("mcp-session-id")
            if (response.getheader("content-type") or "").startswith("text/event-stream"):
                for message in events(self._heard(response)):
                    self._hear(message, request_id)
            elif body := response.read():
                self._hear(json.loads(body), request_id)
        connection.close()

    def _heard(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        for line in lines:
            self.raw += line
            yield line

    def _hear(self, message: Json, request_id: object) -> None:
        """Keep a message; what could not be read is answered without an id, but comes back here."""
        if "error" in message and message.get("id") is None:
            message["id"] = request_id
        self._messages.put(message)

    def _is_goodbye(self, message: Json) -> bool:
        """Whether a message says no more than that the stream of a cancelled request ends."""
        code = message.get("error", {}).get("code")
        request_id = message.get("id")
        return code == CANCELLED and (type(request_id), request_id) in self._cancelled

    def next_message(self) -> Json:
        """The next message that was not taken yet."""
        while self._is_goodbye(message := super().next_message()):
            pass
        return message

    def _rest(self) -> list[Json]:
        return [message for message in super()._rest() if not self._is_goodbye(message)]


def _first_digits(digits: str) -> int:
    """As much of a number as Python is sure to convert."""
    return int(digits[:100])


def events(lines: Iterable[bytes]) -> Iterator[Json]:
    """The messages of an event stream."""
    for line in lines:
        name, _, value = line.decode().partition(":")
        if name == "data" and value.strip():
            yield json.loads(value)

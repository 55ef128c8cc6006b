"""The real HTTP server as a subprocess, and a client for it that is not the SDK's.

`HttpProcess` is the server; `HttpTalk` is one client's conversation with it, with the same verbs as
`ServerProcess`, so that the interaction tests run over HTTP too.
"""

from __future__ import annotations

import http.client
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from mcp_types.methods import validate_server_result

from tests.server_process import (
    MODERN_META,
    PATIENCE_SECONDS,
    clean_environment,
    era_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Json = dict[str, Any]

MODERN = "2026-07-28"
LEGACY = "2025-06-18"
ACCEPT = "application/json, text/event-stream"
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


class HttpProcess:
    """One running server."""

    def __init__(
        self,
        home: Path,
        *flags: str,
        face: str = "tebiki",
        env: Mapping[str, str] | None = None,
        bind: str = "127.0.0.1:0",
    ) -> None:
        launch = f"from tebiki.__main__ import {face}; {face}()"
        environment = clean_environment(home) | dict(env or {})
        # Warnings of the libraries are theirs; ours are errors in the tests that import us.
        environment.pop("PYTHONWARNINGS")
        self.process = subprocess.Popen(
            [sys.executable, "-c", launch, "--http", bind, *flags],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=home,
            # Its workers are of its group, and must not outlive a test that fails.
            start_new_session=True,
        )
        self._stderr = bytearray()
        self._grew = threading.Condition()
        self._reader = threading.Thread(target=self._read_stderr, daemon=True)
        self._reader.start()
        self.wait_for_stderr("serving on ")
        found = re.search(r"serving on http://([^:]+|\[[^\]]+\]):(\d+)/mcp", self.stderr)
        assert found is not None, self.stderr
        self.port = int(found[2])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE_SECONDS)
        self._reader.join(PATIENCE_SECONDS)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    @property
    def url(self) -> str:
        """Where MCP is served."""
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def stderr(self) -> str:
        """What the server has written to stderr."""
        return self._stderr.decode("utf-8", "replace")

    def wait_for_stderr(self, text: str, count: int = 1) -> None:
        """Wait until a text has been written to stderr so many times."""
        with self._grew:
            seen = self._grew.wait_for(
                lambda: self._stderr.count(text.encode()) >= count or self._ended, PATIENCE_SECONDS
            )
        assert seen, f"{text!r} not seen in: {self.stderr[-2000:]}"
        assert self._stderr.count(text.encode()) >= count, self.stderr[-2000:]

    _ended = False

    def _read_stderr(self) -> None:
        pipe = self.process.stderr
        assert pipe is not None
        while chunk := pipe.read1(65_536):  # type: ignore[attr-defined]  # a BufferedReader
            with self._grew:
                self._stderr += chunk
                self._grew.notify_all()
        with self._grew:
            self._ended = True
            self._grew.notify_all()

    def stop(self) -> int:
        """Ask it to end, and wait for its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_SECONDS)

    def wait_until_silent(self) -> None:
        """Wait until nobody has the server's stderr open any more: neither it nor a worker."""
        with self._grew:
            assert self._grew.wait_for(lambda: self._ended, PATIENCE_SECONDS)

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
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, names, response.read())
        finally:
            connection.close()

    def post(self, message: object, **headers: str) -> Reply:
        """Send one JSON-RPC message."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.request("POST", "/mcp", data, mcp_headers(message) | _named(headers))

    def talk(self, *, token: str | None = None, modern: bool = False) -> HttpTalk:
        """Begin a conversation."""
        return HttpTalk(self, token=token, modern=modern)


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def mcp_headers(message: object) -> dict[str, str]:
    """The headers a client sends with a message, by its era."""
    headers = {"Content-Type": "application/json", "Accept": ACCEPT}
    if not isinstance(message, dict) or "method" not in message:
        return headers
    params = message.get("params")
    if era_of(message["method"], params) == MODERN:
        headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"]}
        if isinstance(params, dict) and isinstance(params.get("name"), str):
            headers["Mcp-Name"] = params["name"]
    return headers


class HttpTalk:
    """One client: a session in the handshake era, nothing but requests in the modern one."""

    def __init__(self, server: HttpProcess, *, token: str | None, modern: bool) -> None:
        self.server = server
        self._modern = modern
        self._auth = {"Authorization": f"Bearer {token}"} if token is not None else {}
        self._messages: queue.Queue[Json] = queue.Queue()
        self._aside: list[Json] = []
        self._asked: dict[object, tuple[str, str]] = {}
        self._open: dict[object, http.client.HTTPConnection] = {}
        self.session: str | None = None
        if not modern:
            reply = server.post(_request("hello", "initialize", HELLO), **self._auth)
            assert reply.status == 200, reply
            self.session = reply.headers.get("mcp-session-id")
            self.hello = reply.json

    def headers(self, message: Json) -> dict[str, str]:
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
        message = _request(request_id, method, params)
        if isinstance(request_id, (str, int)):
            self._asked[request_id] = (method, era_of(method, params))
        connection = self.server.connect()
        self._open[request_id] = connection
        connection.request("POST", "/mcp", json.dumps(message).encode(), self.headers(message))
        threading.Thread(target=self._read, args=(connection,), daemon=True).start()

    def ask(self, request_id: object, method: str, params: Any = None) -> Json:
        """Send a request and wait for its answer."""
        self.request(request_id, method, params)
        return self.answer_to(request_id)

    def begin_call(self, request_id: object, tool: str, arguments: object, **params: Any) -> None:
        """Call a tool without waiting."""
        self.request(request_id, "tools/call", {"name": tool, "arguments": arguments, **params})

    def call(self, request_id: object, tool: str, arguments: object, **params: Any) -> Json:
        """Call a tool and wait for its answer."""
        self.begin_call(request_id, tool, arguments, **params)
        return self.answer_to(request_id)

    def cancel(self, request_id: object, reason: str = "test") -> None:
        """Cancel a request as the handshake era does."""
        params = {"requestId": request_id, "reason": reason}
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        body = json.dumps(message).encode()
        assert self.server.request("POST", "/mcp", body, self.headers(message)).status == 202

    def hang_up(self, request_id: object) -> None:
        """Close the connection of a request, as a client that gives up does."""
        sock = self._open.pop(request_id).sock
        assert sock is not None
        with suppress(OSError):
            sock.shutdown(2)

    def next_message(self) -> Json:
        """The next message that was not taken yet."""
        return self._aside.pop(0) if self._aside else self._take()

    def answer_to(self, request_id: object) -> Json:
        """Wait for the answer to a request; everything else is kept aside."""
        for index, message in enumerate(self._aside):
            if message.get("id") == request_id:
                return self._aside.pop(index)
        while True:
            message = self._take()
            if message.get("id") == request_id:
                return message
            self._aside.append(message)

    def _take(self) -> Json:
        message = self._messages.get(timeout=PATIENCE_SECONDS)
        asked = self._asked.get(message.get("id"))
        if asked is not None and "result" in message:
            validate_server_result(*asked, message["result"])
        return message

    def _read(self, connection: http.client.HTTPConnection) -> None:
        # A connection that a test hangs up ends here; whoever waits for its answer says so.
        with suppress(OSError, http.client.HTTPException, ValueError):
            response = connection.getresponse()
            if (response.getheader("content-type") or "").startswith("text/event-stream"):
                for message in events(response):
                    self._messages.put(message)
            else:
                self._messages.put(json.loads(response.read()))
        connection.close()


def events(lines: Any) -> Iterator[Json]:
    """The messages of an event stream."""
    for line in lines:
        name, _, value = line.decode().partition(":")
        if name == "data" and value.strip():
            yield json.loads(value)


def _request(request_id: object, method: str, params: object = None) -> Json:
    message: Json = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message if params is None else {**message, "params": params}

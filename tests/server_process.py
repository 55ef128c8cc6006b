"""A client for the real server as a subprocess: speaks both dialects, reads answers as they come.

Written apart from `tebiki.transport` on purpose: the server's own decoder is under test.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from typing import IO, TYPE_CHECKING, Any, Self

from mcp_types.methods import validate_server_result

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PATIENCE_SECONDS = 60.0
"""How long a test waits for something that must happen; reached only when it does not."""

CANARY = "sk-canary-3f9c2b7e51d84a60"
PLAIN_CANARY = "CANARYkey0123456789ABCDEFGHIJKLMNOP"
"""A key without the usual start: only knowing it can keep it out of the log."""

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
MODERN_META = {
    VERSION_KEY: "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

Json = dict[str, Any]


class ServerProcess:
    """One running server and the conversation with it."""

    def __init__(
        self,
        home: Path,
        *flags: str,
        dialect: str = "line",
        face: str = "openai_responses_mcp",
        env: Mapping[str, str] | None = None,
        reading: bool = True,
    ) -> None:
        self.dialect = dialect
        self._asked: dict[object, tuple[str, str]] = {}
        launch = f"from tebiki.__main__ import {face}; {face}()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", launch, "--stdio", *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=clean_environment(home) | dict(env or {}),
        )
        self.raw = bytearray()
        self._messages: queue.Queue[Json | None] = queue.Queue()
        self._stderr = bytearray()
        self._stderr_grew = threading.Condition()
        self._aside: list[Json] = []
        self._threads = [threading.Thread(target=self._read_stderr, daemon=True)]
        self._threads[0].start()
        if reading:
            self.start_reading()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_SECONDS)
        for thread in self._threads:
            thread.join(PATIENCE_SECONDS)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                close_quietly(pipe)

    def start_reading(self) -> None:
        """Read the server's answers from now on."""
        self._threads.append(threading.Thread(target=self._read_stdout, daemon=True))
        self._threads[-1].start()

    def wait_for_stderr(self, text: str, count: int = 1) -> None:
        """Wait until a text has been written to stderr so many times."""
        with self._stderr_grew:
            seen = self._stderr_grew.wait_for(
                lambda: self._stderr.count(text.encode()) >= count, PATIENCE_SECONDS
            )
        assert seen, f"{text!r} not seen {count} times in: {self.stderr[-2000:]}"

    def send_bytes(self, data: bytes) -> None:
        """Write bytes as they are."""
        pipe = self.process.stdin
        assert pipe is not None
        pipe.write(data)
        pipe.flush()

    def send(self, message: object) -> None:
        """Write one message in this client's dialect."""
        self.send_bytes(framed(message) if self.dialect == "framed" else line(message))

    def request(self, request_id: object, method: str, params: object = None) -> None:
        """Send a request without waiting."""
        message: Json = {"jsonrpc": "2.0", "id": request_id, "method": method}
        if params is not None:
            message["params"] = params
        if isinstance(request_id, (str, int)):
            self._asked[request_id] = (method, era_of(method, params))
        self.send(message)

    def ask(self, request_id: object, method: str, params: object = None) -> Json:
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
        """Cancel a request."""
        params = {"requestId": request_id, "reason": reason}
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    def next_message(self) -> Json:
        """The next message that was not taken yet."""
        if self._aside:
            return self._aside.pop(0)
        return self._read_message()

    def answer_to(self, request_id: object) -> Json:
        """Wait for the answer to a request; everything else is kept aside."""
        for index, message in enumerate(self._aside):
            if "id" in message and message["id"] == request_id:
                return self._aside.pop(index)
        while True:
            message = self._read_message()
            if "id" in message and message["id"] == request_id:
                return message
            self._aside.append(message)

    def end_input(self) -> None:
        """Close the server's input."""
        if self.process.stdin is not None:
            close_quietly(self.process.stdin)

    def drop_output(self) -> None:
        """Close the server's output, as a client that dies does; only when nothing reads it."""
        assert len(self._threads) == 1
        if self.process.stdout is not None:
            self.process.stdout.close()

    def finish(self) -> list[Json]:
        """End the input, wait for the exit with code 0 and return everything not yet taken."""
        self.end_input()
        assert self.process.wait(PATIENCE_SECONDS) == 0
        for thread in self._threads:
            thread.join(PATIENCE_SECONDS)
        rest = list(self._aside)
        while (message := self._messages.get(timeout=PATIENCE_SECONDS)) is not None:
            self._validate(message)
            rest.append(message)
        self._messages.put(None)
        return rest

    @property
    def stderr(self) -> str:
        """What the server has written to stderr."""
        return self._stderr.decode("utf-8", "replace")

    def _read_message(self) -> Json:
        message = self._messages.get(timeout=PATIENCE_SECONDS)
        assert message is not None, f"the server is gone: {self.stderr}"
        self._validate(message)
        return message

    def _validate(self, message: Json) -> None:
        """Hold every answer against the official schema of its era."""
        asked = self._asked.get(message.get("id"))
        if asked is not None and "result" in message:
            validate_server_result(*asked, message["result"])

    def _read_stdout(self) -> None:
        pipe = self.process.stdout
        assert pipe is not None
        while head := pipe.readline():
            self.raw += head
            if head.lower().startswith(b"content-length:"):
                self.raw += pipe.readline()
                body = pipe.read(int(head.split(b":")[1]))
                self.raw += body
            else:
                body = head
            self._messages.put(json.loads(body.decode("utf-8")))
        self._messages.put(None)

    def _read_stderr(self) -> None:
        pipe = self.process.stderr
        assert pipe is not None
        while chunk := pipe.read1(65_536):  # type: ignore[attr-defined]  # a BufferedReader
            with self._stderr_grew:
                self._stderr += chunk
                self._stderr_grew.notify_all()


def era_of(method: str, params: object) -> str:
    """The protocol revision a request is to be answered in."""
    if method == "server/discover":
        return "2026-07-28"
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    return "2026-07-28" if version == "2026-07-28" else "2025-06-18"


def close_quietly(pipe: IO[bytes]) -> None:
    """Close a pipe whose other end may be gone."""
    try:
        pipe.close()
    except BrokenPipeError:
        return


def clean_environment(home: Path) -> dict[str, str]:
    """The environment of a machine on which nothing of ours is configured."""
    kept = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "PYTHONDONTWRITEBYTECODE", "LANG")
    inherited = {name: os.environ[name] for name in kept if name in os.environ}
    return inherited | {"HOME": str(home), "USERPROFILE": str(home), "PYTHONWARNINGS": "error"}


def encoded(message: object) -> bytes:
    """A message as JSON, or bytes as they are."""
    if isinstance(message, bytes):
        return message
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "backslashreplace")


def line(message: object) -> bytes:
    """A message in the line dialect."""
    return encoded(message) + b"\n"


def framed(message: object) -> bytes:
    """A message in the framed dialect."""
    body = encoded(message)
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

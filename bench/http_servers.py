"""HTTP servers to measure, and the quickest client that can ask them: one socket, no library."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.processes import clean_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLES = Path(__file__).parents[1] / "samples" / "manuals"
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
SETTINGS = """
http:
  concurrent_calls: 1000
  calls_per_minute: 0
  max_connections: 2000
  access_log: false
"""


class Running(NamedTuple):
    """A server that serves."""

    port: int
    pid: int


@contextmanager
def tebiki(*flags: str) -> Iterator[Running]:
    """Our server with the sample manuals and one note."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        (workspace / "vault").mkdir()
        (workspace / "vault" / "note.md").write_text("# A note\n\n" + "A line of it.\n" * 40)
        (workspace / "config.yaml").write_text(SETTINGS)
        command = (sys.executable, "-m", "tebiki", "--http", "127.0.0.1:0", *flags)
        command = (*command, "--config", str(workspace / "config.yaml"))
        roots = {"WORKSPACE_ROOT": folder, "MANUALS_ROOT": str(SAMPLES)}
        with started(command, roots) as running:
            yield running


@contextmanager
def bare() -> Iterator[Running]:
    """The SDK's server with a trivial tool."""
    with started((sys.executable, "-m", "bench.bare_http"), {}) as running:
        yield running


@contextmanager
def started(command: tuple[str, ...], more: dict[str, str]) -> Iterator[Running]:
    """A server that has said where it serves; `more` is added to its environment."""
    with clean_environment() as environment:
        process = subprocess.Popen(
            command, stderr=subprocess.PIPE, env=environment | more, start_new_session=True
        )
        pipe = process.stderr
        try:
            found = None
            while pipe is not None and found is None and (line := pipe.readline()):
                found = re.search(rb"serving on http://[^:]+:(\d+)/", line)
            if found is None:
                raise ChildProcessError("the server did not start")
            yield Running(int(found[1]), process.pid)
        finally:
            process.terminate()
            process.wait()
            if pipe is not None:
                pipe.close()


class Caller:
    """One client with one connection that stays open."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool and give what came back; an HTTP error raises."""
        params = {"name": tool, "arguments": arguments, "_meta": META}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        body = json.dumps(message).encode()
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: localhost:{self._port}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"MCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        if self._writer is None or self._reader is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._writer.write(head.encode() + body)
        answered = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answered.lower())
        if not answered.startswith(b"HTTP/1.1 200") or length is None:
            raise ConnectionError(answered[:100])
        answer: dict[str, Any] = json.loads(await self._reader.readexactly(int(length[1])))
        return answer

    async def close(self) -> None:
        """Hang up."""
        if self._writer is not None:
            self._writer.close()
            await self._writer.wait_closed()

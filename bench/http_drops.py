"""Connections opened and dropped, thousands of them: what is left of them in the server."""

from __future__ import annotations

import asyncio
import os
import socket
import time

from bench.http_servers import Caller, tebiki
from bench.processes import resident_mb
from bench.report import Row, Table, at_most, spread_of

STARTS = (b"", b"POST /mcp HTT", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")


def measure(*, quick: bool = False) -> Table:
    """Open, say nothing or half a request or a whole one, and drop."""
    count = 500 if quick else 10_000
    with tebiki("--toolsets", "vault") as running:
        asyncio.run(Caller(running.port).call("vault_ls", {}))
        before = resident_mb(running.pid)
        begun = time.perf_counter()
        for number in range(count):
            with socket.create_connection(("127.0.0.1", running.port)) as connection:
                connection.sendall(STARTS[number % len(STARTS)])
        seconds = time.perf_counter() - begun
        answer = asyncio.run(Caller(running.port).call("vault_ls", {}))
        left = _sockets(running.pid)
        grown = resident_mb(running.pid) - before
    rows = (
        Row("opened and dropped", "/s", spread_of([count / seconds])),
        Row("answers after them", "", spread_of([float("result" in answer)])),
        Row("sockets left open", "", spread_of([left]), goal=at_most(left, 8, "")),
        Row("memory grown by", "MB", spread_of([grown]), goal=at_most(grown, 20, " MB")),
    )
    return Table("http_drops", f"{count} connections opened and dropped", rows)


def _sockets(pid: int) -> int:
    """Sockets a process holds; Linux only."""
    folder = f"/proc/{pid}/fd"
    links = [os.readlink(f"{folder}/{name}") for name in os.listdir(folder)]
    return sum(link.startswith("socket:") for link in links)

"""`http_drops`: thousands of connections opened and dropped, and what is left of them in a server.

The yardstick is the SDK's bare server under the same; both are met in turns.
"""

from __future__ import annotations

import asyncio
import os
import socket
import time
from typing import TYPE_CHECKING

from bench.http_servers import Caller, bare, tebiki
from bench.processes import resident_mb
from bench.report import Goal, Row, Table, at_most, spread_of

if TYPE_CHECKING:
    from bench.http_servers import Running

BLOCKS = 10
DROPS_IN_BLOCK, QUICK_DROPS_IN_BLOCK = 1000, 100
STARTS = (b"", b"POST /mcp HTT", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
MOST_SOCKETS = 8
MOST_GROWTH_MB = 20


def measure(*, quick: bool = False) -> Table:
    """Open, say nothing or half a request or a whole one, and drop."""
    drops = QUICK_DROPS_IN_BLOCK if quick else DROPS_IN_BLOCK
    yardstick: list[float] = []
    rates: list[float] = []
    with tebiki("--toolsets", "vault") as ours, bare() as theirs:
        is_well = _answers(ours)
        before = resident_mb(ours.pid), resident_mb(theirs.pid)
        for _ in range(BLOCKS):
            yardstick.append(_drops_a_second(theirs, drops))
            rates.append(_drops_a_second(ours, drops))
        is_well = is_well and _answers(ours)
        left = _sockets(ours.pid)
        grown, theirs_grown = (
            resident_mb(running.pid) - was
            for running, was in zip((ours, theirs), before, strict=True)
        )
    bare_rate, rate = spread_of(yardstick), spread_of(rates)
    rows = (
        Row("bare SDK: opened and dropped", "/s", bare_rate),
        Row("opened and dropped", "/s", rate, rate.median / bare_rate.median),
        Row("bare SDK: memory grown by", "MB", spread_of([theirs_grown])),
        _row("memory grown by", "MB", grown, at_most(grown, MOST_GROWTH_MB, " MB")),
        _row("sockets left open", "", left, at_most(left, MOST_SOCKETS, "")),
        _row("answers before and after", "", int(is_well), Goal("= 1", is_well)),
    )
    return Table("http_drops", f"{BLOCKS * drops:,} connections opened and dropped", rows)


def _row(what: str, unit: str, value: float, goal: Goal) -> Row:
    return Row(what, unit, spread_of([value]), goal=goal)


def _answers(running: Running) -> bool:
    return "result" in asyncio.run(Caller(running.port).call("vault_ls", {}))


def _drops_a_second(running: Running, drops: int) -> float:
    begun = time.perf_counter()
    for number in range(drops):
        with socket.create_connection(("127.0.0.1", running.port)) as connection:
            connection.sendall(STARTS[number % len(STARTS)])
    return drops / (time.perf_counter() - begun)


def _sockets(pid: int) -> int:
    """Sockets a process holds; Linux only."""
    folder = f"/proc/{pid}/fd"
    links = [os.readlink(f"{folder}/{name}") for name in os.listdir(folder)]
    return sum(link.startswith("socket:") for link in links)

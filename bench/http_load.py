"""Many clients at once over HTTP, beside a bare server of the SDK with a trivial tool."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from bench.http_servers import Caller, Running, bare, cpu_seconds, tebiki
from bench.processes import resident_mb
from bench.report import Row, Table, at_most, spread_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

FIND = {
    "query": "how to restore a file",
    "manual_id": "lantern-backup",
    "required_terms": ["restore"],
}
READ = {"path": "note.md", "full": True}
CASES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("bare SDK, trivial tool", "trivial", {}),
    ("vault_read", "vault_read", READ),
    ("manual_find", "manual_find", FIND),
)


def measure(*, quick: bool = False) -> Table:
    """Let clients call, each so many times, and see how it goes."""
    clients, calls = (20, 10) if quick else (200, 50)
    rows: list[Row] = []
    yardstick: float | None = None
    for name, tool, arguments in CASES:
        server: AbstractContextManager[Running]
        server = bare() if tool == "trivial" else tebiki("--toolsets", "manuals,vault")
        with server as running:
            before, cpu = resident_mb(running.pid), cpu_seconds(running.pid)
            took, seconds, errors = asyncio.run(_load(running, tool, arguments, clients, calls))
            cpu = cpu_seconds(running.pid) - cpu
            grown = resident_mb(running.pid) - before
        throughput = len(took) / seconds
        yardstick = yardstick or throughput
        rows += [
            Row(f"{name}: errors", "", spread_of([errors]), goal=at_most(errors, 0, "")),
            Row(f"{name}: calls", "/s", spread_of([throughput]), throughput / yardstick),
            Row(f"{name}: time", "ms", spread_of([1000 * one for one in took])),
            Row(f"{name}: server CPU", "ms/call", spread_of([1000 * cpu / len(took)])),
            Row(f"{name}: memory grown by", "MB", spread_of([grown])),
        ]
    return Table("http_load", f"{clients} clients x {calls} calls over HTTP", tuple(rows))


async def _load(
    running: Running, tool: str, arguments: dict[str, Any], clients: int, calls: int
) -> tuple[list[float], float, int]:
    """Seconds of each call, seconds in all, and how many failed."""
    callers = [Caller(running.port) for _ in range(clients)]
    if tool != "trivial":
        await callers[0].call("manual_ls", {})
    await callers[0].call(tool, arguments)
    took: list[float] = []
    errors = 0

    async def one(caller: Caller) -> None:
        nonlocal errors
        for _ in range(calls):
            begun = time.perf_counter()
            answer = await caller.call(tool, arguments)
            took.append(time.perf_counter() - begun)
            errors += "result" not in answer or answer["result"].get("isError") is True

    begun = time.perf_counter()
    await asyncio.gather(*map(one, callers))
    seconds = time.perf_counter() - begun
    await asyncio.gather(*(caller.close() for caller in callers))
    return took, seconds, errors

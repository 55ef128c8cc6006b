"""`http_load`: many clients at once over HTTP, beside a bare server of the SDK with a trivial tool.

All servers run all the time and are asked in turns, so that they share the machine's moods.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from bench.http_servers import Caller, Running, bare, tebiki
from bench.processes import cpu_ms, resident_mb
from bench.report import Point, Row, Table, at_most, spread_of

CLIENTS, QUICK_CLIENTS = (10, 50, 200), (5, 20)
ROUNDS, QUICK_ROUNDS = 5, 3
CALLS_A_ROUND = 10
READ = {"path": "note.md", "full": True}
FIND = {
    "query": "how to restore a file",
    "manual_id": "lantern-backup",
    "required_terms": ["restore"],
}
YARDSTICK = "bare SDK, trivial tool"


@dataclass(slots=True)
class Case:
    """A tool that is called, and what was seen while it was."""

    name: str
    tool: str
    arguments: dict[str, Any]
    running: Running
    errors: int = 0
    taken: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)

    def forget(self) -> None:
        """Begin anew with another number of clients; errors stay."""
        self.taken, self.rates, self.cpu_ms = [], [], []


def measure(*, quick: bool = False) -> Table:
    """Let ever more clients call, each so many times, and see how it goes."""
    numbers = QUICK_CLIENTS if quick else CLIENTS
    rounds = QUICK_ROUNDS if quick else ROUNDS
    rows: list[Row] = []
    with ExitStack() as servers:
        ours = servers.enter_context(tebiki("--toolsets", "manuals,vault"))
        cases = [
            Case(YARDSTICK, "trivial", {}, servers.enter_context(bare())),
            Case("vault_read", "vault_read", READ, ours),
            Case("manual_find", "manual_find", FIND, ours),
        ]
        asyncio.run(_first_calls(cases))
        before = resident_mb(ours.pid)
        for clients in numbers:
            for case in cases:
                case.forget()
            for _ in range(rounds):
                for case in cases:
                    asyncio.run(_round(case, clients))
            rows += _rows(clients, cases)
        grown = spread_of([resident_mb(ours.pid) - before])
    rows += [_error_row(case) for case in cases]
    rows.append(Row("memory of our server grown by", "MB", grown))
    title = f"{rounds} x {CALLS_A_ROUND} calls of each client, against the SDK's bare server"
    return Table("http_load", title, tuple(rows))


async def _first_calls(cases: list[Case]) -> None:
    """Have everything loaded and every index built."""
    for case in cases:
        caller = Caller(case.running.port)
        if case.name != YARDSTICK:
            await caller.call("manual_ls", {})
        await caller.call(case.tool, case.arguments)
        await caller.close()


async def _round(case: Case, clients: int) -> None:
    callers = [Caller(case.running.port) for _ in range(clients)]

    async def one(caller: Caller) -> None:
        for _ in range(CALLS_A_ROUND):
            begun = time.perf_counter()
            answer = await caller.call(case.tool, case.arguments)
            case.taken.append(1000 * (time.perf_counter() - begun))
            case.errors += "result" not in answer or answer["result"].get("isError") is True

    begun, used = time.perf_counter(), cpu_ms(case.running.pid)
    await asyncio.gather(*map(one, callers))
    calls = clients * CALLS_A_ROUND
    case.rates.append(calls / (time.perf_counter() - begun))
    case.cpu_ms.append((cpu_ms(case.running.pid) - used) / calls)
    await asyncio.gather(*(caller.close() for caller in callers))


def _rows(clients: int, cases: list[Case]) -> list[Row]:
    yardstick = cases[0]
    rows: list[Row] = []
    for case in cases:
        start = f"{clients} clients, {case.name}"
        rows += [
            _row(f"{start}: calls", "/s", case.rates, yardstick.rates),
            _row(f"{start}: server CPU", "ms/call", case.cpu_ms, yardstick.cpu_ms),
            _row(
                f"{start}: time",
                "ms",
                case.taken,
                yardstick.taken,
                Point("http", case.name, clients),
            ),
        ]
    return rows


def _row(
    what: str, unit: str, samples: list[float], yardstick: list[float], point: Point | None = None
) -> Row:
    spread, bare_one = spread_of(samples), spread_of(yardstick)
    ratio = None if samples is yardstick else spread.median / bare_one.median
    return Row(what, unit, spread, ratio, point=point)


def _error_row(case: Case) -> Row:
    goal = at_most(case.errors, 0, "")
    return Row(f"{case.name}: errors", "", spread_of([case.errors]), goal=goal)

"""`http_load`: one client and many over HTTP, beside a bare server of the SDK with a trivial tool.

Both send small answers at once. Questions of which no two are alike are asked on stdio too.

All servers run all the time and are asked in turns, so that they share the machine's moods.
"""

from __future__ import annotations

import asyncio
import itertools
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from bench.calls import timed_calls
from bench.http_servers import SAMPLES, Caller, Running, bare, tebiki
from bench.manuals_server import manuals_server
from bench.processes import clean_environment, cpu_ms, line_of, resident_mb
from bench.report import Goal, Point, Row, Table, at_least, at_most, spread_of

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENTS, QUICK_CLIENTS = (1, 10, 50, 200), (1, 5, 20)
ROUNDS, QUICK_ROUNDS = 5, 3
CALLS_A_ROUND = 10
READ = {"path": "note.md", "full": True}
FIND = {
    "query": "how to restore a file",
    "manual_id": "lantern-backup",
    "required_terms": ["restore"],
}
WORDS = (
    *("vault", "machine", "snapshots", "folders", "files", "temporary", "restores", "recovery"),
    *("password", "network", "mounted", "minutes", "include", "encrypted", "drives", "backup"),
)
YARDSTICK = "bare SDK, trivial tool"
AGAIN, DIFFERENT = "manual_find", "manual_find, different questions"
MOST_MS_ALONE = 5
"""Of a `vault_ls`, when nobody else asks."""

MANY = 50
LEAST_OF_BARE = 0.6
LEAST_OF_STDIO = 0.8


def questions() -> Iterator[dict[str, Any]]:
    """Finds of which no two are alike, for longer than a bench runs."""
    for first, second, third in itertools.cycle(itertools.permutations(WORDS, 3)):
        yield FIND | {"query": f"how {first} {second} {third}", "required_terms": [first]}


@dataclass(slots=True)
class Case:
    """A tool that is called, and what was seen while it was."""

    name: str
    tool: str
    arguments: Iterator[dict[str, Any]]
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
        again = itertools.repeat
        cases = [
            Case(YARDSTICK, "trivial", again({}), servers.enter_context(bare())),
            Case("vault_ls", "vault_ls", again({}), ours),
            Case("vault_read", "vault_read", again(READ), ours),
            Case(AGAIN, "manual_find", again(FIND), ours),
            Case(DIFFERENT, "manual_find", questions(), ours),
        ]
        stdio = servers.enter_context(_Stdio())
        asyncio.run(_first_calls(cases))
        before = resident_mb(ours.pid)
        for clients in numbers:
            for case in cases:
                case.forget()
            for _ in range(rounds):
                for case in cases:
                    asyncio.run(_round(case, clients))
                stdio.round(clients)
            rows += [*_rows(clients, cases), *stdio.rows(clients, cases[-1])]
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
        await caller.call(case.tool, next(case.arguments))
        await caller.close()


async def _round(case: Case, clients: int) -> None:
    callers = [Caller(case.running.port) for _ in range(clients)]

    async def one(caller: Caller) -> None:
        for _ in range(CALLS_A_ROUND):
            begun = time.perf_counter()
            answer = await caller.call(case.tool, next(case.arguments))
            case.taken.append(1000 * (time.perf_counter() - begun))
            case.errors += "result" not in answer or answer["result"].get("isError") is True

    begun, used = time.perf_counter(), cpu_ms(case.running.pid)
    await asyncio.gather(*map(one, callers))
    calls = clients * CALLS_A_ROUND
    case.rates.append(calls / (time.perf_counter() - begun))
    case.cpu_ms.append((cpu_ms(case.running.pid) - used) / calls)
    await asyncio.gather(*(caller.close() for caller in callers))


class _Stdio:
    """The same server on stdio, asked the same different questions."""

    def __init__(self) -> None:
        self._exit = ExitStack()
        self._questions = questions()
        self.cpu_ms: list[float] = []

    def __enter__(self) -> Self:
        environment = self._exit.enter_context(clean_environment())
        folder = self._exit.enter_context(tempfile.TemporaryDirectory())
        roots = {"MANUALS_ROOT": str(SAMPLES), "WORKSPACE_ROOT": folder}
        self._process = self._exit.enter_context(manuals_server(environment | roots))
        return self

    def __exit__(self, *_: object) -> None:
        self._exit.close()

    def round(self, clients: int) -> None:
        """Ask as many questions as those clients ask, and as many at once."""
        calls = clients * CALLS_A_ROUND
        used = self._process.cpu_ms()
        timed_calls(self._process, calls, clients, self._line)
        self.cpu_ms.append((self._process.cpu_ms() - used) / calls)

    def rows(self, clients: int, case: Case) -> list[Row]:
        """What a call takes on stdio; how much HTTP reaches with the CPU that stdio takes."""
        mine, theirs = spread_of(self.cpu_ms), spread_of(case.cpu_ms)
        self.cpu_ms = []
        reached = mine.median / theirs.median
        start = f"{clients} clients, {case.name}"
        goal = at_least(reached, LEAST_OF_STDIO, " x") if clients >= MANY else None
        return [
            Row(f"{start}: CPU on stdio", "ms/call", mine),
            Row(f"{start}: of stdio with the same CPU", "x", spread_of([reached]), goal=goal),
        ]

    def _line(self, number: int) -> bytes:
        params = {"name": "manual_find", "arguments": next(self._questions)}
        return line_of({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


def _rows(clients: int, cases: list[Case]) -> list[Row]:
    yardstick = cases[0]
    rows: list[Row] = []
    for case in cases:
        start = f"{clients} clients, {case.name}"
        rates = _row(f"{start}: calls", "/s", case.rates, yardstick.rates)
        times = _row(f"{start}: time", "ms", case.taken, yardstick.taken)
        rows += [
            replace(rates, goal=_rate_goal(clients, case, rates)),
            _row(f"{start}: server CPU", "ms/call", case.cpu_ms, yardstick.cpu_ms),
            replace(
                times,
                goal=_time_goal(clients, case, times),
                point=Point("http", case.name, clients),
            ),
        ]
    return rows


def _rate_goal(clients: int, case: Case, row: Row) -> Goal | None:
    if case.name != AGAIN or clients != MANY or row.ratio is None:
        return None
    return at_least(row.ratio, LEAST_OF_BARE, " x")


def _time_goal(clients: int, case: Case, row: Row) -> Goal | None:
    if case.name != "vault_ls" or clients != 1:
        return None
    return at_most(row.spread.median, MOST_MS_ALONE, " ms")


def _row(what: str, unit: str, samples: list[float], yardstick: list[float]) -> Row:
    spread, bare_one = spread_of(samples), spread_of(yardstick)
    # Of a few short calls the system may count no time at all.
    is_yardstick = samples is yardstick or not bare_one.median
    ratio = None if is_yardstick else spread.median / bare_one.median
    return Row(what, unit, spread, ratio)


def _error_row(case: Case) -> Row:
    goal = at_most(case.errors, 0, "")
    return Row(f"{case.name}: errors", "", spread_of([case.errors]), goal=goal)

"""`ping`: how soon a `ping` is answered while many calls wait for a slow API, and when idle."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bench.calls import answered, tool_call
from bench.processes import line_of, server, simulator
from bench.report import Row, Table, below, spread_of

if TYPE_CHECKING:
    from bench.processes import Piped


@dataclass(frozen=True, slots=True)
class Load:
    """Calls that are in flight all the time, and how far apart they were started."""

    calls: int
    seconds_apart: float


BLOCKS, QUICK_BLOCKS = 6, 2
PINGS_IN_BLOCK = 50
CALLS_IN_FLIGHT = 64
API_DELAY_MS = 200
SECONDS_APART = API_DELAY_MS / 1000 / CALLS_IN_FLIGHT
GAP_SECONDS = 0.011
"""From an answer to the next ping; not in step with the API, so that pings meet every phase."""

WARM_UP_PINGS = 40
MOST_P95_MS = 10

LOADS = {
    "idle": Load(calls=0, seconds_apart=0),
    f"{CALLS_IN_FLIGHT} calls, spread evenly": Load(CALLS_IN_FLIGHT, SECONDS_APART),
    f"{CALLS_IN_FLIGHT} calls, all in step": Load(CALLS_IN_FLIGHT, 0),
}


def measure(*, quick: bool) -> Table:
    """Time pings to an idle server, with calls spread evenly, and with calls all in step."""
    taken: dict[str, list[float]] = {words: [] for words in LOADS}
    with simulator(API_DELAY_MS) as base_url, server(base_url) as process:
        pinger = Pinger(process)
        pinger.run(WARM_UP_PINGS, Load(CALLS_IN_FLIGHT, SECONDS_APART))
        for _ in range(QUICK_BLOCKS if quick else BLOCKS):
            for words, load in LOADS.items():
                taken[words] += pinger.run(PINGS_IN_BLOCK, load)
    idle, *busy = (Row(words, "ms", spread_of(samples)) for words, samples in taken.items())
    rows = [idle, *(_judged(row, idle.spread.median) for row in busy)]
    return Table("ping", f"ping while calls wait for an API of {API_DELAY_MS} ms", tuple(rows))


def _judged(row: Row, idle_ms: float) -> Row:
    goal = below(row.spread.p95, MOST_P95_MS, " ms p95")
    return replace(row, ratio=row.spread.median / idle_ms, goal=goal)


class Pinger:
    """Keeps calls in flight and sends one ping after the other between them."""

    def __init__(self, process: Piped) -> None:
        self._process = process
        self._numbers = itertools.count(1)
        self._calls_in_flight = 0

    def run(self, pings: int, load: Load) -> list[float]:
        """Time pings in ms under a load that is built up before and gone afterwards."""
        for _ in range(load.calls):
            self._send_call()
            time.sleep(load.seconds_apart)
        taken = [self._ping(load.calls) for _ in range(pings)]
        while self._calls_in_flight:
            self._take(self._process.lines(), calls=0)
        return taken

    def _ping(self, calls: int) -> float:
        """Wait for the gap to pass, then send a ping and wait for its answer."""
        begin = time.perf_counter() + GAP_SECONDS
        while (left := begin - time.perf_counter()) > 0:
            self._take(self._process.lines(left), calls)
        name = f"ping {next(self._numbers)}"
        line = line_of({"jsonrpc": "2.0", "id": name, "method": "ping"})
        sent = time.perf_counter()
        self._process.send(line)
        while True:
            lines = self._process.lines()
            now = time.perf_counter()
            if name in self._take(lines, calls):
                return (now - sent) * 1000

    def _take(self, lines: list[bytes], calls: int) -> list[str]:
        """Replace the calls that were answered; the names of the pings that were."""
        ids = [answered(line) for line in lines]
        pings = [name for name in ids if isinstance(name, str)]
        self._calls_in_flight -= len(ids) - len(pings)
        while self._calls_in_flight < calls:
            self._send_call()
        return pings

    def _send_call(self) -> None:
        self._calls_in_flight += 1
        self._process.send(tool_call(next(self._numbers)))

"""`ping`: how soon a `ping` is answered while many calls wait for a slow API, and when idle."""

from __future__ import annotations

import itertools
import json
import time
from typing import TYPE_CHECKING

from bench.calls import tool_call
from bench.processes import line_of, server, simulator
from bench.report import Row, Table, below, spread_of

if TYPE_CHECKING:
    from bench.processes import Piped

PINGS, QUICK_PINGS = 300, 80
CALLS_IN_FLIGHT = 64
API_DELAY_MS = 200
GAP_SECONDS = 0.011
"""From an answer to the next ping; not in step with the API, so that pings meet every phase."""

WARM_UP_PINGS = 40
MOST_P95_MS = 10


def measure(*, quick: bool) -> Table:
    """Time pings to an idle server, with calls spread evenly, and with calls all in step."""
    pings = QUICK_PINGS if quick else PINGS
    apart = API_DELAY_MS / 1000 / CALLS_IN_FLIGHT
    with simulator(API_DELAY_MS) as base_url, server(base_url) as process:
        pinger = Pinger(process)
        pinger.run(WARM_UP_PINGS, calls=CALLS_IN_FLIGHT, apart=apart)
        idle = spread_of(pinger.run(pings, calls=0, apart=0))
        spread_out = spread_of(pinger.run(pings, calls=CALLS_IN_FLIGHT, apart=apart))
        in_step = spread_of(pinger.run(pings, calls=CALLS_IN_FLIGHT, apart=0))
    rows = [Row("idle", "ms", idle)]
    for words, spread in (("spread evenly", spread_out), ("all in step", in_step)):
        goal = below(spread.p95, MOST_P95_MS, " ms p95")
        ratio = spread.median / idle.median
        rows.append(Row(f"{CALLS_IN_FLIGHT} calls, {words}", "ms", spread, ratio, goal))
    return Table("ping", f"ping while calls wait for an API of {API_DELAY_MS} ms", tuple(rows))


class Pinger:
    """Keeps calls in flight and sends one ping after the other between them."""

    def __init__(self, process: Piped) -> None:
        self._process = process
        self._numbers = itertools.count(1)
        self._calls_in_flight = 0

    def run(self, pings: int, *, calls: int, apart: float) -> list[float]:
        """Time pings in ms, once all calls, started so many seconds apart, are in flight."""
        for _ in range(calls):
            self._send_call()
            time.sleep(apart)
        taken = [self._ping(calls) for _ in range(pings)]
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
        ids = [json.loads(line)["id"] for line in lines]
        pings = [name for name in ids if isinstance(name, str)]
        self._calls_in_flight -= len(ids) - len(pings)
        while self._calls_in_flight < calls:
            self._send_call()
        return pings

    def _send_call(self) -> None:
        self._calls_in_flight += 1
        self._process.send(tool_call(next(self._numbers)))

"""`overhead`: what a call through the server takes beside the same call in a plain SDK script.

Two yardsticks: the script timing itself, without any pipe, and the script commanded call by call
over pipes like the server. Blocks of all three alternate, so that they share the machine's moods.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.calls import body_the_server_sends, script_call, timed_calls
from bench.processes import plain_script, server, simulator
from bench.report import Row, Table, at_most, spread_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.processes import Piped

MOST_TIMES_SCRIPT = 1.2
WARM_UP_CALLS = 192
"""Enough to open 64 connections and to have every import and cache behind us."""


@dataclass(frozen=True, slots=True)
class Case:
    """One load: how many at once, how slow the API is, how many calls in how many blocks."""

    at_once: int
    delay_ms: int
    blocks: int
    calls_in_block: int

    @property
    def words(self) -> str:
        """The load, for a table."""
        return f"{self.at_once} in flight, API {self.delay_ms} ms"


CASES = (Case(1, 0, 10, 20), Case(64, 0, 6, 256), Case(64, 50, 6, 256))
QUICK_CASES = (Case(1, 0, 4, 15), Case(64, 0, 2, 192), Case(64, 50, 2, 192))


def measure(*, quick: bool) -> Table:
    """Time all cases."""
    body = body_the_server_sends()
    rows: list[Row] = []
    for case in QUICK_CASES if quick else CASES:
        with (
            simulator(case.delay_ms) as base_url,
            server(base_url) as served,
            plain_script(base_url, body) as script,
        ):
            rows += _rows(case, _alternating(case, served, script))
    return Table("overhead", "tools/call answer, against the plain SDK script", tuple(rows))


def _alternating(case: Case, served: Piped, script: Piped) -> dict[str, list[float]]:
    sides: dict[str, Callable[[int], list[float]]] = {
        "plain script": lambda calls: script_block(script, calls, case.at_once),
        "plain script over pipes": lambda calls: timed_calls(
            script, calls, case.at_once, script_call
        ),
        "server": lambda calls: timed_calls(served, calls, case.at_once),
    }
    for run in sides.values():
        run(WARM_UP_CALLS)
    taken: dict[str, list[float]] = {name: [] for name in sides}
    order = list(sides)
    for _ in range(case.blocks):
        for name in order:
            taken[name] += sides[name](case.calls_in_block)
        # Nobody always runs after the same neighbour.
        order.append(order.pop(0))
    return taken


def script_block(script: Piped, calls: int, at_once: int) -> list[float]:
    """Have the plain script run calls and time them itself, in ms."""
    taken: list[float] = script.ask({"calls": calls, "at_once": at_once})["taken_ms"]
    return taken


def _rows(case: Case, taken: dict[str, list[float]]) -> list[Row]:
    spreads = {name: spread_of(samples) for name, samples in taken.items()}
    served = spreads.pop("server")
    rows = [Row(f"{case.words}: {name}", "ms", spread) for name, spread in spreads.items()]
    for name, yardstick in spreads.items():
        ratio = served.median / yardstick.median
        goal = at_most(ratio, MOST_TIMES_SCRIPT, "x")
        rows.append(Row(f"{case.words}: server / {name}", "ms", served, ratio, goal))
    return rows

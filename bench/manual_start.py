"""`manual_start`: from spawning to the first answered find, the index being there already.

The CPU time of the process, from its birth to its end, stands beside it: on a machine that is busy
with other things it tells more than the clock.
"""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.corpus import Corpus, questions
from bench.manuals_server import (
    COMMAND,
    environment_of,
    find_call,
    manuals_server,
    text_of,
    tool_call,
)
from bench.processes import Piped
from bench.report import Row, Table, at_most, spread_of
from bench.startup import HELLO, bare_ms, compile_package

if TYPE_CHECKING:
    from bench.corpus import Asked

SECTIONS = 12_000
ROUNDS, QUICK_ROUNDS = 30, 8
MOST_MS = 150


def measure(*, quick: bool) -> Table:
    """Start servers over one index, and ask each once."""
    compile_package()
    (asked,) = questions(1)
    bare: list[float] = []
    first: list[float] = []
    cpu: list[float] = []
    with tempfile.TemporaryDirectory() as folder, environment_of(Path(folder)) as environment:
        Corpus(SECTIONS).write(Path(folder, "manuals"))
        with manuals_server(environment) as process:
            process.ask(find_call(asked))
        for _ in range(QUICK_ROUNDS if quick else ROUNDS):
            bare.append(bare_ms(environment))
            before = _children_ms()
            first.append(_first_find_ms(environment, asked))
            cpu.append(_children_ms() - before)
    yardstick, spread = spread_of(bare), spread_of(first)
    goal = at_most(spread.median, MOST_MS, " ms")
    rows = (
        Row("python -c pass, ended", "ms", yardstick),
        Row("first find answered", "ms", spread, spread.median / yardstick.median, goal),
        Row("CPU time of that process", "ms", spread_of(cpu)),
    )
    title = f"spawn to the first answered find, {SECTIONS:,} sections indexed"
    return Table("manual_start", title, rows)


def _first_find_ms(environment: dict[str, str], asked: Asked) -> float:
    begun = time.perf_counter()
    with Piped(COMMAND, environment) as process:
        process.ask(HELLO)
        process.ask(tool_call("manual_ls"))
        text_of(process.ask(find_call(asked)))
        return (time.perf_counter() - begun) * 1000


def _children_ms() -> float:
    """CPU time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000

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
    built_index,
    find_call,
    text_of,
    tool_call,
)
from bench.processes import Piped
from bench.report import Point, Row, Table, at_most, spread_of
from bench.startup import HELLO, bare_ms, compile_package

if TYPE_CHECKING:
    from bench.corpus import Asked

SIZES, QUICK_SIZES = (1_000, 12_000, 100_000), (1_000, 12_000)
ROUNDS, QUICK_ROUNDS = 30, 8
JUDGED_SIZES = (12_000, 1_000_000)
MOST_MS = 150


def measure(*, quick: bool) -> Table:
    """Start servers over indexes of several sizes."""
    compile_package()
    rows: list[Row] = []
    for sections in QUICK_SIZES if quick else SIZES:
        with tempfile.TemporaryDirectory() as folder:
            Corpus(sections).write(Path(folder, "manuals"))
            rows += rows_of(sections, Path(folder), quick=quick)
    title = "spawn to the first answered find, the index being there, against `python -c pass`"
    return Table("manual_start", title, tuple(rows))


def rows_of(sections: int, folder: Path, *, quick: bool) -> list[Row]:
    """Start servers over the manual that was written below a folder, and ask each once."""
    (asked,) = questions(1)
    bare: list[float] = []
    first: list[float] = []
    cpu: list[float] = []
    with built_index(folder) as environment:
        for _ in range(QUICK_ROUNDS if quick else ROUNDS):
            bare.append(bare_ms(environment))
            before = _children_ms()
            first.append(_first_find_ms(environment, asked))
            cpu.append(_children_ms() - before)
    yardstick, spread = spread_of(bare), spread_of(first)
    goal = at_most(spread.median, MOST_MS, " ms") if sections in JUDGED_SIZES else None
    ratio, start = spread.median / yardstick.median, f"{sections:,} sections"
    ended, found = (Point("start", curve, sections) for curve in ("python -c pass", "first find"))
    return [
        Row(f"{start}: python -c pass, ended", "ms", yardstick, point=ended),
        Row(f"{start}: first find answered", "ms", spread, ratio, goal, found),
        Row(f"{start}: CPU time of that process", "ms", spread_of(cpu)),
    ]


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

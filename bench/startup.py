"""`startup`: from spawning to an answered `initialize`, beside a bare interpreter's whole life.

The bytecode is written first: the environment of a run may forbid Python to do so by itself.
"""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bench.processes import (
    MODULE_COMMAND,
    SCRIPT_COMMAND,
    Piped,
    can_see_memory,
    clean_environment,
)
from bench.report import Row, Table, at_most, spread_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROUNDS, QUICK_ROUNDS = 30, 8
MOST_TIMES_BARE = 4
MOST_TIMES_BARE_MEMORY = 2
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
BARE = (sys.executable, "-c", "pass")
BARE_WAITING = (sys.executable, "-c", "print('ready', flush=True); input()")

COMMANDS: dict[str, Sequence[str]] = {
    "python -c, answered initialize": MODULE_COMMAND,
    "console script, answered initialize": SCRIPT_COMMAND,
}


def measure(*, quick: bool) -> Table:
    """Time starts and weigh what has just started."""
    compile_package()
    rounds = QUICK_ROUNDS if quick else ROUNDS
    with clean_environment() as environment:
        rows = _times(environment, rounds)
        if can_see_memory():
            rows += _weights(environment, rounds)
    return Table("startup", "spawn to answered initialize, against `python -c pass`", tuple(rows))


def compile_package() -> None:
    """Write the bytecode of the package that will be started."""
    spec = find_spec("tebiki")
    for folder in (spec and spec.submodule_search_locations) or ():
        compileall.compile_dir(folder, quiet=1)


def _times(environment: Mapping[str, str], rounds: int) -> list[Row]:
    # A command that is not installed is left out rather than failing the others.
    commands = {what: command for what, command in COMMANDS.items() if os.path.exists(command[0])}
    bare: list[float] = []
    taken: dict[str, list[float]] = {what: [] for what in commands}
    for _ in range(rounds):
        bare.append(bare_ms(environment))
        for what, command in commands.items():
            taken[what].append(_answered_ms(command, environment))
    yardstick = spread_of(bare)
    rows = [Row("python -c pass, ended", "ms", yardstick)]
    for what, samples in taken.items():
        spread = spread_of(samples)
        ratio = spread.median / yardstick.median
        rows.append(Row(what, "ms", spread, ratio, at_most(ratio, MOST_TIMES_BARE, "x")))
    return rows


def bare_ms(environment: Mapping[str, str]) -> float:
    """Run an interpreter that does nothing, from its birth to its end."""
    started = time.perf_counter()
    subprocess.run(BARE, env=dict(environment), check=True)
    return (time.perf_counter() - started) * 1000


def _answered_ms(command: Sequence[str], environment: Mapping[str, str]) -> float:
    started = time.perf_counter()
    with Piped(command, environment) as process:
        process.ask(HELLO)
        return (time.perf_counter() - started) * 1000


def _weights(environment: Mapping[str, str], rounds: int) -> list[Row]:
    bare: list[float] = []
    serving: list[float] = []
    for _ in range(rounds):
        with Piped(BARE_WAITING, environment) as process:
            process.lines()
            bare.append(process.resident_mb())
            process.send(b"\n")
        with Piped(MODULE_COMMAND, environment) as process:
            process.ask(HELLO)
            serving.append(process.resident_mb())
    yardstick, spread = spread_of(bare), spread_of(serving)
    ratio = spread.median / yardstick.median
    goal = at_most(ratio, MOST_TIMES_BARE_MEMORY, "x")
    return [
        Row("bare python waiting, VmRSS", "MB", yardstick),
        Row("server after initialize, VmRSS", "MB", spread, ratio, goal),
    ]

"""`vault_faults`: writers at once, kills in mid-write and links swapped in, with what was lost."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.report import Goal, Row, Table, count_row, none_row
from tests.vault.faults import concurrent_replaces, killed_replaces, swapped_calls


@dataclass(frozen=True, slots=True)
class Runs:
    """How much of each fault."""

    processes: int
    replaces_each: int
    kills: int
    killed_bytes: int
    longest_until_kill: float
    seconds_of_swaps: float


FULL = Runs(8, 200, 200, 8_000_000, 0.6, 60)
QUICK = Runs(4, 25, 20, 2_000_000, 0.1, 2)
SEED = 4


def measure(*, quick: bool) -> Table:
    """Run each fault in a folder of its own and count."""
    runs = QUICK if quick else FULL
    rows = [*_concurrent(runs), *_killed(runs), *_swapped(runs)]
    title = (
        f"{runs.processes} x {runs.replaces_each} replaces, "
        f"{runs.kills} kills of {runs.killed_bytes // 1_000_000} MB writes, "
        f"{runs.seconds_of_swaps:g} s of swapped links"
    )
    return Table("vault_faults", title, tuple(rows))


def _concurrent(runs: Runs) -> list[Row]:
    wanted = runs.processes * runs.replaces_each
    with tempfile.TemporaryDirectory() as folder:
        effects = concurrent_replaces(Path(folder), runs.processes, runs.replaces_each)
    return [count_row("replaces that took effect", effects, Goal(f"= {wanted}", effects == wanted))]


def _killed(runs: Runs) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        found = killed_replaces(
            Path(folder), runs.kills, runs.killed_bytes, SEED, runs.longest_until_kill
        )
    return [
        count_row("kills", found.kills),
        count_row("replaces done between them", found.writes),
        none_row("torn files", found.torn),
        none_row("stray files visible", found.visible_strays),
        none_row("gaps in the journal", found.unexplained),
    ]


def _swapped(runs: Runs) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        found = swapped_calls(Path(folder), runs.seconds_of_swaps)
    return [
        count_row("swaps", found.swaps),
        count_row("calls answered", found.answered),
        count_row("calls refused", found.refused),
        none_row("answers with outside bytes", found.leaks),
        none_row("outside trees changed", int(found.changed_outside)),
    ]

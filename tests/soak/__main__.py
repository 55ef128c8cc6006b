"""`python -m tests.soak [--minutes N] [--seed S]`: every fault for a while, a table, exit code 1.

Parts of a fixed size come first; the others share what is left of the time. The same seed sends the
same messages and draws the same moments. The bounded forms of all parts are tests in this folder.
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tebiki.manuals.documents.choosing import CAN_WATCH
from tests.manuals.index_faults import killed_builds, shared
from tests.soak import disks, kills, leaks, storm, upstream, watched
from tests.soak.faults import every_fault
from tests.soak.outcome import Outcome, table
from tests.soak.writers import WRITERS
from tests.vault.faults import concurrent_replaces, killed_replaces, swapped_calls

if TYPE_CHECKING:
    from collections.abc import Callable

    Part = Callable[[Path, random.Random, Callable[[int], bool]], Outcome]

LONGEST_UNTIL_KILL = 0.3


class Lasting(NamedTuple):
    """A part that lasts: its share of the time, and how much it does however long that takes."""

    part: Part
    weight: int
    least: int


def main() -> None:
    """Run every part, and tell."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="how long in all (5)")
    parser.add_argument("--seed", type=int, help="of a run to repeat")
    typed = parser.parse_args()
    seed = secrets.randbelow(1_000_000) if typed.seed is None else typed.seed
    end = time.monotonic() + typed.minutes * 60
    _say(f"soak: {typed.minutes:g} minutes, seed {seed} (--seed {seed} repeats it)\n")
    outcomes = [_run("faults", _faults, seed), _run("disks", _disks, seed)]
    weights = sum(lasting.weight for lasting in LASTING.values())
    left = max(0.0, end - time.monotonic())
    for name, lasting in LASTING.items():
        outcomes.append(_run(name, _for(lasting, left * lasting.weight / weights), seed))
    failed = [outcome.name for outcome in outcomes if outcome.wrong]
    _say(f"\n{table(outcomes)}\n")
    _say(f"seed {seed}: {'failed: ' + ', '.join(failed) if failed else 'all parts ok'}\n")
    sys.exit(1 if failed else 0)


def _run(name: str, part: Callable[[Path, random.Random], Outcome], seed: int) -> Outcome:
    """Run one part in a folder of its own; what it cannot do is told as wrong."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        chance = random.Random(f"{seed} {name}")  # noqa: S311 -- repeatable, not secret
        try:
            outcome = part(Path(folder), chance)
        except Exception:  # noqa: BLE001 -- the other parts shall run, and the table tell
            outcome = Outcome(name, wrong=[traceback.format_exc()[-1500:]])
    outcome.name = name
    state = "FAILED" if outcome.wrong else "ok"
    _say(f"{name:<8} {state:<7} {time.monotonic() - begun:6.1f} s\n")
    return outcome


def _for(wanted: Lasting, seconds: float) -> Callable[[Path, random.Random], Outcome]:
    """Let a part last; its time begins when it first asks, with its servers running."""

    def lasting(folder: Path, chance: random.Random) -> Outcome:
        ends: list[float] = []

        def go_on(done: int) -> bool:
            if not ends:
                ends.append(time.monotonic() + seconds)
            return done < wanted.least or time.monotonic() < ends[0]

        return wanted.part(folder, chance, go_on)

    return lasting


def _faults(folder: Path, _chance: random.Random) -> Outcome:
    together = Outcome("faults")
    for name in WRITERS:
        below = folder / name
        below.mkdir()
        one = every_fault(name, below)
        together.done.update(one.done)
        together.wrong += [f"{name}: {words}" for words in one.wrong]
    together.done["writing operations"] = len(WRITERS)
    return together


def _disks(folder: Path, _chance: random.Random) -> Outcome:
    together = Outcome("disks")
    for mode in disks.MODES:
        below = folder / mode
        below.mkdir()
        try:
            one = disks.on_disk(mode, below)
        except disks.Unavailable as reason:
            together.done[f"{mode} disk left out: {reason}"] = 1
            continue
        together.done.update({f"{what}, {mode}": count for what, count in one.done.items()})
        together.wrong += [f"{mode}: {words}" for words in one.wrong]
    return together


def _engines(folder: Path, chance: random.Random, go_on: Callable[[int], bool]) -> Outcome:
    """The older faults of one engine each: a large note, swapped links, a shared index."""
    outcome = Outcome("engines")
    number = 0
    while go_on(number):
        number += 1
        for name in ("replaces", "kills", "swaps", "builds", "shared"):
            (folder / f"{number}{name}").mkdir()
        effects = concurrent_replaces(folder / f"{number}replaces", processes=4, each=25)
        outcome.expect(effects == 100, f"{effects} of 100 replaces took effect")
        notes = killed_replaces(
            folder / f"{number}kills", 10, 4_000_000, chance.randrange(1000), LONGEST_UNTIL_KILL
        )
        lost = (notes.torn, notes.visible_strays, notes.unexplained)
        outcome.expect(lost == (0, 0, 0), f"torn, stray, unexplained: {lost}")
        swaps = swapped_calls(folder / f"{number}swaps", seconds=2)
        outcome.expect(not swaps.leaks and not swaps.changed_outside, f"swapped links: {swaps}")
        builds = killed_builds(folder / f"{number}builds", 5, 100, chance.randrange(1000))
        together = shared(folder / f"{number}shared", lambda edits: edits < 20)
        outcome.wrong += builds.wrong + together.wrong
        outcome.done["writers killed"] += notes.kills
        outcome.done["links swapped"] += swaps.swaps
        outcome.done["builders killed"] += builds.kills
        outcome.done["edits of a shared index"] += together.edits
    return outcome


def _say(words: str) -> None:
    sys.stdout.write(words)
    sys.stdout.flush()


LASTING: dict[str, Lasting] = {
    "stdio": Lasting(storm.stdio_storm, 4, 100_000),
    "http": Lasting(storm.http_storm, 3, 1000),
    "upstream": Lasting(upstream.troubled, 2, len(upstream.SCRIPTS)),
    "kills": Lasting(kills.killed_servers, 3, 5),
    "stores": Lasting(kills.killed_stores, 1, 5),
    "engines": Lasting(_engines, 2, 1),
    "leaks": Lasting(leaks.mixed_calls, 6, 20),
}
if CAN_WATCH:
    LASTING |= {
        "watched": Lasting(watched.watched_edits, 3, 2000),
        "writers": Lasting(watched.writers_beside_finders, 3, 100),
    }

if __name__ == "__main__":
    main()

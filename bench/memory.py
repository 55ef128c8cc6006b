"""`memory`: what the server holds after many calls, beside what the plain script holds.

And after finds in a manual of many files, by kind: its own memory, and the index that it maps.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench.calls import body_the_server_sends, timed_calls
from bench.corpus import Corpus, questions
from bench.manuals_server import built_index, manuals_server, timed_find
from bench.overhead import script_block
from bench.processes import can_see_memory, plain_script, server, simulator
from bench.report import Row, Table, at_most, below, spread_of

if TYPE_CHECKING:
    from bench.corpus import Asked
    from bench.processes import Held

CALLS, QUICK_CALLS = 5000, 1000
SETTLED_AFTER = 500
"""Calls after which imports, connections and caches are all there."""

AT_ONCE = 16
MOST_GROWTH_MB = 5
FINDS, QUICK_FINDS = 200, 60
SECTIONS, QUICK_SECTIONS = 134_000, 12_000
FILES = 15_000
SECTIONS_PER_FILE = 9
MOST_OWN_MB = 150
"""Of a server after finds in a manual of so many sections and files."""


def measure(*, quick: bool) -> Table:
    """Weigh both after the first calls and at the end."""
    title = f"VmRSS after {SETTLED_AFTER} calls and at the end, {AT_ONCE} in flight"
    if not can_see_memory():
        return Table("memory", f"{title} (not on this system)", ())
    blocks = (QUICK_CALLS if quick else CALLS) // SETTLED_AFTER
    body = body_the_server_sends()
    script_mb: list[float] = []
    served_mb: list[float] = []
    with (
        simulator(0) as base_url,
        server(base_url) as served,
        plain_script(base_url, body) as script,
    ):
        for _ in range(blocks):
            script_block(script, SETTLED_AFTER, AT_ONCE)
            script_mb.append(script.resident_mb())
            timed_calls(served, SETTLED_AFTER, AT_ONCE)
            served_mb.append(served.resident_mb())
    rows = _rows("plain script", script_mb, None) + _rows("server", served_mb, script_mb)
    return Table("memory", title, (*rows, *_manual_rows(quick=quick)))


def _manual_rows(*, quick: bool) -> list[Row]:
    """Weigh a server after its first find in a manual, and after many."""
    corpus = Corpus(QUICK_SECTIONS if quick else SECTIONS, FILES, SECTIONS_PER_FILE)
    asked = questions(QUICK_FINDS if quick else FINDS)
    with tempfile.TemporaryDirectory() as folder:
        corpus.write(Path(folder, "manuals"))
        with built_index(Path(folder)) as environment:
            first, last = weigh(environment, asked)
    where = f"{corpus.sections:,} sections in {corpus.files:,} files"
    return held_rows(where, len(asked), first, last, None if quick else MOST_OWN_MB)


def weigh(environment: dict[str, str], asked: list[Asked]) -> tuple[Held, Held]:
    """What a server holds after the first of some finds, and after the last."""
    with manuals_server(environment) as process:
        timed_find(process, asked[0])
        first = process.held()
        for one in asked[1:]:
            timed_find(process, one)
        return first, process.held()


def held_rows(where: str, finds: int, first: Held, last: Held, most_mb: float | None) -> list[Row]:
    """The same as rows."""
    goal = None if most_mb is None else at_most(last.own, most_mb, " MB")
    return [
        Row(f"{where}, its own after a find (RssAnon)", "MB", spread_of([first.own])),
        Row(f"{where}, its own after {finds} (RssAnon)", "MB", spread_of([last.own]), goal=goal),
        Row(f"{where}, mapped files after {finds} (RssFile)", "MB", spread_of([last.mapped])),
    ]


def _rows(who: str, weights: list[float], yardstick: list[float] | None) -> list[Row]:
    first, last = weights[0], weights[-1]
    growth = last - first
    ratio = None if yardstick is None else last / yardstick[-1]
    goal = None if yardstick is None else below(growth, MOST_GROWTH_MB, " MB")
    calls = len(weights) * SETTLED_AFTER
    return [
        Row(f"{who}, after {SETTLED_AFTER} calls", "MB", spread_of([first])),
        Row(f"{who}, after {calls} calls", "MB", spread_of([last]), ratio),
        Row(f"{who}, growth", "MB", spread_of([growth]), goal=goal),
    ]

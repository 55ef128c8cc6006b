"""`manual_sharing`: processes that share an index under edits and kills, and what went wrong."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from bench.report import Goal, Row, Table, spread_of
from tests.manuals.index_faults import killed_builds, shared

SECONDS, QUICK_SECONDS = 60, 5
KILLS, QUICK_KILLS = 60, 6
FILES = 400
SEED = 5


def measure(*, quick: bool) -> Table:
    """Let two processes share an index, then kill builders of another one."""
    seconds = QUICK_SECONDS if quick else SECONDS
    kills = QUICK_KILLS if quick else KILLS
    with tempfile.TemporaryDirectory() as folder:
        end = time.monotonic() + seconds
        seen = shared(Path(folder), lambda _edits: time.monotonic() < end)
    with tempfile.TemporaryDirectory() as folder:
        killed = killed_builds(Path(folder), kills, FILES, SEED)
    for words in (seen.wrong + killed.wrong)[:5]:
        print(words)
    rows = (
        _count("edits", seen.edits),
        _count("finds after them", seen.finds),
        _none("errors, stale or incomplete answers", len(seen.wrong)),
        _count("builders killed", killed.kills),
        _none("wrong answers after that", len(killed.wrong)),
        _none("indexes built anew after that", len(killed.said)),
    )
    return Table("manual_sharing", f"2 processes for {seconds} s, {kills} kills", rows)


def _none(what: str, count: int) -> Row:
    return _count(what, count, Goal("= 0", count == 0))


def _count(what: str, count: int, goal: Goal | None = None) -> Row:
    return Row(what, "", spread_of([count]), goal=goal)

"""`manual_sharing`: processes that share an index under edits and kills, and what went wrong."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from bench.report import Table, count_row, none_row
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
        count_row("edits", seen.edits),
        count_row("finds after them", seen.finds),
        none_row("errors, stale or incomplete answers", len(seen.wrong)),
        count_row("builders killed", killed.kills),
        none_row("wrong answers after that", len(killed.wrong)),
        none_row("indexes built anew after that", len(killed.said)),
    )
    return Table("manual_sharing", f"2 processes for {seconds} s, {kills} kills", rows)

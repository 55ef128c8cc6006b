"""`manual_build`: a cold build, one edited file among many, the index's size and the memory.

`python -m bench.manual_build FOLDER` is the builder of a process of its own; it prints its figures
as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.corpus import LONG_AGO, MANUAL_ID, Corpus, questions
from bench.processes import can_see_memory, resident_mb
from bench.report import Goal, Row, Table, at_most, spread_of
from tebiki.files.paths import Root
from tebiki.manuals.finding import FindRequest, find
from tebiki.manuals.index.upkeep import ManualIndex
from tebiki.manuals.ranking.settings import FindSettings
from tebiki.manuals.walking import walked

MEGABYTE = 1_000_000
SECTIONS, QUICK_SECTIONS = 100_000, 12_000
LEAST_MB_PER_SECOND = 4
MOST_RESIDENT_MB = 150
FILES, QUICK_FILES = 10_000, 1_000
EDITS, QUICK_EDITS = 15, 5
MOST_AFTER_EDIT_MS = 50
"""More than the walk; the find after an edit takes no longer."""

FINDS = 100


def measure(*, quick: bool) -> Table:
    """Build, ask and weigh in a process of its own; then edit among many small files."""
    sections = QUICK_SECTIONS if quick else SECTIONS
    rows = _build_rows(sections)
    rows += _edit_rows(QUICK_FILES if quick else FILES, QUICK_EDITS if quick else EDITS)
    return Table(
        "manual_build", f"{sections:,} sections built, {_files(quick)} edited", tuple(rows)
    )


def _files(quick: bool) -> str:
    return f"one file of {QUICK_FILES if quick else FILES:,}"


def _build_rows(sections: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        size = Corpus(sections).write(Path(folder, "manuals")) / MEGABYTE
        command = [sys.executable, "-m", "bench.manual_build", folder]
        figures = []
        for _ in range(2):
            # The second one finds the index built: what it holds is what searching takes.
            done = subprocess.run(command, check=True, capture_output=True)
            figures.append(json.loads(done.stdout))
        index = sum(file.stat().st_size for file in Path(folder, "index").glob("**/*"))
    built, searched = figures
    speed = size / built["seconds"]
    rate = size / built["cpu_seconds"]
    rows = [
        Row("cold build", "MB/s", spread_of([speed]), goal=_at_least(speed, LEAST_MB_PER_SECOND)),
        Row("cold build, by CPU time", "MB/s", spread_of([rate])),
        Row("index, of the text", "MB", spread_of([index / MEGABYTE]), index / MEGABYTE / size),
    ]
    if searched["resident_mb"] is not None:
        held = searched["resident_mb"]
        goal = at_most(held, MOST_RESIDENT_MB, " MB")
        rows.append(Row(f"VmRSS after {FINDS} finds", "MB", spread_of([held]), goal=goal))
        rows.append(Row("VmRSS after the build", "MB", spread_of([built["resident_mb"]])))
    return rows


def _at_least(value: float, limit: float) -> Goal:
    return Goal(f">= {limit:g} MB/s", value >= limit)


def _edit_rows(files: int, edits: int) -> list[Row]:
    """Edit a file, find it, and compare with a walk right before."""
    walks: list[float] = []
    unchanged: list[float] = []
    edited: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder, "manuals", MANUAL_ID)
        _write_small(top, files)
        index = _index(Path(folder))
        _found(index, "begin")
        for number in range(edits):
            begun = time.perf_counter()
            walked(Root(Path(folder, "manuals")), MANUAL_ID, lambda: False)
            walks.append((time.perf_counter() - begun) * 1000)
            unchanged.append(_found(index, "begin")[0])
            word = f"edited{number}"
            (top / f"{number % 100}" / f"{number}.md").write_text(f"# Edited\n\n{word} now\n")
            taken, paths = _found(index, word)
            if paths[:1] != [f"{number % 100}/{number}.md"]:
                raise ValueError(f"the edited file was not found: {paths[:3]}")
            edited.append(taken)
    walk = spread_of(walks)
    after = spread_of(edited)
    over = after.median - walk.median
    return [
        Row(f"walk of {files:,} files", "ms", walk),
        Row("find, nothing changed", "ms", spread_of(unchanged)),
        Row("find after an edit", "ms", after, after.median / walk.median),
        Row("… more than the walk", "ms", spread_of([over]), goal=_after_edit(over)),
    ]


def _after_edit(over: float) -> Goal:
    return at_most(over, MOST_AFTER_EDIT_MS, " ms")


def _write_small(top: Path, files: int) -> None:
    for number in range(files):
        where = top / f"{number % 100}" / f"{number}.md"
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(f"# Part {number}\n\nbegin part{number}\n", encoding="utf-8")
        os.utime(where, (LONG_AGO, LONG_AGO))


def _found(index: ManualIndex, word: str) -> tuple[float, list[str]]:
    begun = time.perf_counter()
    request = FindRequest(word, MANUAL_ID, (word,))
    found = find(request, index, FindSettings(), clock=time.monotonic)
    taken = (time.perf_counter() - begun) * 1000
    return taken, [row["ref"]["path"] for row in found.lists["candidates"]]


def _index(folder: Path) -> ManualIndex:
    return ManualIndex(
        Root(folder / "manuals"),
        MANUAL_ID,
        str(folder / "index"),
        now_ns=time.time_ns,
        log=lambda line: print(line, file=sys.stderr),
    )


def build(folder: Path) -> dict[str, Any]:
    """Bring an index up to date, ask it, and tell what that took."""
    index = _index(folder)
    begun, used = time.perf_counter(), time.process_time()
    index.fresh(lambda: False)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - used
    for asked in questions(FINDS):
        request = FindRequest(asked.query, MANUAL_ID, asked.terms)
        find(request, index, FindSettings(), clock=time.monotonic)
    resident = resident_mb(os.getpid()) if can_see_memory() else None
    return {"seconds": seconds, "cpu_seconds": cpu, "resident_mb": resident}


if __name__ == "__main__":
    print(json.dumps(build(Path(sys.argv[1]))))

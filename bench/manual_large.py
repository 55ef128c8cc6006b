"""`manual_large`: all of it with 1,000,000 sections, and edits among 100,000 files. Takes minutes.

Built once, by the command that people build with; the yardstick is the engine alone.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

from bench import manual_edit, manual_find, manual_start, memory
from bench.corpus import Corpus, questions
from bench.manual_build import bare_speed, build_rows
from bench.manuals_server import INDEX_COMMAND, environment_of
from bench.report import Row, Table, spread_of
from bench.startup import compile_package

SECTIONS, QUICK_SECTIONS = 1_000_000, 50_000
FILES, QUICK_FILES = 100_000, 20_000
EDITS = 7
FINDS = 200
MOST_OWN_MB = 250
"""Of a server after so many finds."""


class BuildFailed(Exception):
    """The index was not built; says how its builder ended."""


def measure(*, quick: bool) -> Table:
    """Write, build, find and start, all over the same files."""
    compile_package()
    sections = QUICK_SECTIONS if quick else SECTIONS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = Corpus(sections).write(folder / "manuals")
        rows: list[Row] = [
            *_build_rows(sections, size, folder),
            *manual_find.rows_of(sections, folder, quick=quick),
            *manual_start.rows_of(sections, folder, quick=quick),
            *_held_rows(sections, folder, quick=quick),
        ]
    rows += manual_edit.rows_of(QUICK_FILES if quick else FILES, EDITS)
    title = f"{sections:,} sections, {size / 1e6:,.0f} MB of Japanese and English"
    return Table("manual_large", title, tuple(rows))


def _held_rows(sections: int, folder: Path, *, quick: bool) -> list[Row]:
    """What a server holds after many finds."""
    with environment_of(folder) as environment:
        first, last = memory.weigh(environment, questions(FINDS))
    most_mb = None if quick else MOST_OWN_MB
    return memory.held_rows(f"{sections:,} sections", FINDS, first, last, most_mb)


def _build_rows(sections: int, size: int, folder: Path) -> list[Row]:
    with environment_of(folder) as environment:
        begun = time.perf_counter()
        process = subprocess.Popen(INDEX_COMMAND, env=environment, stdout=subprocess.DEVNULL)
        # Unlike `wait` it tells what this one child has used.
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise BuildFailed(f"exit code {process.returncode}")
    return build_rows(
        sections,
        size,
        speed=spread_of([size / 1e6 / seconds]),
        bare=spread_of([bare_speed(folder / "manuals")]),
        resident=spread_of([used.ru_maxrss / 1024]),
    )

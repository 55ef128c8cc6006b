"""`manual_build`: how fast an index is built, and how large that makes the process, by sections.

The yardstick is the engine alone, given the same tokens ready-made.
`python -m bench.manual_build ROOT` is the builder; it prints its figures as JSON.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.corpus import MANUAL_ID, Corpus
from bench.report import Goal, Point, Row, Table, at_most, spread_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.report import Spread

ROUNDS_BY_SECTIONS = {1_000: 5, 12_000: 5, 100_000: 3}
QUICK_ROUNDS_BY_SECTIONS = {1_000: 3, 12_000: 2}
LEAST_MB_A_SECOND = 4
FEWEST_JUDGED_BY_SPEED = 12_000
MOST_RESIDENT_MB = 150
MOST_JUDGED_BY_MEMORY = 100_000
MOST_BARE_SECTIONS = 50_000
"""Ready-made tokens of more would fill the memory; the engine's speed is as well seen by these."""


def measure(*, quick: bool) -> Table:
    """Build in processes of their own, whose memory is then that of building."""
    rows: list[Row] = []
    for sections, rounds in (QUICK_ROUNDS_BY_SECTIONS if quick else ROUNDS_BY_SECTIONS).items():
        with tempfile.TemporaryDirectory() as folder:
            size = Corpus(sections, english_every=0).write(Path(folder))
            builds = [_built(folder) for _ in range(rounds)]
        rows += build_rows(
            sections,
            size,
            speed=spread_of([size / 1e6 / build["seconds"] for build in builds]),
            bare=spread_of([build["bare_speed"] for build in builds]),
            resident=spread_of([build["resident"] for build in builds]),
        )
    return Table(
        "manual_build", "cold builds of Japanese manuals, against the engine alone", tuple(rows)
    )


def _built(folder: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.manual_build", folder]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def build_rows(
    sections: int, size: int, *, speed: Spread, bare: Spread, resident: Spread
) -> list[Row]:
    """The rows of one size, judged where a target speaks of that size."""
    start, ratio = f"{sections:,} sections, {size / 1e6:.3g} MB", speed.median / bare.median
    least = Goal(f">= {LEAST_MB_A_SECOND} MB/s", speed.median >= LEAST_MB_A_SECOND)
    most = at_most(resident.median, MOST_RESIDENT_MB, " MB")
    is_fast = least if sections >= FEWEST_JUDGED_BY_SPEED else None
    is_small = most if sections <= MOST_JUDGED_BY_MEMORY else None
    alone, cold = (Point("build", curve, sections) for curve in ("engine alone", "cold build"))
    peak = Point("memory", "building, at most", sections)
    return [
        Row(f"{start}: the engine alone", "MB/s", bare, point=alone),
        Row(f"{start}: cold build", "MB/s", speed, ratio, is_fast, cold),
        Row(f"{start}: peak memory", "MB", resident, goal=is_small, point=peak),
    ]


def build(root: Path) -> dict[str, Any]:
    """Build an index from nothing; seconds, the peak of the memory, and the engine's own speed."""
    import gc
    import resource  # not on Windows

    from bench.bare_index import bare_index
    from tebiki.app.engines import OBJECTS_BETWEEN_COLLECTIONS

    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)  # as any process that searches manuals has it
    with tempfile.TemporaryDirectory() as cache:
        index = bare_index(root, cache)
        begun = time.perf_counter()
        index.refresh(lambda: False)
        seconds = time.perf_counter() - begun
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "resident": resident, "bare_speed": bare_speed(root)}


def bare_speed(root: Path) -> float:
    """MB/s of the engine for the same tokens, the time to make them left out."""
    from tebiki.manuals.index import engine, packing

    with tempfile.TemporaryDirectory() as cache:
        writing = engine.Writing(engine.open_engine(cache))
        read = list(itertools.islice(_read(root), MOST_BARE_SECTIONS))
        packed = list(packing.pack([section for section, _ in read]))
        size = sum(length for _, length in read)
        begun = time.perf_counter()
        for one in packed:
            writing.put(one)
        writing.commit("bare")
        return size / 1e6 / (time.perf_counter() - begun)


def _read(root: Path) -> Iterator[tuple[Any, float]]:
    """Every section, with its share of the bytes of its file."""
    from tebiki.manuals.documents.parting import sections_of

    for path in sorted((root / MANUAL_ID).rglob("*.md")):
        data = path.read_bytes()
        sections = sections_of(path.name, data)
        yield from ((section, len(data) / len(sections)) for section in sections)


if __name__ == "__main__":
    print(json.dumps(build(Path(sys.argv[1]))))

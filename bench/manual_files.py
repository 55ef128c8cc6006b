"""`manual_files`: what a find costs by how many files a manual has, and what an edit adds to it.

The same number of sections in few files and in many; then very many files. A server over stdio is
asked past its cache, so that every find learns what has changed and searches. The yardstick is the
walk over all files. `BENCH_BESIDE=DIR` measures the server of another checkout after this one, in
the same run, each with an index of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.corpus import MANUAL_ID, Corpus, questions
from bench.manuals_server import (
    INDEX_COMMAND,
    environment_of,
    manuals_server,
    settle,
    timed_find,
)
from bench.report import Row, Table, at_most, spread_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.processes import Piped

SECTIONS, QUICK_SECTIONS = 134_000, 30_000
FEW, MANY = 600, 15_000
VERY_MANY, QUICK_VERY_MANY = 100_000, 30_000
FINDS, QUICK_FINDS = 60, 20
EDITS, QUICK_EDITS = 15, 7
EDITS_BEFORE_WEIGHING = 60
"""A server that lasts holds what it holds for good only after some dozen."""
STARTS, QUICK_STARTS = 5, 2
MOST_RATIO = 2
MOST_OWN_MB = 150
MOST_MS_WARM, MOST_MS_BEYOND_FIND, MOST_MS_BEYOND_WALK = 40, 50, 100
WALK = (
    "import sys, time\n"
    "from tebiki.files.paths import Root\n"
    "from tebiki.manuals.documents.walking import walk_manual\n"
    "begun = time.perf_counter()\n"
    "first = walk_manual(Root(sys.argv[1]), sys.argv[2], lambda: False)\n"
    "first_ms = (time.perf_counter() - begun) * 1000\n"
    "begun = time.perf_counter()\n"
    "walk_manual(Root(sys.argv[1]), sys.argv[2], lambda: False, first)\n"
    "print(first_ms, (time.perf_counter() - begun) * 1000)\n"
)


def measure(*, quick: bool) -> Table:
    """Measure few, many and very many files, here and in the other checkout if one is named."""
    sections = QUICK_SECTIONS if quick else SECTIONS
    very_many = QUICK_VERY_MANY if quick else VERY_MANY
    rows: list[Row] = []
    for checkout, shown in _checkouts():
        few = _warm(Corpus(sections, most_files=FEW, sections_per_file=1), checkout, quick=quick)
        many = _warm(Corpus(sections, most_files=MANY, sections_per_file=1), checkout, quick=quick)
        ratio = spread_of(many).median / spread_of(few).median
        goal = None if shown else at_most(ratio, MOST_RATIO, " times")
        what = f"a find in {sections:,} sections of"
        rows.append(Row(f"{what} {FEW:,} files{shown}", "ms", spread_of(few)))
        rows.append(Row(f"{what} {MANY:,} files{shown}", "ms", spread_of(many), ratio, goal=goal))
    for checkout, shown in _checkouts():
        rows += _very_many(very_many, checkout, shown, quick=quick)
    return Table("manual_files", "finds and edits by files of the manual", tuple(rows))


def _checkouts() -> list[tuple[str | None, str]]:
    """The checkouts to measure, each with the words that tell it apart."""
    beside = os.environ.get("BENCH_BESIDE")
    return [(None, "")] + ([(beside, " (beside)")] if beside else [])


def _environment(environment: dict[str, str], checkout: str | None) -> dict[str, str]:
    return environment | ({} if checkout is None else {"PYTHONPATH": f"{checkout}/src"})


def _built(corpus: Corpus, folder: Path, checkout: str | None) -> Iterator[dict[str, str]]:
    corpus.write(folder / "manuals")
    with environment_of(folder) as usual:
        environment = _environment(usual, checkout)
        subprocess.run(INDEX_COMMAND, env=environment, check=True, stdout=subprocess.DEVNULL)
        settle()
        subprocess.run(INDEX_COMMAND, env=environment, check=True, stdout=subprocess.DEVNULL)
        yield environment


def _warm(corpus: Corpus, checkout: str | None, *, quick: bool) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        for environment in _built(corpus, Path(folder), checkout):
            with manuals_server(environment) as process:
                return _finds(process, QUICK_FINDS if quick else FINDS)
    raise AssertionError("there is always one environment")


def _finds(process: Piped, count: int) -> list[float]:
    asked = questions(count)
    for one in asked[:5]:
        timed_find(process, one)
    return [timed_find(process, one)[0] for one in asked]


def _very_many(files: int, checkout: str | None, shown: str, *, quick: bool) -> list[Row]:
    corpus = Corpus(files, most_files=files, sections_per_file=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for environment in _built(corpus, folder, checkout):
            starts = [_start(environment, folder) for _ in range(QUICK_STARTS if quick else STARTS)]
            with manuals_server(environment) as process:
                warm = _finds(process, QUICK_FINDS if quick else FINDS)
                edited = folder / "manuals" / MANUAL_ID / corpus.path(files // 2)
                edits = _edits(process, edited, QUICK_EDITS if quick else EDITS)
                _edits(process, edited, EDITS_BEFORE_WEIGHING)
                held = process.held()
    walks, audits, beyond_walk = (list(column) for column in zip(*starts, strict=True))
    is_judged = not shown and files == VERY_MANY
    rows = [
        ("walk", walks, None),
        ("walk again, as an audit does", audits, None),
        ("first find of a process, beyond the walk", beyond_walk, MOST_MS_BEYOND_WALK),
        ("find", warm, MOST_MS_WARM),
        ("find after an edit, beyond one without", edits, MOST_MS_BEYOND_FIND),
    ]
    timed = [
        Row(
            f"{files:,} files: {what}{shown}",
            "ms",
            spread_of(figures),
            goal=at_most(spread_of(figures).median, most, " ms") if most and is_judged else None,
        )
        for what, figures, most in rows
    ]
    what = f"{files:,} files: its own after {EDITS_BEFORE_WEIGHING} more edits (RssAnon){shown}"
    goal = at_most(held.own, MOST_OWN_MB, " MB") if is_judged else None
    return [*timed, Row(what, "MB", spread_of([held.own]), goal=goal)]


def _start(environment: dict[str, str], folder: Path) -> tuple[float, float, float]:
    """The walk of a fresh process, the same once more, and a first find beyond the walk.

    The walk is a yardstick: this checkout's, whichever server is measured.
    """
    done = subprocess.run(
        [sys.executable, "-c", WALK, str(folder / "manuals"), MANUAL_ID],
        env={name: value for name, value in environment.items() if name != "PYTHONPATH"},
        check=True,
        capture_output=True,
        text=True,
    )
    walk, again = map(float, done.stdout.split())
    with manuals_server(environment) as process:
        time.sleep(1)  # until what a first call needs is imported
        taken, _ = timed_find(process, questions(1)[0])
    return walk, again, taken - walk


def _edits(process: Piped, edited: Path, count: int) -> list[float]:
    """What a find takes after an edit, beyond the same find before it."""
    found = []
    for number, asked in enumerate(questions(count + 2)):
        before, _ = timed_find(process, asked)
        edited.write_text(
            f"# 第{number}版\n\nこの版は{number}回目に改められた。\n", encoding="utf-8"
        )
        found.append(timed_find(process, asked)[0] - before)
    return found[2:]

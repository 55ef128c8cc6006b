"""`python -m bench.import_quality [--files N]`: what imports keep, and how quickly.

Imports the corpus of `bench/import_corpus` with the real command, scores each file against the
Markdown beside it, and then imports many small files. Exits 1 below a bar; speed is judged by the
processor time of all processes, so that others on the machine count for little.
"""

from __future__ import annotations

import argparse
import gc
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.import_scores import Score, score
from tebiki.importer.children import missing_libraries

if TYPE_CHECKING:
    from collections.abc import Iterable

CORPUS = Path(__file__).parent / "import_corpus"
BARS = {"recall": 0.93, "precision": 0.95, "headings": 0.95, "ruled cells": 0.90}
OPEN_CELLS = 0.70
LEAST_OF_ONE = 0.80
PAGES_A_SECOND = 150
FILES_A_SECOND = 20
CORES = 2
SMALL = ("ja-merged-cells.pdf", "ja-word-document.docx")


def main() -> int:
    """Measure, print, judge."""
    missing = missing_libraries()
    if missing:
        print(f"not measured: the extra is missing ({', '.join(missing)}); pip install '.[import]'")
        return 1
    parser = argparse.ArgumentParser(description="Score imports.")
    parser.add_argument("--files", type=int, default=100, help="small files to import (100)")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        failures = [*_quality(Path(place)), *_speed(Path(place), wanted.files)]
    print(*failures or ["every bar was reached"], sep="\n")
    return 1 if failures else 0


def _quality(home: Path) -> list[str]:
    source = home / "sources"
    source.mkdir()
    files = sorted(path for path in CORPUS.iterdir() if path.suffix != ".md")
    for path in files:
        shutil.copy(path, source / path.name)
    _imported(home, "corpus")
    scores = {path.name: _score(home, path) for path in files}
    print(f"{'file':<26}{'recall':>8}{'precision':>11}{'headings':>10}{'cells':>8}")
    for name, one in scores.items():
        shares = [one.recall, one.precision, one.headings, one.cells]
        shown = ["-" if share is None else f"{share:.3f}" for share in shares]
        print(f"{name:<26}{shown[0]:>8}{shown[1]:>11}{shown[2]:>10}{shown[3]:>8}")
    return [
        *_below("recall", BARS["recall"], (one.recall for one in scores.values())),
        *_below("precision", BARS["precision"], (one.precision for one in scores.values())),
        *_below("headings", BARS["headings"], (one.headings for one in scores.values())),
        *_below("ruled cells", BARS["ruled cells"], _cells(scores, is_open=False)),
        *_below("cells without lines", OPEN_CELLS, _cells(scores, is_open=True)),
        *(
            f"{name}: below {LEAST_OF_ONE}"
            for name, one in scores.items()
            if min(one.recall, one.precision) < LEAST_OF_ONE
        ),
    ]


def _score(home: Path, path: Path) -> Score:
    written = home / "manuals" / "corpus" / f"{path.name}.md"
    found = written.read_text(encoding="utf-8") if written.exists() else ""
    return score((CORPUS / f"{path.name}.md").read_text(encoding="utf-8"), found)


def _cells(scores: dict[str, Score], *, is_open: bool) -> list[float | None]:
    return [one.cells for name, one in scores.items() if ("open" in name) is is_open]


def _below(what: str, bar: float, values: Iterable[float | None]) -> list[str]:
    known = [value for value in values if value is not None]
    mean = sum(known) / len(known)
    print(f"{what}: {mean:.3f} (bar {bar})")
    return [f"{what} is below {bar}"] if mean < bar else []


def _speed(home: Path, count: int) -> list[str]:
    """How many pages and files go through, by processor time; and the parent's memory."""
    shutil.rmtree(home / "sources")
    (home / "sources").mkdir()
    for number in range(count):
        name = SMALL[number % len(SMALL)]
        shutil.copy(CORPUS / name, home / "sources" / f"{number}-{name}")
    seconds = _imported(home, "many")
    files = count / seconds * CORES
    print(f"{count} small files: {files:.0f} a second on {CORES} cores (bar {FILES_A_SECOND})")
    pages = _pages_a_second()
    print(f"pages of PDF: {pages:.0f} a second of processor time (bar {PAGES_A_SECOND})")
    slow = [f"fewer than {FILES_A_SECOND} files a second"] if files < FILES_A_SECOND else []
    return slow + (
        [f"fewer than {PAGES_A_SECOND} pages a second"] if pages < PAGES_A_SECOND else []
    )


def _imported(home: Path, manual: str) -> float:
    """Import the sources; gives the processor time of all that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ["-m", "tebiki", "manuals", "import", "sources", "--into", manual]
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    subprocess.run(
        [sys.executable, *words],
        cwd=home,
        env=environment,
        check=False,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"memory of the largest process: {after.ru_maxrss // 1024} MB")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _pages_a_second() -> float:
    """Pages of the corpus read in this process, each file often enough to be seen."""
    from tebiki.importer.readers.pdf import read_pdf

    files = [path.read_bytes() for path in sorted(CORPUS.glob("*.pdf"))]
    gc.disable()  # as in a child
    begun, pages = time.process_time(), 0
    for _ in range(5):
        for data in files:
            pages += read_pdf(bytearray(data), lambda _pages: None).pages or 0
    return pages / (time.process_time() - begun)


if __name__ == "__main__":
    sys.exit(main())

"""`manual_edit`: what a find pays for one edited file, by files of the manual.

The yardstick is the walk that looks at every file, which each find makes. Walks and edits
alternate, and what an edit costs beyond the walk is told for each by the walk before it.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from bench.bare_index import bare_index
from bench.corpus import MANUAL_ID, Corpus
from bench.manuals_server import settle
from bench.report import Point, Row, Table, at_most, spread_of
from bench.timing import ms_of
from tebiki.files.paths import Root
from tebiki.manuals.documents.walking import files_of, walk_manual

FILES = (1_000, 10_000)
EDITS, QUICK_EDITS = 25, 9
WARM_UP = 2
JUDGED_FILES = 10_000
MOST_MS_BEYOND = 50


def measure(*, quick: bool) -> Table:
    """Edit a file again and again, and bring the index up to date each time."""
    edits = QUICK_EDITS if quick else EDITS
    rows = [row for files in FILES for row in rows_of(files, edits)]
    title = "one edited file made findable, against the walk over all files"
    return Table("manual_edit", title, tuple(rows))


def rows_of(files: int, edits: int) -> list[Row]:
    """Edit one of so many files so many times."""
    corpus = Corpus(files, most_files=files, sections_per_file=1)
    walks: list[float] = []
    whole: list[float] = []
    cpu: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "manuals")
        corpus.write(root)
        edited = root / MANUAL_ID / corpus.path(files // 2)
        index = bare_index(root, str(Path(folder, "cache")))
        index.refresh(lambda: False)
        settle()
        for number in range(WARM_UP + edits):
            walks.append(ms_of(lambda: files_of(walk_manual(Root(root), MANUAL_ID, lambda: False))))
            edited.write_text(
                f"# 第{number}版\n\nこの版は{number}回目に改められた。\n", encoding="utf-8"
            )
            used = time.process_time()
            whole.append(ms_of(lambda: index.refresh(lambda: False)))
            cpu.append((time.process_time() - used) * 1000)
    return _rows(files, walks[WARM_UP:], whole[WARM_UP:], cpu[WARM_UP:])


def _rows(files: int, walks: list[float], whole: list[float], cpu: list[float]) -> list[Row]:
    walk, all_of_it = spread_of(walks), spread_of(whole)
    beyond = spread_of([taken - walked for taken, walked in zip(whole, walks, strict=True)])
    goal = at_most(beyond.median, MOST_MS_BEYOND, " ms") if files == JUDGED_FILES else None
    start, ratio = f"{files:,} files", all_of_it.median / walk.median
    curves = ("walk", "walk and one edit", "beyond the walk")
    first, both, second = (Point("edit", curve, files) for curve in curves)
    return [
        Row(f"{start}: walk", "ms", walk, point=first),
        Row(f"{start}: walk and one edit", "ms", all_of_it, ratio, point=both),
        Row(f"{start}: beyond the walk", "ms", beyond, goal=goal, point=second),
        # On a machine that is busy with other things this tells more than the clock.
        Row(f"{start}: CPU of walk and one edit", "ms", spread_of(cpu)),
    ]

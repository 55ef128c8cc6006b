"""`python -m bench.build_beside CHECKOUT [ROOT]`: cold builds, side by side with another checkout.

The other one may be of any commit of this project since it has an index. Both build the same
files in turn, each in a process of its own, so that what else the machine does falls on both; CPU
time tells more than the clock where it does much. ROOT is a folder with one manual; without it,
15,000 files of English are made up, then as many of Japanese.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench.corpus import Corpus
from bench.report import Row, Table, spread_of

if TYPE_CHECKING:
    from collections.abc import Iterable

HERE = Path(__file__).parents[1]
SECTIONS, FILES, SECTIONS_PER_FILE = 134_000, 15_000, 9
ENGLISH_ONLY, NO_ENGLISH = 1, 0
ROUNDS = 3
BUILDER = """
import gc, json, os, resource, sys, tempfile, time
from tebiki.files.paths import Root
try:
    from tebiki.manuals.index.refresh import ManualIndex
except ModuleNotFoundError:
    from tebiki.manuals.index.upkeep import ManualIndex
from pathlib import Path
gc.set_threshold(20_000)
with tempfile.TemporaryDirectory() as cache:
    root = Path(sys.argv[1])
    (name,) = os.listdir(root)
    index = ManualIndex(Root(root), name, cache, now_ns=time.time_ns, log=sys.stderr.write)
    bring = getattr(index, "refresh", None) or index.fresh
    begun, used, own = time.perf_counter(), time.process_time(), time.thread_time()
    bring(lambda: False)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps({
        "wall": time.perf_counter() - begun,
        "CPU": time.process_time() - used + children.ru_utime + children.ru_stime,
        "CPU of the main thread": time.thread_time() - own,
    }))
"""
"""Runs in either checkout; the module of the index had another name once."""


def main() -> None:
    """Build what the command line names, and print how long each took."""
    parser = argparse.ArgumentParser(prog="python -m bench.build_beside", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("root", type=Path, nargs="?")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--sections", type=int, default=SECTIONS)
    wanted = parser.parse_args()
    if wanted.root is not None:
        print(_compared(wanted.root.name, wanted.root, wanted.checkout, wanted.rounds).text())
        return
    for language, every in (("English", ENGLISH_ONLY), ("Japanese", NO_ENGLISH)):
        corpus = Corpus(wanted.sections, FILES, SECTIONS_PER_FILE, every)
        with tempfile.TemporaryDirectory() as folder:
            size = corpus.write(Path(folder))
            title = f"{language}, {size / 1e6:.3g} MB in {corpus.files:,} files"
            print(_compared(title, Path(folder), wanted.checkout, wanted.rounds).text())


def _compared(title: str, root: Path, other: Path, rounds: int) -> Table:
    """Build in turn; the ratio is how many times as fast this checkout is."""
    built: dict[Path, list[dict[str, float]]] = {other: [], HERE: []}
    for _ in range(rounds):
        for checkout, figures in built.items():
            figures.append(_build(checkout, root))
    return Table("build_beside", f"cold builds: {title}", tuple(_rows(built[other], built[HERE])))


def _rows(theirs: list[dict[str, float]], ours: list[dict[str, float]]) -> Iterable[Row]:
    for what in ours[0]:
        before = spread_of([one[what] for one in theirs])
        now = spread_of([one[what] for one in ours])
        yield Row(f"the other: {what}", "s", before)
        yield Row(f"this one: {what}", "s", now, before.median / now.median)


def _build(checkout: Path, root: Path) -> dict[str, float]:
    command = [sys.executable, "-c", BUILDER, str(root)]
    environment = os.environ | {"PYTHONPATH": str(checkout.resolve() / "src")}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


if __name__ == "__main__":
    main()

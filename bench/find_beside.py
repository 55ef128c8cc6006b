"""`python -m bench.find_beside CHECKOUT [SET…]`: warm finds, side by side with another checkout.

The questions of sets (see `bench.evaluation`) are put to two servers in turn, a batch to each, so
that what else the machine does falls on both. CPU time of the servers, and the size of the index
that each has made. The other checkout may be of any commit since there is an index.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from bench.evaluation import SERVER, USUAL_DATA, Asker, sets_in
from bench.processes import Piped, clean_environment
from bench.report import Row, Table, spread_of
from bench.set_tables import HIT_AT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tebiki.evals.cases import Case

HERE = Path(__file__).parents[1]
BATCH = 20
ROUNDS = 3
MOST = 200


class Served:
    """A server of one checkout over one set's manuals, warm, with an index of its own."""

    def __init__(self, checkout: Path, manuals: Path, stack: ExitStack) -> None:
        self._cache = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        environment = stack.enter_context(clean_environment()) | {
            "MANUALS_ROOT": str(manuals),
            "XDG_CACHE_HOME": str(self._cache),
            "VAULT_ROOT": str(self._cache),
            "PYTHONPATH": str(checkout.resolve() / "src"),
        }
        self._server = stack.enter_context(Piped(SERVER, environment))
        self._asker = Asker(self._server)

    def cpu_of(self, cases: Sequence[Case]) -> float:
        """Milliseconds of CPU that a find takes, on average over some."""
        before = self._server.cpu_ms()
        for case in cases:
            self._asker.find(case)
        return (self._server.cpu_ms() - before) / len(cases)

    @property
    def index_mb(self) -> float:
        """The size of what it has written."""
        files = (file for file in self._cache.rglob("*") if file.is_file())
        return sum(file.stat().st_size for file in files) / 1e6


def main() -> None:
    """Measure the sets that the command line names, or all."""
    parser = argparse.ArgumentParser(prog="python -m bench.find_beside", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--most", type=int, default=MOST, help="questions of a set (%(default)s)")
    wanted = parser.parse_args()
    folder = Path(os.environ.get("EVAL_DATA") or USUAL_DATA)
    sets = sets_in(folder)
    if unknown := set(wanted.sets) - set(sets):
        raise SystemExit(f"no such set in {folder}: {', '.join(sorted(unknown))}")
    for name in wanted.sets or sets:
        cases = sets[name][:: max(1, len(sets[name]) // wanted.most)]
        rows = tuple(_rows(folder / name / "manuals", cases, wanted.checkout))
        print(Table("find_beside", f"warm finds: {name}", rows).text(), flush=True)


def _rows(manuals: Path, cases: Sequence[Case], other: Path) -> Iterator[Row]:
    """What a find takes in either; the ratio is how many times as much it takes here."""
    with ExitStack() as stack:
        theirs, ours = Served(other, manuals, stack), Served(HERE, manuals, stack)
        for served in (theirs, ours):
            served.cpu_of(cases)  # builds the index, and loads what finds share
        taken: dict[Served, list[float]] = {theirs: [], ours: []}
        for _ in range(ROUNDS):
            for start in range(0, len(cases) - HIT_AT, BATCH):
                for served, each in taken.items():
                    each.append(served.cpu_of(cases[start : start + BATCH]))
        before, now = spread_of(taken[theirs]), spread_of(taken[ours])
        yield Row("the other: CPU of a find", "ms", before)
        ratio = sum(taken[ours]) / sum(taken[theirs])
        yield Row("this one: CPU of a find", "ms", now, ratio)
        yield Row("the other: index", "MB", spread_of([theirs.index_mb]))
        yield Row(
            "this one: index", "MB", spread_of([ours.index_mb]), ours.index_mb / theirs.index_mb
        )


if __name__ == "__main__":
    main()

"""`python -m bench.both_engines URL… [--set NAME] [--step N]`: finds here and on OpenSearch.

Publishes the manuals of the question sets (see `bench.evaluation`) into a running cluster, asks
both engines every n-th question and tells how many answers are the same to the last score, how long
each takes, in how many requests, and how fast a manual is published.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.evaluation import USUAL_DATA
from tebiki.app.settings import library_settings
from tebiki.config.sources import Given, load
from tebiki.evals.cases import dataset_in
from tebiki.files.paths import Root
from tebiki.manuals.documents.sources import WalkedManual
from tebiki.manuals.find import Clocks
from tebiki.manuals.index.opensearch.client import Cluster, OpenSearchSettings
from tebiki.manuals.index.opensearch.publishing import publish
from tebiki.manuals.library import Library
from tebiki.manuals.request import FindRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.manuals.report.answer import Found

CLOCKS = Clocks(time.time, time.monotonic, time.time_ns)


def main() -> None:
    """Measure each set."""
    parser = argparse.ArgumentParser(prog="python -m bench.both_engines")
    parser.add_argument("addresses", nargs="+", metavar="URL")
    parser.add_argument("--set", action="append", dest="sets", help="only this set")
    parser.add_argument("--step", type=int, default=1, help="ask every n-th question")
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--cache", default=None, help="folder for the indexes here")
    typed = parser.parse_args()
    data = Path(os.environ.get("EVAL_DATA") or USUAL_DATA)
    for name in typed.sets or sorted(one.parent.name for one in data.glob("*/dev.jsonl")):
        _measure(data / name, typed)


def _measure(folder: Path, typed: argparse.Namespace) -> None:
    settings = OpenSearchSettings(
        tuple(typed.addresses),
        prefix=f"bench{typed.shards}",
        shards=typed.shards,
        timeout_seconds=60.0,
    )
    root = folder / "manuals"
    cases = list(dataset_in(folder / "dev.jsonl").cases)[:: typed.step]
    cluster = Cluster(settings)
    for manual_id in sorted({one.manual_id for one in cases}):
        source = WalkedManual(Root(str(root)), manual_id)
        files = (path for path in (root / manual_id).rglob("*") if path.is_file())
        size = sum(path.stat().st_size for path in files)
        begun = time.perf_counter()
        done = publish(cluster, manual_id, source, "bench", now_ns=time.time_ns)
        took = time.perf_counter() - begun
        speed = f"{took:.1f} s, {size / 1e6 / took:.2f} MB/s, {done.changed} files changed"
        print(f"{manual_id}: {done.state.sections} sections, {speed}", flush=True)
    here, there = _library(root, None, typed.cache), _library(root, settings, typed.cache)
    seconds: tuple[list[float], list[float]] = ([], [])
    same, trips, in_a_row = 0, list[int](), list[int]()
    for case in cases:
        request = FindRequest(
            case.query, case.manual_id, tuple(case.required_terms), time_ms=60_000
        )
        begun = time.perf_counter()
        one = here.find(request, use_cache=False).found
        seconds[0].append(time.perf_counter() - begun)
        before, beside = Cluster.all_round_trips, Cluster.all_beside
        begun = time.perf_counter()
        other = there.find(request, use_cache=False).found
        seconds[1].append(time.perf_counter() - begun)
        trips.append(Cluster.all_round_trips - before)
        in_a_row.append(trips[-1] - (Cluster.all_beside - beside))
        same += _words(one) == _words(other)
    local, remote = (1000 * statistics.median(some) for some in seconds)
    print(
        f"{folder.name}, {typed.shards} shards: {same} of {len(cases)} the same; "
        f"p50 {local:.1f} and {remote:.1f} ms ({remote / local:.2f} x), "
        f"p95 {1000 * _p95(seconds[0]):.1f} and {1000 * _p95(seconds[1]):.1f} ms; "
        f"requests {_spread(trips)}; one after the other {_spread(in_a_row)}",
        flush=True,
    )


def _p95(some: Sequence[float]) -> float:
    return sorted(some)[math.ceil(0.95 * len(some)) - 1]


def _spread(some: Sequence[int]) -> str:
    return f"p50 {statistics.median(some):g}, p95 {_p95(some)}, most {max(some)}"


def _library(root: Path, where: OpenSearchSettings | None, cache: str | None) -> Library:
    usual = library_settings(load(Given(), "", {}).settings, noted=False)
    finder = usual.finder._replace(opensearch=where, index_root=cache)
    ids = map(str, itertools.count())
    new_id = ids.__next__
    library = Library(root, usual._replace(finder=finder), CLOCKS, new_id, log=print)
    library.ls()
    return library


def _words(found: Found) -> str:
    return json.dumps(found.to_json(), ensure_ascii=False, sort_keys=True, default=sorted)


if __name__ == "__main__":
    main()

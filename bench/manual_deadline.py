"""`manual_deadline`: how late a find is answered that may not take longer than it says.

The finds are the longest there are: those that build the index, each going on where the last one
was out of time. The yardstick is the time they were given.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.corpus import Corpus, questions
from bench.manuals_server import FindFailed, answers, environment_of, find_call, manuals_server
from bench.processes import line_of
from bench.report import Row, Table, at_most, spread_of
from bench.startup import compile_package

if TYPE_CHECKING:
    from bench.corpus import Asked
    from bench.processes import Piped

SECTIONS, QUICK_SECTIONS = 30_000, 12_000
GIVEN_MS = (20, 100, 500)
FINDS, QUICK_FINDS = 50, 15
MOST_MS_LATE = 50


def measure(*, quick: bool) -> Table:
    """Ask with too little time until the index is whole."""
    compile_package()
    sections = QUICK_SECTIONS if quick else SECTIONS
    (asked,) = questions(1)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, environment_of(Path(folder)) as environment:
        Corpus(sections).write(Path(folder, "manuals"))
        for given in GIVEN_MS:
            shutil.rmtree(Path(folder, "cache"), ignore_errors=True)
            with manuals_server(environment) as process:
                finds = QUICK_FINDS if quick else FINDS
                rows += _rows(given, _taken(process, asked, given, finds))
    title = f"finds of {sections:,} sections that are out of time, while the index is built"
    return Table("manual_deadline", title, tuple(rows))


def _rows(given: int, taken: list[float]) -> list[Row]:
    spread, late = spread_of(taken), spread_of([one - given for one in taken])
    goal = at_most(late.p95, MOST_MS_LATE, " ms p95")
    return [
        Row(f"{given} ms given: answered after", "ms", spread, spread.median / given),
        Row(f"{given} ms given: too late by", "ms", late, goal=goal),
    ]


def _taken(process: Piped, asked: Asked, given: int, finds: int) -> list[float]:
    """The ms of finds that were cut off."""
    taken: list[float] = []
    while len(taken) < finds:
        find = find_call(asked)
        find["params"]["arguments"]["budget"] = {"time_ms": given}
        begun = time.perf_counter()
        process.send(line_of(find))
        (found,) = answers(process)
        after = (time.perf_counter() - begun) * 1000
        if _is_complete(json.loads(found)):
            break
        taken.append(after)
    if not taken:
        raise FindFailed(f"{given} ms were enough for a whole index")
    return taken


def _is_complete(answer: dict[str, Any]) -> bool:
    result = answer.get("result", {"isError": True})
    if result.get("isError"):
        raise FindFailed(str(answer)[:500])
    return bool(result["structuredContent"]["complete"])

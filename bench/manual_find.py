"""`manual_find`: warm finds over stdio by size of the manual, pings beside them, and yardsticks.

The yardsticks are one bare query of the search engine and one of SQLite's FTS5.
"""

from __future__ import annotations

import itertools
import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.corpus import Corpus, questions
from bench.find_yardsticks import bare_query_ms, fts5_ms
from bench.manuals_server import (
    answers,
    built_index,
    find_call,
    manuals_server,
    text_of,
    timed_find,
)
from bench.processes import can_see_memory, line_of
from bench.report import Point, Row, Table, at_most, below, spread_of
from bench.startup import compile_package

if TYPE_CHECKING:
    from bench.corpus import Asked
    from bench.processes import Piped
    from bench.report import Goal, Spread

SIZES, QUICK_SIZES = (1_000, 12_000, 100_000), (1_000, 12_000)
ROUNDS, QUICK_ROUNDS = 200, 60
JUDGED_SIZE = 12_000
MOST_MS, MOST_P95_MS = 10, 25
LARGE_SIZE = 1_000_000
MOST_TIMES_LARGER = 5
MOST_OWN_MB = 250
"""Of a server of a large manual."""

MOST_FTS_SECTIONS = 100_000
PINGS, QUICK_PINGS = 100, 30
FINDS_BESIDE_PINGS = 4
MOST_PING_P95_MS = 20
MOST_ANSWER_TOKENS = 400
LETTERS_PER_TOKEN = 4


def measure(*, quick: bool) -> Table:
    """Time finds and yardsticks in manuals of several sizes."""
    compile_package()
    rows: list[Row] = []
    for sections in QUICK_SIZES if quick else SIZES:
        with tempfile.TemporaryDirectory() as folder:
            Corpus(sections).write(Path(folder, "manuals"))
            rows += rows_of(sections, Path(folder), quick=quick)
    return Table("manual_find", "warm finds by sections, against bare queries", tuple(rows))


def rows_of(sections: int, folder: Path, *, quick: bool) -> list[Row]:
    """Time finds and yardsticks in the manual that was written below a folder."""
    asked = questions(QUICK_ROUNDS if quick else ROUNDS)
    weight: list[Row] = []
    with built_index(folder) as environment, manuals_server(environment) as process:
        timed_find(process, asked[0])
        used = process.cpu_ms() if can_see_memory() else None
        found = [timed_find(process, one) for one in asked]
        if used is not None:
            weight = _weight_rows(sections, (process.cpu_ms() - used) / len(asked), process)
        beside = _pings(process, asked, QUICK_PINGS if quick else PINGS)
    return [
        *_time_rows(sections, folder, asked, [ms for ms, _ in found]),
        _ping_row(sections, beside),
        _answer_row(sections, [_tokens_in(text) for _, text in found]),
        *weight,
    ]


def _time_rows(sections: int, folder: Path, asked: list[Asked], taken: list[float]) -> list[Row]:
    bare, spread = spread_of(bare_query_ms(folder, asked)), spread_of(taken)
    times = {JUDGED_SIZE: 1, LARGE_SIZE: MOST_TIMES_LARGER}.get(sections)
    goals: tuple[Goal | None, Goal | None] = (None, None)
    if times is not None:
        median = at_most(spread.median, MOST_MS * times, " ms")
        goals = (median, at_most(spread.p95, MOST_P95_MS * times, " ms"))
    rows = [_row(sections, "bare query", "ms", bare, curve="bare query")]
    if sections <= MOST_FTS_SECTIONS:
        fts5 = spread_of(fts5_ms(folder, asked))
        times_bare = fts5.median / bare.median
        rows.append(
            _row(sections, "SQLite FTS5", "ms", fts5, ratio=times_bare, curve="SQLite FTS5")
        )
    ratio, p95 = spread.median / bare.median, spread_of([spread.p95])
    return [
        *rows,
        _row(sections, "find", "ms", spread, ratio=ratio, goal=goals[0], curve="find, median"),
        _row(sections, "find, p95", "ms", p95, goal=goals[1], curve="find, p95"),
    ]


def _row(
    sections: int,
    what: str,
    unit: str,
    spread: Spread,
    *,
    ratio: float | None = None,
    goal: Goal | None = None,
    curve: str | None = None,
    plot: str = "find",
) -> Row:
    point = None if curve is None else Point(plot, curve, sections)
    return Row(f"{sections:,} sections: {what}", unit, spread, ratio, goal, point)


def _weight_rows(sections: int, cpu_ms: float, process: Piped) -> list[Row]:
    resident = spread_of([process.resident_mb()])
    own, mapped = process.held()
    goal = at_most(own, MOST_OWN_MB, " MB") if sections == LARGE_SIZE else None
    return [
        # On a machine that is busy with other things this tells more than the clock.
        _row(sections, "CPU of the server for a find", "ms", spread_of([cpu_ms])),
        _row(sections, "memory of the server", "MB", resident, curve="serving", plot="memory"),
        _row(sections, "of that its own (RssAnon)", "MB", spread_of([own]), goal=goal),
        _row(sections, "of that mapped files (RssFile)", "MB", spread_of([mapped])),
    ]


def _ping_row(sections: int, taken: list[float]) -> Row:
    spread = spread_of(taken)
    goal = below(spread.p95, MOST_PING_P95_MS, " ms p95")
    return _row(sections, f"ping beside {FINDS_BESIDE_PINGS} finds", "ms", spread, goal=goal)


def _answer_row(sections: int, tokens: list[float]) -> Row:
    spread = spread_of(tokens)
    goal = at_most(spread.p95, MOST_ANSWER_TOKENS, " tokens p95")
    return _row(sections, "answer with 5 hits", "tokens", spread, goal=goal)


def _tokens_in(text: str) -> float:
    """About what a model counts: a sign of Japanese is one token, four letters are one."""
    letters = sum(sign.isascii() for sign in text)
    return len(text) - letters + letters / LETTERS_PER_TOKEN


def _pings(process: Piped, asked: list[Asked], count: int) -> list[float]:
    """Time pings, one after the other, while finds are answered all the time."""
    waiting = itertools.cycle(asked)
    for one in itertools.islice(waiting, FINDS_BESIDE_PINGS):
        process.send(line_of(find_call(one)))
    running = FINDS_BESIDE_PINGS
    taken = []
    for number in range(count):
        name = f"ping {number}"
        begun = time.perf_counter()
        process.send(line_of({"jsonrpc": "2.0", "id": name, "method": "ping"}))
        is_answered = False
        while not is_answered:
            lines = answers(process)
            now = time.perf_counter()
            for answer in map(json.loads, lines):
                if answer["id"] == name:
                    is_answered = True
                    taken.append((now - begun) * 1000)
                else:
                    text_of(answer)
                    process.send(line_of(find_call(next(waiting))))
    while running:
        running -= len(answers(process))
    return taken

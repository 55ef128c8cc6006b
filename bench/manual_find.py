"""`manual_find`: warm finds over stdio by size of the manual, pings beside them, and yardsticks.

The yardsticks answer the same questions by the same tokens: one bare query of the search engine,
and one of SQLite's FTS5. `python -m bench.manual_find SECTIONS ...` measures other sizes.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import tantivy
from tantivy import Occur, Query

from bench.corpus import MANUAL_ID, Corpus, questions
from bench.manuals_server import (
    answers,
    environment_of,
    find_call,
    manuals_server,
    text_of,
    timed_find,
)
from bench.processes import can_see_memory, line_of
from bench.report import Row, Table, at_most, below, spread_of
from bench.startup import compile_package
from tebiki.manuals.documents import sections_of
from tebiki.manuals.index.manifest import GRAIN_NS
from tebiki.manuals.index.values import FIELDS, SEPARATOR, body_of, place_of
from tebiki.manuals.ranking.query import question_of
from tebiki.manuals.tokenizer import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.corpus import Asked
    from bench.processes import Piped
    from bench.report import Goal

SIZES, QUICK_SIZES = (1_000, 12_000, 100_000), (1_000, 12_000)
ROUNDS, QUICK_ROUNDS = 200, 60
JUDGED_SIZE = 12_000
MOST_MS, MOST_P95_MS = 10, 25
LARGE_SIZE = 1_000_000
MOST_TIMES_LARGER = 5
BEST = 80
"""Sections a bare query gives: as many as the first pass of a find."""

MOST_FTS_SECTIONS = 100_000
PINGS, QUICK_PINGS = 100, 30
FINDS_BESIDE_PINGS = 4
MOST_PING_P95_MS = 20
MOST_ANSWER_TOKENS = 400
LETTERS_PER_TOKEN = 4


def measure(*, quick: bool, sizes: Sequence[int] = ()) -> Table:
    """Time finds and yardsticks in manuals of several sizes."""
    compile_package()
    asked = questions(QUICK_ROUNDS if quick else ROUNDS)
    rows: list[Row] = []
    for sections in sizes or (QUICK_SIZES if quick else SIZES):
        with tempfile.TemporaryDirectory() as folder:
            rows += _of_size(sections, Path(folder), asked, QUICK_PINGS if quick else PINGS)
    return Table("manual_find", "warm finds by sections, against bare queries", tuple(rows))


def _of_size(sections: int, folder: Path, asked: list[Asked], pings: int) -> list[Row]:
    Corpus(sections).write(folder / "manuals")
    with environment_of(folder) as environment, manuals_server(environment) as process:
        timed_find(process, asked[0])
        # Files as young as the clock's grain are read again by every find; warm means older.
        time.sleep(GRAIN_NS / 1e9 * 1.5)
        timed_find(process, asked[0])
        used = process.cpu_ms() if can_see_memory() else None
        found = [timed_find(process, one) for one in asked]
        cpu = None if used is None else (process.cpu_ms() - used) / len(asked)
        beside = _pings(process, asked, pings)
    bare = _bare(folder, asked)
    what = f"{sections:,} sections"
    rows = [
        Row(f"{what}, bare query", "ms", spread_of(bare)),
        *_find_rows(what, sections, [ms for ms, _ in found], spread_of(bare).median),
        _ping_row(what, beside),
        _answer_row(what, [_tokens_in(text) for _, text in found]),
    ]
    if cpu is not None:
        # On a machine that is busy with other things this tells more than the clock.
        rows.append(Row(f"{what}, CPU of the server for a find", "ms", spread_of([cpu])))
    if sections <= MOST_FTS_SECTIONS:
        rows.insert(1, Row(f"{what}, SQLite FTS5", "ms", spread_of(_fts(folder, asked))))
    return rows


def _find_rows(what: str, sections: int, taken: list[float], bare: float) -> list[Row]:
    spread = spread_of(taken)
    times = {JUDGED_SIZE: 1, LARGE_SIZE: MOST_TIMES_LARGER}.get(sections)
    goals: tuple[Goal | None, Goal | None] = (None, None)
    if times is not None:
        median = at_most(spread.median, MOST_MS * times, " ms")
        goals = (median, at_most(spread.p95, MOST_P95_MS * times, " ms"))
    return [
        Row(f"{what}, manual_find", "ms", spread, spread.median / bare, goals[0]),
        Row(f"{what}, manual_find, p95", "ms", spread_of([spread.p95]), goal=goals[1]),
    ]


def _ping_row(what: str, taken: list[float]) -> Row:
    spread = spread_of(taken)
    goal = below(spread.p95, MOST_PING_P95_MS, " ms p95")
    return Row(f"{what}, ping beside {FINDS_BESIDE_PINGS} finds", "ms", spread, goal=goal)


def _answer_row(what: str, tokens: list[float]) -> Row:
    spread = spread_of(tokens)
    goal = at_most(spread.p95, MOST_ANSWER_TOKENS, " tokens p95")
    return Row(f"{what}, answer with 5 hits", "tokens", spread, goal=goal)


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


def _bare(folder: Path, asked: list[Asked]) -> list[float]:
    """One query of the engine for each question, over the index that the server has built."""
    (postings,) = (folder / "cache").glob("**/postings-*")
    index = tantivy.Index.open(str(postings))
    index.reload()
    searcher, schema = index.searcher(), index.schema
    taken = []
    for one in asked:
        terms = [
            (Occur.Should, Query.term_query(schema, field, token, "freq"))
            for token in _tokens(one)
            for field in FIELDS
        ]
        begun = time.perf_counter()
        searcher.search(Query.boolean_query(terms), BEST, count=False)
        taken.append((time.perf_counter() - begun) * 1000)
    return taken


def _tokens(asked: Asked) -> list[str]:
    units = question_of(asked.query).units
    return list(dict.fromkeys(token for unit in units for token in unit.grams + unit.words))


def _fts(folder: Path, asked: list[Asked]) -> list[float]:
    """One query of FTS5 for each question, over the same tokens."""
    taken = []
    with closing(sqlite3.connect(folder / "fts.db")) as database:
        database.execute("CREATE VIRTUAL TABLE s USING fts5(body, title, trail, place)")
        database.executemany("INSERT INTO s VALUES (?, ?, ?, ?)", _indexed(folder))
        database.commit()
        for one in asked:
            wanted = " OR ".join(f'"{token}"' for token in _tokens(one))
            begun = time.perf_counter()
            database.execute(
                "SELECT rowid FROM s WHERE s MATCH ? ORDER BY rank LIMIT ?", (wanted, BEST)
            ).fetchall()
            taken.append((time.perf_counter() - begun) * 1000)
    return taken


def _indexed(folder: Path) -> Iterator[tuple[str, ...]]:
    top = folder / "manuals" / MANUAL_ID
    for path in sorted(top.glob("**/*.md")):
        shown = path.relative_to(top).as_posix()
        for section in sections_of(shown, path.read_bytes()):
            texts = (body_of(section), section.title, SEPARATOR.join(section.trail))
            yield tuple(tokens_of(text).indexed() for text in (*texts, place_of(shown)))


if __name__ == "__main__":
    print(measure(quick=False, sizes=[int(size) for size in sys.argv[1:]]).text())

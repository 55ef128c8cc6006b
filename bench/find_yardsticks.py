"""The yardsticks of finds: the same questions by the same tokens, without all that makes a find.

One bare query of the search engine over the index that the server uses, and one of SQLite's FTS5.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

import tantivy
from tantivy import Occur, Query

from bench.corpus import MANUAL_ID
from tebiki.manuals.documents.parting import sections_of
from tebiki.manuals.index.values import FIELDS, SEPARATOR, body_of, place_of
from tebiki.manuals.text.lines import join_all_tokens, tokens_of_all
from tebiki.manuals.text.query import question_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.corpus import Asked

BEST = 80
"""Sections a query gives: as many as the first pass of a find."""


def bare_query_ms(folder: Path, asked: list[Asked]) -> list[float]:
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


def fts5_ms(folder: Path, asked: list[Asked]) -> list[float]:
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
            above = SEPARATOR.join(section.trail)
            texts = (body_of(section), section.title, above, place_of(section))
            tokens = tokens_of_all(texts)
            folded, words = zip(*tokens, strict=True)
            yield tuple(join_all_tokens(folded, words))

"""tantivy: its schema, its failures, how an index is opened and written, and how it is asked.

Tokens come ready-made; the engine only splits at spaces. `postings` reads what is written here.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING

import tantivy
from tantivy import Document, Occur, Query

from tebiki.manuals.index import packing
from tebiki.manuals.index.failures import Damaged
from tebiki.manuals.index.small_files import Broken, read_bytes, remove_path
from tebiki.manuals.index.values import ALL_FIELDS, FIELDS, LINKS
from tebiki.manuals.text.tokenizer import GAP

if TYPE_CHECKING:
    from types import TracebackType

    from tantivy import Schema

    from tebiki.manuals.index.values import Clause

FORMAT = 15
"""Raised whenever tokens, fields or keys change: an index of another format is built anew."""

META = "meta.json"
"""Where the engine keeps which files its last commit is made of."""

HEAP_BYTES = 30_000_000
STATE = "\0state"
"""Stands where a path stands, in the one document that names the committed state."""

EMPTY = "empty"
"""The state of an index that is begun: nothing names it, since nothing was committed."""

LOCKS = (".tantivy-meta.lock", ".tantivy-writer.lock")

PANICS = "pyo3_runtime"
"""Where the exceptions come from that tell of an error the engine did not expect."""


class _Contained:
    """Makes a panic of the engine, which no `except Exception` stops, one of its failures."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None and kind.__module__ == PANICS:
            raise Damaged(f"the engine gave up: {error}") from error
        if isinstance(error, ValueError) and not isinstance(error, Damaged):
            raise Damaged(str(error)) from error


def contain_failures() -> _Contained:
    """Use the engine where its files may be broken."""
    return _Contained()


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for field in ALL_FIELDS:
        builder.add_text_field(field, tokenizer_name="tokens")
    builder.add_text_field(SYMBOLS, tokenizer_name="tokens")
    builder.add_text_field("path", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("state", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field(packing.PLACE_NUMBER, fast=True)
    builder.add_bytes_field("stored", stored=True)
    return builder.build()


def open_engine(folder: str | None) -> tantivy.Index:
    """Open the index in a folder, or make one there; without a folder it lives in memory."""
    index = tantivy.Index(_schema(), folder)
    # What is filtered out keeps its position: no phrase goes across a gap.
    gaps = tantivy.Filter.custom_stopword([GAP])
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(gaps)
    index.register_tokenizer("tokens", builder.build())
    index.config_reader("manual")
    return index


def require_files(folder: str) -> None:
    """See to it that the engine meets nothing but files; what stands for a lock is removed.

    It follows links, and waits for ever for the other end of a pipe.

    Raises:
        Broken: something else stands for one of its files.
    """
    with os.scandir(folder) as entries:
        odd = [entry for entry in entries if not entry.is_file(follow_symlinks=False)]
    for entry in odd:
        if entry.name not in LOCKS:
            raise Broken("something that is no file stands for one of its files")
        remove_path(entry.path)


def remove_uncommitted(folder: str) -> None:
    """Remove the lists of deletions that a writer left who died before its commit.

    They are named after the count of operations, which the next writer counts again: to find the
    name taken would end its commit, and that of every writer after it. No reader knows of such a
    file, and while the index's lock is held there is no other writer.
    """
    committed = json.loads(read_bytes(folder, META) or b"{}").get("opstamp", 0)
    for name in os.listdir(folder):
        _, operations, kind = name.rsplit(".", 2) if name.count(".") > 1 else ("", "", "")
        if kind == "del" and operations.isdecimal() and int(operations) > committed:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))


def _document(packed: packing.PackedSection) -> Document:
    body, title, trail, place, said, signs, paths, place_number, stored, _ = packed
    made = Document()
    # One by one: given together, the engine tries each value as everything that it might be.
    made.add_text("body", body)
    made.add_text("title", title)
    made.add_text("trail", trail)
    made.add_text("place", place)
    if said:
        made.add_text(LINKS, said)
    made.add_text(SYMBOLS, signs)
    for name in paths:
        made.add_text("path", name)
    made.add_unsigned(packing.PLACE_NUMBER, place_number)
    made.add_bytes("stored", stored)
    return made


class Writing:
    """Changes that become visible together at `commit`."""

    def __init__(self, index: tantivy.Index) -> None:
        self._writer = index.writer(HEAP_BYTES, 1)

    def put(self, packed: packing.PackedSection, _digest: str = "") -> None:
        """Add a section."""
        self._writer.add_document(_document(packed))

    def remove(self, path: str) -> None:
        """Remove every section of a file."""
        self._writer.delete_documents_by_term("path", path)

    def commit(self, state: str) -> None:
        """Make the changes visible, under the name of the new state."""
        self._writer.delete_documents_by_term("path", STATE)
        self._writer.add_document(Document(path=STATE, state=state))
        self._writer.commit()

    def close(self) -> None:
        """Let go of the index, when nothing writes to it any more: parts may be merged."""
        self._writer.wait_merging_threads()
        del self._writer


MOST_CLAUSES = 64
SYMBOLS = "signs"
"""The field of what is no letter, in the text, the headings and the path."""


class Clauses:
    """Clauses by how the engine asks for them; one search counts with them, and asks again."""

    __slots__ = ("_known", "_schema")

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._known: dict[Clause, Query] = {}

    def query_for(self, clause: Clause) -> Query:
        """How the engine is asked for a clause."""
        known = self._known.get(clause)
        if known is None:
            known = self._build(clause)
            if len(self._known) >= MOST_CLAUSES:
                self._known.clear()
            self._known[clause] = known
        return known

    def both(self, rare: Clause, common: Clause) -> Query:
        """Ask for two clauses, of which one is satisfied far more often.

        The engine cannot skip within alternatives: those of the common clause are taken out of it,
        and each is looked for only where the rare one is satisfied.
        """
        first = self.query_for(rare)
        alternatives = [self.query_for(common)]
        if len(common.runs) == 1 and not common.infix and not common.symbols:
            alternatives = self._spellings(common.runs[0])
        together = [
            Query.boolean_query([(Occur.Must, first), (Occur.Must, one)]) for one in alternatives
        ]
        return Query.boolean_query([(Occur.Should, one) for one in together])

    def term(self, field: str, token: str) -> Query:
        """Ask for a token in a field."""
        return Query.term_query(self._schema, field, token, "freq")

    def _build(self, clause: Clause) -> Query:
        runs = [
            (Occur.Must, Query.boolean_query([(Occur.Should, one) for one in self._spellings(run)]))
            for run in clause.runs
        ]
        if clause.infix:
            # A character by itself: its pairs, and what counts with it. A pattern that begins with
            # any number of characters would go through every token there is.
            pattern = f"{clause.infix}.?|.{clause.infix}|.?[0-9][0-9.]*{clause.infix}"
            anywhere = [
                (Occur.Should, Query.regex_query(self._schema, field, pattern)) for field in FIELDS
            ]
            runs.append((Occur.Must, Query.boolean_query(anywhere)))
        runs += [(Occur.Must, self._phrase(SYMBOLS, symbols)) for symbols in clause.symbols]
        return Query.boolean_query(runs) if runs else Query.empty_query()

    def _spellings(self, run: tuple[tuple[str, ...], ...]) -> list[Query]:
        return [self._phrase(field, spelling) for spelling in run for field in FIELDS]

    def _phrase(self, field: str, spelling: tuple[str, ...]) -> Query:
        placed = [(place, token) for place, token in enumerate(spelling) if token != GAP]
        if len(placed) == 1:
            return self.term(field, placed[0][1])
        return Query.phrase_query(self._schema, field, list(placed))

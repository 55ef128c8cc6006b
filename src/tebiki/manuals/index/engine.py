"""tantivy behind the interface of `values`: schema, writing, and one committed state for reading.

Tokens come ready-made; the engine only splits at spaces. Its scores choose candidates, no more.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import tantivy
from tantivy import Document, Occur, Query

from tebiki.manuals.index import packing
from tebiki.manuals.index.values import FIELDS, Clause, Stored, rarity_of
from tebiki.manuals.text.tokenizer import GAP

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from types import TracebackType

    from tebiki.manuals.documents.sections import Section

    Wanted = list[tuple[Occur, Query]]

FORMAT = 11
"""Raised whenever tokens, fields or keys change: an index of another format is built anew."""

HEAP_BYTES = 30_000_000
MOST_CACHED = 8192
MOST_FREQUENCIES = 16_384
"""Of tokens in questions and in the headings of what they find: each find meets hundreds."""

MOST_CHARS_CACHED = 8_000_000
KEPT = 0.95
"""Of what may be at hand, when it is too much: so little is forgotten that no find waits for it."""

MOST_CLAUSES = 64
MOST_BEGINNINGS = 4
SOME_EQUALS = 16
MOST_EQUALS = 400
"""Beyond a cut so many sections of the same score are looked at; mostly some are all there are."""

BOOSTS = {"body": 1.0, "title": 1.0, "trail": 0.5, "place": 0.5}
SIGNS = "signs"
"""The field of what is no letter, in the text, the headings and the path."""

STATE = "\0state"
"""Stands where a path stands, in the one document that names the committed state."""

FAILURES = (ValueError, OSError)
"""What tantivy raises when its files are broken or cannot be written."""

PANICS = "pyo3_runtime"
"""Where the exceptions come from that tell of an error the engine did not expect."""


class Damaged(ValueError):
    """The engine cannot use its files."""


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


def contained() -> _Contained:
    """Use the engine where its files may be broken."""
    return _Contained()


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="tokens")
    builder.add_text_field(SIGNS, tokenizer_name="tokens")
    builder.add_text_field("path", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("state", tokenizer_name="raw", index_option="basic")
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


class Writing:
    """Changes that become visible together at `commit`."""

    def __init__(self, index: tantivy.Index) -> None:
        self._writer = index.writer(HEAP_BYTES, 1)

    def add(self, sections: Sequence[Section], check: Callable[[], None] = lambda: None) -> int:
        """Add sections; gives their length in tokens. `check` is called often, and may raise."""
        total = 0
        for document, length in packing.documents(sections, check):
            self.put(document)
            total += length
        return total

    def put(self, document: Document) -> None:
        """Add a section that is made ready."""
        self._writer.add_document(document)

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


class Reading:
    """One committed state, for reading; implements `Postings`."""

    __slots__ = (
        "__weakref__",
        "_asked",
        "_cache",
        "_chars",
        "_clauses",
        "_exact",
        "_frequencies",
        "_held",
        "_room",
        "_schema",
        "_searcher",
        "_words",
        "mean_length",
        "sections",
    )

    def __init__(
        self, index: tantivy.Index, sections: int, length: int, *, has_removed: bool
    ) -> None:
        self._schema = index.schema
        self._searcher = index.searcher()
        self._exact = has_removed
        self._asked: tuple[Mapping[str, float], dict[tuple[str, ...], Wanted]] = ({}, {})
        self._cache: dict[tuple[int, int], Stored] = {}
        self._chars = 0
        self._room = threading.Lock()
        self._clauses: dict[Clause, Query] = {}
        self._frequencies: dict[str, int] = {}
        self._held: dict[tuple[str, str], int] = {}
        self._words: dict[str, list[str]] = {}
        self.sections = sections
        self.mean_length = max(1.0, length / max(1, sections))

    def has_state(self, state: str) -> bool:
        """Tell whether this is the state of that name."""
        return self._count(Query.term_query(self._schema, "state", state)) == 1

    def frequency(self, token: str) -> int:
        """How many sections have the token, in the field that has it most."""
        known = self._frequencies.get(token)
        if known is None:
            known = max(self._counted(field, token) for field in ("body", "title", "trail"))
            if len(self._frequencies) >= MOST_FREQUENCIES:
                self._frequencies.clear()
            self._frequencies[token] = known
        return known

    def _holders(self, field: str, token: str) -> int:
        """How many sections have a token of a question in a field."""
        known = self._held.get((field, token))
        if known is None:
            known = self._counted(field, token)
            if len(self._held) >= MOST_FREQUENCIES:
                self._held.clear()
            self._held[field, token] = known
        return known

    def _counted(self, field: str, token: str) -> int:
        """Have the engine count the sections that have a token in a field.

        Its own number counts removed sections until their part is merged; an answer must not
        depend on what the files were before.
        """
        with contained():
            found = self._searcher.doc_freq(field, token)
        return self._count(self._term(field, token)) if found and self._exact else found

    def count(self, *clauses: Clause) -> int:
        """How many sections satisfy all of some clauses."""
        return self._count(
            Query.boolean_query([(Occur.Must, self._clause(clause)) for clause in clauses])
        )

    def sections_in(self, paths: Collection[str]) -> int:
        """How many sections some files have."""
        return self._count(self._among(paths))

    def best(
        self,
        weights: Mapping[str, float],
        limit: int,
        must: tuple[Clause, ...] = (),
        among: Collection[str] | None = None,
        fields: tuple[str, ...] = FIELDS,
    ) -> list[Stored]:
        """The sections that score best for weighted tokens, of those that satisfy the clauses."""
        wanted = self._wanted(weights, fields)
        if not wanted and not must:
            return []
        parts = [(Occur.Must, Query.const_score_query(self._clause(one), 0.0)) for one in must]
        if among is not None:
            parts.append((Occur.Must, Query.const_score_query(self._among(among), 0.0)))
        query = Query.boolean_query(wanted)
        if parts:
            occur = Occur.Should if must else Occur.Must
            query = Query.boolean_query([*parts, (occur, query)] if wanted else parts)
        # Terms alone, with nothing around them, let the engine pass over blocks of sections that
        # cannot be among the best.
        with contained():
            return self._first(query, limit)

    def _first(self, query: Query, limit: int) -> list[Stored]:
        """The first sections for a query; of equals at the cut the first by where they are.

        The engine orders equals by when they were added, which is no matter of the files.
        """
        hits = self._searcher.search(query, limit + SOME_EQUALS, count=False).hits
        if len(hits) <= limit or hits[limit - 1][0] != hits[limit][0]:
            return [self._load(address) for _, address in hits[:limit]]
        lowest = hits[limit][0]
        if hits[-1][0] == lowest:  # there may be more of them
            hits = self._searcher.search(query, limit + MOST_EQUALS, count=False).hits
        found = [(-score, self._load(address)) for score, address in hits if score >= lowest]
        found.sort(key=lambda both: (both[0], both[1].key))
        return [stored for _, stored in found[:limit]]

    def _wanted(self, weights: Mapping[str, float], fields: tuple[str, ...]) -> Wanted:
        """Weighted tokens as the engine asks for them; one search asks several times."""
        asked, known = self._asked
        if asked is not weights:
            asked, known = self._asked = weights, {}
        if fields not in known:
            known[fields] = [
                (Occur.Should, Query.boost_query(self._term(field, token), weight * boost))
                for token, weight in weights.items()
                for field in fields
                if (boost := self._boost(field, token))
            ]
        return known[fields]

    def _boost(self, field: str, token: str) -> float:
        """What a token in a field is worth: nothing if no section has it.

        The engine weighs it by its rarity among removed sections too; this takes that back.
        """
        found = self._holders(field, token)
        if not found or not self._exact:
            return BOOSTS[field] if found else 0.0
        with contained():
            every = self._searcher.doc_freq("path", packing.EVERY)
            counted = self._searcher.doc_freq(field, token)
        return BOOSTS[field] * rarity_of(found, self.sections) / rarity_of(counted, every)

    def words_like(self, beginning: str) -> list[str]:
        """Words of the manual that begin so."""
        known = self._words.get(beginning)
        if known is None:
            # Words that only removed sections have are known until these are merged away.
            living = Query.all_query() if self._exact else None
            with contained():
                found = self._searcher.terms_with_prefix("body", beginning, filter_query=living)
            if len(self._words) >= MOST_BEGINNINGS:
                self._words.clear()
            known = self._words[beginning] = [word for word, _ in found]
        return known

    def _count(self, query: Query) -> int:
        plain = Query.const_score_query(query, 0.0)  # nobody asks which of them is the best
        with contained():
            # The stubs of tantivy 0.27 leave `count` out.
            counted: int = self._searcher.search(plain, 1).count  # type: ignore[attr-defined]
        return counted

    def _among(self, paths: Collection[str]) -> Query:
        return Query.term_set_query(self._schema, "path", sorted(paths))

    def _term(self, field: str, token: str) -> Query:
        return Query.term_query(self._schema, field, token, "freq")

    def _clause(self, clause: Clause) -> Query:
        """A clause as the engine asks for it; one search counts with it, and asks several times."""
        known = self._clauses.get(clause)
        if known is None:
            known = self._built(clause)
            if len(self._clauses) >= MOST_CLAUSES:
                self._clauses.clear()
            self._clauses[clause] = known
        return known

    def _built(self, clause: Clause) -> Query:
        runs = [
            (Occur.Must, Query.boolean_query([(Occur.Should, one) for one in self._spellings(run)]))
            for run in clause.runs
        ]
        if clause.infix:
            # A sign by itself: its pairs, and what counts with it. A pattern that begins with any
            # number of signs would go through every token there is.
            pattern = f"{clause.infix}.?|.{clause.infix}|.?[0-9][0-9.]*{clause.infix}"
            anywhere = [
                (Occur.Should, Query.regex_query(self._schema, field, pattern)) for field in FIELDS
            ]
            runs.append((Occur.Must, Query.boolean_query(anywhere)))
        runs += [(Occur.Must, self._phrase(SIGNS, signs)) for signs in clause.signs]
        return Query.boolean_query(runs) if runs else Query.empty_query()

    def _spellings(self, run: tuple[tuple[str, ...], ...]) -> list[Query]:
        return [self._phrase(field, spelling) for spelling in run for field in FIELDS]

    def _phrase(self, field: str, spelling: tuple[str, ...]) -> Query:
        placed = [(place, token) for place, token in enumerate(spelling) if token != GAP]
        if len(placed) == 1:
            return self._term(field, placed[0][1])
        return Query.phrase_query(self._schema, field, list(placed))

    def _load(self, address: tantivy.DocAddress) -> Stored:
        key = (address.segment_ord, address.doc)
        stored = self._cache.get(key)
        if stored is None:
            stored = packing.unpacked(self._searcher.doc(address)["stored"][0])
            with self._room:
                if self._cache.setdefault(key, stored) is stored:  # no other thread was quicker
                    self._chars += len(stored.section.text)
                if len(self._cache) > MOST_CACHED or self._chars > MOST_CHARS_CACHED:
                    self._make_room()
        return stored

    def _make_room(self) -> None:
        """Forget the sections that were loaded first; the last one stays, however long it is."""
        for key in list(self._cache)[:-1]:
            self._chars -= len(self._cache.pop(key).section.text)
            left = len(self._cache)
            if left <= KEPT * MOST_CACHED and self._chars <= KEPT * MOST_CHARS_CACHED:
                break

"""One committed state of an index, for reading: tantivy behind the interface of `values`.

The engine's scores choose candidates, no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tantivy import Occur, Query

from tebiki.manuals.documents.link_targets import NamedFiles
from tebiki.manuals.index import packing
from tebiki.manuals.index.engine import EMPTY, STATE, Clauses, contain_failures
from tebiki.manuals.index.exact_cut import Worth, cut, put_first, read_mean
from tebiki.manuals.index.section_cache import SectionCache
from tebiki.manuals.index.values import (
    ALL_FIELDS,
    BOOSTS,
    FIELDS,
    Clause,
    SectionQuery,
    Stored,
    rarity_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from tantivy import DocAddress, Index

    from tebiki.manuals.index.exact_cut import Hit
    from tebiki.manuals.index.values import Lengths, Postings

    Wanted = list[tuple[Occur, Query]]
    Leading = tuple[
        Mapping[str, float], Collection[str] | None, dict[tuple[Clause, ...], list[Hit]]
    ]

MOST_FREQUENCIES = 16_384
"""Of tokens in questions and in the headings of what they find: each find meets hundreds."""

MOST_BEGINNINGS = 4
MOST_COUNTS = 1024
MORE = (16, 400, 20_000)
"""Beyond a cut so many sections are looked at that may belong above it; mostly a few are enough."""

MOST_AT_PLACES = 400
TWO_CLAUSES = 2
FAR_MORE = 8
"""What is so much more common than something else, or than not, is not searched for on its own."""

NOTHING = -1.0
"""What others score when there are no others."""


class Reading:
    """One committed state, for reading; implements `Postings`, and `Scoring` for its cut."""

    __slots__ = (
        "__weakref__",
        "_asked",
        "_clauses",
        "_counts",
        "_frequencies",
        "_has_removed",
        "_held",
        "_leading",
        "_named_files",
        "_ratios",
        "_schema",
        "_searcher",
        "_section_cache",
        "_states",
        "_words",
        "mean_length",
        "means",
        "sections",
    )

    def __init__(
        self,
        index: Index,
        sections: int,
        lengths: Lengths,
        *,
        has_removed: bool,
        files: Collection[str] = (),
    ) -> None:
        self._schema = index.schema
        self._searcher = index.searcher()
        self._has_removed = has_removed
        self.means = [length / (sections + 1) for length in lengths]
        self._ratios: dict[str, float] = {}
        # Every commit leaves the name of its state, and this counts as a section too.
        self._states = self._searcher.doc_freq("path", STATE)
        self._asked: tuple[Mapping[str, float], dict[tuple[str, ...], Wanted]] = ({}, {})
        self._leading: Leading = ({}, None, {})
        self._section_cache = SectionCache(self._searcher)
        self._clauses = Clauses(index.schema)
        self._counts: dict[tuple[Clause, ...], int] = {}
        self._frequencies: dict[str, int] = {}
        self._held: dict[tuple[str, str], int] = {}
        self._words: dict[str, list[str]] = {}
        self._named_files = NamedFiles(files)
        self.sections = sections
        self.mean_length = max(1.0, lengths[0] / max(1, sections))

    def has_state(self, state: str) -> bool:
        """Tell whether this is the state of that name."""
        if state == EMPTY and not self._searcher.num_docs:
            return True
        return self._count(Query.term_query(self._schema, "state", state)) == 1

    def know(self, _tokens: Iterable[str], _clauses: Iterable[tuple[Clause, ...]] = ()) -> None:
        """Whatever is asked for is at hand."""

    def foresee(self, _asked: Iterable[SectionQuery]) -> None:
        """Whatever is asked for is at hand."""

    def foresee_places(self, _guess: Callable[[Postings], Collection[str]]) -> None:
        """Whatever is asked for is at hand."""

    def frequency(self, token: str) -> int:
        """How many sections have the token, in the field that has it most."""
        known = self._frequencies.get(token)
        if known is None:
            with contain_failures():
                fields = ("body", "title", "trail")
                known = max(self._count_holders(field, token) for field in fields)
            if len(self._frequencies) >= MOST_FREQUENCIES:
                self._frequencies.clear()
            self._frequencies[token] = known
        return known

    def _holders(self, field: str, token: str) -> int:
        """How many sections have a token of a question in a field."""
        known = self._held.get((field, token))
        if known is None:
            known = self._count_holders(field, token)
            if len(self._held) >= MOST_FREQUENCIES:
                self._held.clear()
            self._held[field, token] = known
        return known

    def _count_holders(self, field: str, token: str) -> int:
        """Have the engine count the sections that have a token in a field.

        Its own number counts removed sections until their part is merged; an answer must not
        depend on what the files were before. Whoever asks contains the engine's failures.
        """
        found = self._searcher.doc_freq(field, token)
        if not found or not self._has_removed:
            return found
        return self._count(self._clauses.term(field, token))

    def count(self, *clauses: Clause) -> int:
        """How many sections satisfy all of some clauses."""
        known = self._counts.get(clauses)
        if known is None:
            known = self._count(self._all_of(clauses))
            if len(self._counts) >= MOST_COUNTS:
                self._counts.clear()
            self._counts[clauses] = known
        return known

    def _all_of(self, clauses: tuple[Clause, ...]) -> Query:
        """Ask for all of some clauses."""
        if len(clauses) == TWO_CLAUSES:
            rare, common = sorted(clauses, key=self.count)
            if self.count(rare) * FAR_MORE < self.count(common):
                return self._clauses.both(rare, common)
        return Query.boolean_query([(Occur.Must, self._clauses.query_for(one)) for one in clauses])

    def sections_in(self, paths: Collection[str]) -> int:
        """How many sections some files have."""
        return self._count(self._among(paths))

    def best(self, query: SectionQuery) -> list[Stored]:
        """The sections that score best, of those that satisfy the clauses.

        Where enough hold them of those that came first for fewer clauses, no others are searched
        for.
        """
        with contain_failures():
            wanted = self._token_queries(query.weights, query.fields)
            if not wanted and not query.must:
                return []
            found = self._reuse_found(query, query.holds) if query.holds else None
            if found is None:
                hits, kept = self._first(self._engine_query(query, wanted), query)
                found = put_first(kept, hits, query, self)
                if query.fields is FIELDS:
                    # Whoever looks through them loads each.
                    leading = self._leading_for(query.weights, query.among)
                    leading[query.must] = hits[: query.limit + MORE[1]]
            return [self._section_cache.load(address) for address in found]

    def sections_at(self, places: Collection[str]) -> list[Stored]:
        """The sections at some places, as `place_in` names them."""
        query = Query.const_score_query(self._among(places), 0.0)
        with contain_failures():
            hits = self._searcher.search(query, MOST_AT_PLACES, count=False).hits
            found = [self._section_cache.load(address) for _, address in hits]
        return sorted(found, key=lambda stored: stored.key)

    def _engine_query(self, asked: SectionQuery, wanted: Wanted) -> Query:
        must = asked.must
        needed = [self._all_of(must)] if must else []
        if asked.among is not None:
            needed.append(self._among(asked.among))
        parts = [(Occur.Must, Query.const_score_query(one, 0.0)) for one in needed]
        query = Query.boolean_query(wanted)
        if not parts:
            # Terms alone, with nothing around them, let the engine pass over blocks of sections
            # that cannot be among the best.
            return query
        occur = Occur.Should if must else Occur.Must
        return Query.boolean_query([*parts, (occur, query)] if wanted else parts)

    def _leading_for(
        self, weights: Mapping[str, float], among: Collection[str] | None
    ) -> dict[tuple[Clause, ...], list[Hit]]:
        """What came first for a question within some files, by the clauses."""
        asked, within, leading = self._leading
        if asked is not weights or within is not among:
            leading = {}
            self._leading = (weights, among, leading)
        return leading

    def _reuse_found(
        self, query: SectionQuery, holds: Callable[[Stored], bool]
    ) -> list[DocAddress] | None:
        """The best of those that came first for fewer clauses; None when others may be better."""
        limit, must = query.limit, query.must
        for fewer, hits in self._leading_for(query.weights, query.among).items():
            more = [clause for clause in must if clause not in fewer]
            is_part = len(fewer) + len(more) == len(must)
            # Where even all of them would not be enough, none is loaded.
            is_part = is_part and len(hits) >= limit and hits[limit - 1][0] > hits[-1][0]
            if is_part and all(self.count(one) * FAR_MORE >= self.sections for one in more):
                held = [hit for hit in hits if holds(self._section_cache.load(hit[1]))]
                found = cut(held, hits[-1][0], query, self)
                if found is not None:
                    return found
        return None

    def _first(self, query: Query, asked: SectionQuery) -> tuple[list[Hit], list[DocAddress]]:
        """The first sections for a query, and what else was found on the way."""
        for more in MORE:
            hits = self._searcher.search(query, asked.limit + more, count=False).hits
            has_more = len(hits) == asked.limit + more
            found = cut(hits, hits[-1][0] if has_more else NOTHING, asked, self)
            if found is not None:
                return hits, found
        return hits, cut(hits, NOTHING, asked, self) or []

    def ratio(self, field: str, weights: Mapping[str, float]) -> float:
        """The true mean length of a field divided by the engine's."""
        known = self._ratios.get(field)
        if known is None:
            token = next((one for one in weights if self._holders(field, one)), None)
            if token is None:
                return 1.0  # nothing that is asked for is there
            query = self._clauses.term(field, token)
            (_, address), *_ = self._searcher.search(query, 1, count=False).hits
            told = read_mean(query.explain(self._searcher, address).to_json())
            known = self._ratios[field] = self.means[ALL_FIELDS.index(field)] / told
        return known

    def load(self, address: DocAddress) -> Stored:
        """The section at an address."""
        return self._section_cache.load(address)

    def place_numbers(self, addresses: list[DocAddress]) -> list[int]:
        """Numbers made of where sections are."""
        told = self._searcher.fast_field_values(packing.PLACE_NUMBER, addresses)
        return [int(number or 0) for number in told]

    @property
    def _is_as_new(self) -> bool:
        """Tell whether the engine's sums are those of an index that was written in one go."""
        return not self._has_removed and self._states == 1

    def worths(self, weights: Mapping[str, float], fields: tuple[str, ...]) -> list[Worth]:
        """What each token is worth in each field that has it, as in an index without history."""
        return [
            Worth.of(token, ALL_FIELDS.index(field), weight * BOOSTS[field] * self._rarity(found))
            for token, weight in weights.items()
            for field in fields
            if (found := self._holders(field, token))
        ]

    def _rarity(self, holders: int) -> float:
        """A token's rarity as the engine sees it when it is new: a state counts as a section."""
        return rarity_of(holders, self.sections + 1)

    def _token_queries(self, weights: Mapping[str, float], fields: tuple[str, ...]) -> Wanted:
        """Weighted tokens as the engine asks for them; one search asks several times."""
        asked, known = self._asked
        if asked is not weights:
            asked, known = self._asked = weights, {}
        if fields not in known:
            wanted: Wanted = []
            for token, weight in weights.items():
                for field in fields:
                    single = (field, token, "")  # as no fields are
                    if single not in known:
                        known[single] = self._token_query(field, token, weight)
                    wanted += known[single]
            known[fields] = wanted
        return known[fields]

    def _token_query(self, field: str, token: str, weight: float) -> Wanted:
        """A weighted token in one field; nothing if no section has it there."""
        boost = self._boost(field, token)
        if not boost:
            return []
        return [(Occur.Should, Query.boost_query(self._clauses.term(field, token), weight * boost))]

    def _boost(self, field: str, token: str) -> float:
        """What a token in a field is worth: nothing if no section has it.

        The engine weighs it by its rarity among removed sections too; this takes that back.
        """
        found = self._holders(field, token)
        if not found or self._is_as_new:
            return BOOSTS[field] if found else 0.0
        every = self._searcher.doc_freq("path", packing.EVERY) + self._states
        counted = self._searcher.doc_freq(field, token)
        return BOOSTS[field] * self._rarity(found) / rarity_of(counted, every)

    def near(self, word: str, _slips: int) -> list[str]:
        """Words of the manual that begin alike: to compare them is quicker than to choose."""
        beginning = word[0]
        known = self._words.get(beginning)
        if known is None:
            # Words that only removed sections have are known until these are merged away.
            living = Query.all_query() if self._has_removed else None
            with contain_failures():
                found = self._searcher.terms_with_prefix("body", beginning, filter_query=living)
            if len(self._words) >= MOST_BEGINNINGS:
                self._words.clear()
            known = self._words[beginning] = [word for word, _ in found]
        return known

    def file_of(self, target: str) -> str | None:
        """The file of the manual that a link's target names, if there is one."""
        return self._named_files.file_of(target)

    def _count(self, query: Query) -> int:
        plain = Query.const_score_query(query, 0.0)  # nobody asks which of them is the best
        with contain_failures():
            # The stubs of tantivy 0.27 leave `count` out.
            counted: int = self._searcher.search(plain, 1).count  # type: ignore[attr-defined]
        return counted

    def _among(self, paths: Collection[str]) -> Query:
        return Query.term_set_query(self._schema, "path", sorted(paths))

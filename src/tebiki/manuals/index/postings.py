"""One committed state of an index, for reading: tantivy behind the interface of `values`.

The engine's scores choose candidates, no more.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tantivy import Occur, Query

from tebiki.manuals.index import packing
from tebiki.manuals.index.clauses import Clauses
from tebiki.manuals.index.cutting import Doubt, Worth, mean_told, true_score
from tebiki.manuals.index.engine import STATE, contained
from tebiki.manuals.index.values import FIELDS, Clause, Stored, rarity_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from tantivy import DocAddress, Index

    from tebiki.manuals.index.cutting import Hit
    from tebiki.manuals.index.values import Lengths

    Wanted = list[tuple[Occur, Query]]

MOST_CACHED = 8192
MOST_FREQUENCIES = 16_384
"""Of tokens in questions and in the headings of what they find: each find meets hundreds."""

MOST_CHARS_CACHED = 8_000_000
KEPT = 0.95
"""Of what may be at hand, when it is too much: so little is forgotten that no find waits for it."""

MOST_BEGINNINGS = 4
MORE = (16, 400, 20_000)
"""Beyond a cut so many sections are looked at that may belong above it; mostly a few are enough."""

MOST_RECKONED = 400
MOST_BY_PLACE = 400
"""Of sections that are as good as each other: more would have to be loaded just for their names."""

BOOSTS = {"body": 1.0, "title": 1.0, "trail": 0.5, "place": 0.5}


class Reading:
    """One committed state, for reading; implements `Postings`."""

    __slots__ = (
        "__weakref__",
        "_asked",
        "_cache",
        "_chars",
        "_clauses",
        "_frequencies",
        "_has_removed",
        "_held",
        "_means",
        "_ratios",
        "_room",
        "_schema",
        "_searcher",
        "_states",
        "_words",
        "mean_length",
        "sections",
    )

    def __init__(self, index: Index, sections: int, lengths: Lengths, *, has_removed: bool) -> None:
        self._schema = index.schema
        self._searcher = index.searcher()
        self._has_removed = has_removed
        self._means = [length / (sections + 1) for length in lengths]
        self._ratios: dict[str, float] = {}
        # Every commit leaves the name of its state, and this counts as a section too.
        self._states = self._searcher.doc_freq("path", STATE)
        self._asked: tuple[Mapping[str, float], dict[tuple[str, ...], Wanted]] = ({}, {})
        self._cache: dict[tuple[int, int], Stored] = {}
        self._chars = 0
        self._room = threading.Lock()
        self._clauses = Clauses(index.schema)
        self._frequencies: dict[str, int] = {}
        self._held: dict[tuple[str, str], int] = {}
        self._words: dict[str, list[str]] = {}
        self.sections = sections
        self.mean_length = max(1.0, lengths[0] / max(1, sections))

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
        if not found or not self._has_removed:
            return found
        return self._count(self._clauses.term(field, token))

    def count(self, *clauses: Clause) -> int:
        """How many sections satisfy all of some clauses."""
        return self._count(
            Query.boolean_query([(Occur.Must, self._clauses.asked(clause)) for clause in clauses])
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
        needed = [self._clauses.asked(clause) for clause in must]
        if among is not None:
            needed.append(self._among(among))
        parts = [(Occur.Must, Query.const_score_query(one, 0.0)) for one in needed]
        query = Query.boolean_query(wanted)
        if parts:
            occur = Occur.Should if must else Occur.Must
            query = Query.boolean_query([*parts, (occur, query)] if wanted else parts)
        # Terms alone, with nothing around them, let the engine pass over blocks of sections that
        # cannot be among the best.
        with contained():
            return self._first(query, limit, weights, fields)

    def _first(
        self, query: Query, limit: int, weights: Mapping[str, float], fields: tuple[str, ...]
    ) -> list[Stored]:
        """The first sections for a query; of equals at the cut the first by where they are.

        The engine orders equals by when they were added, which is no matter of the files.
        """
        doubt = self._doubt(weights, fields)
        for more in MORE:
            hits = self._searcher.search(query, limit + more, count=False).hits
            if len(hits) <= limit:
                return [self._load(address) for _, address in hits]
            lowest, highest = doubt.lowest(hits, limit), doubt.highest(hits, limit)
            if hits[-1][0] < lowest or len(hits) < limit + more:
                break
        sure = [address for score, address in hits[:limit] if score > highest]
        if len(sure) < limit:
            unsure = [hit for hit in hits[len(sure) :] if hit[0] >= lowest]
            if unsure[0][0] != unsure[-1][0]:
                unsure = self._reckoned(unsure, self._worths(weights, fields))
            sure += self._decided(unsure, limit - len(sure))
        return [self._load(address) for address in sure]

    def _reckoned(self, unsure: list[Hit], worths: list[Worth]) -> list[Hit]:
        """Sections with their true scores, best first."""
        scores: dict[float, float] = {}
        for score, address in unsure:
            # What the engine finds equal has the same tokens as often, in texts as long.
            if score not in scores and len(scores) < MOST_RECKONED:
                scores[score] = true_score(self._load(address), worths, self._means)
        found = [(scores.get(score, score), address) for score, address in unsure]
        found.sort(key=lambda hit: -hit[0])
        return found

    def _decided(self, unsure: list[Hit], room: int) -> list[DocAddress]:
        """The best of those at a cut, by their scores and then by where they are."""
        lowest = unsure[room - 1][0]
        above = [address for score, address in unsure if score > lowest]
        equal = [address for score, address in unsure if score == lowest]
        return above + self._in_order(equal)[: room - len(above)]

    def _in_order(self, equal: list[DocAddress]) -> list[DocAddress]:
        """Sections that are as good as each other, in an order that depends on nothing else."""
        if len(equal) <= MOST_BY_PLACE:
            return sorted(equal, key=lambda address: self._load(address).key)
        told = self._searcher.fast_field_values(packing.PLACE_NUMBER, equal)
        numbers = [int(number or 0) for number in told]
        return [equal[at] for at in sorted(range(len(equal)), key=numbers.__getitem__)]

    def _doubt(self, weights: Mapping[str, float], fields: tuple[str, ...]) -> Doubt:
        """How far the engine's scores may be from the true ones."""
        if self._is_as_new:
            return Doubt.of(())
        return Doubt.of(self._ratio(field, weights) for field in fields)

    def _ratio(self, field: str, weights: Mapping[str, float]) -> float:
        """The true mean length of a field divided by the engine's."""
        known = self._ratios.get(field)
        if known is None:
            token = next((one for one in weights if self._holders(field, one)), None)
            if token is None:
                return 1.0  # nothing that is asked for is there
            query = self._clauses.term(field, token)
            (_, address), *_ = self._searcher.search(query, 1, count=False).hits
            told = mean_told(query.explain(self._searcher, address).to_json())
            known = self._ratios[field] = self._means[FIELDS.index(field)] / told
        return known

    @property
    def _is_as_new(self) -> bool:
        """Tell whether the engine's sums are those of an index that was written in one go."""
        return not self._has_removed and self._states == 1

    def _worths(self, weights: Mapping[str, float], fields: tuple[str, ...]) -> list[Worth]:
        """What each token is worth in each field that has it, as in an index without history."""
        return [
            Worth.of(token, FIELDS.index(field), weight * BOOSTS[field] * self._rarity(found))
            for token, weight in weights.items()
            for field in fields
            if (found := self._holders(field, token))
        ]

    def _rarity(self, holders: int) -> float:
        """A token's rarity as the engine sees it when it is new: a state counts as a section."""
        return rarity_of(holders, self.sections + 1)

    def _wanted(self, weights: Mapping[str, float], fields: tuple[str, ...]) -> Wanted:
        """Weighted tokens as the engine asks for them; one search asks several times."""
        asked, known = self._asked
        if asked is not weights:
            asked, known = self._asked = weights, {}
        if fields not in known:
            known[fields] = [
                (Occur.Should, Query.boost_query(self._clauses.term(field, token), weight * boost))
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
        if not found or self._is_as_new:
            return BOOSTS[field] if found else 0.0
        with contained():
            every = self._searcher.doc_freq("path", packing.EVERY) + self._states
            counted = self._searcher.doc_freq(field, token)
        return BOOSTS[field] * self._rarity(found) / rarity_of(counted, every)

    def words_like(self, beginning: str) -> list[str]:
        """Words of the manual that begin so."""
        known = self._words.get(beginning)
        if known is None:
            # Words that only removed sections have are known until these are merged away.
            living = Query.all_query() if self._has_removed else None
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

    def _load(self, address: DocAddress) -> Stored:
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

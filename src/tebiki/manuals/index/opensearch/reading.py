"""One state of an index on OpenSearch, for reading: all of a find in a few requests.

What a state is asked is remembered with it, and sections by their ids, which never change their
meaning. The exact cut is the one of every engine (`exact_cut`).
"""

from __future__ import annotations

from copy import copy
from itertools import chain
from typing import TYPE_CHECKING, Any

from tebiki.manuals.index.exact_cut import Worth, cut, put_first
from tebiki.manuals.index.opensearch import questions
from tebiki.manuals.index.opensearch.client import Incomplete, StateMoved
from tebiki.manuals.index.opensearch.layout import (
    MARKER,
    MOST_RESULTS,
    bounded_name,
    file_of_section,
    section_from,
)
from tebiki.manuals.index.postings import MORE, MOST_AT_PLACES, NOTHING
from tebiki.manuals.index.values import ALL_FIELDS, BOOSTS, rarity_of
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from tebiki.manuals.index.exact_cut import Hit
    from tebiki.manuals.index.opensearch.client import Cluster
    from tebiki.manuals.index.opensearch.index_state import Clauses, Holders, IndexState
    from tebiki.manuals.index.opensearch.shelf import SectionShelf
    from tebiki.manuals.index.values import Clause, Postings, SectionQuery, Stored

FREQUENT_FIELDS = 3
"""Of body, title and trail: those that a token's frequency is taken from."""

FILTERS_AT_ONCE = 2_000
LOADED_AT_ONCE = 512
GUESSED_HOLDERS = 2
"""Of a token that nobody has asked for yet: most are rare."""


class Placed(NamedTuple):
    """A section that was found: its id, and the number of its place."""

    section_id: str
    number: int


class SharedReading:
    """A state as one find reads it; implements `Postings`, and `Scoring` for its cut."""

    def __init__(
        self,
        cluster: Cluster,
        state: IndexState,
        shelf: SectionShelf,
        near: str,
        *,
        is_strict: bool = True,
        begin_proof: Callable[[], object] = lambda: None,
    ) -> None:
        """`begin_proof` is called before anything is asked, and so runs beside the answers."""
        self._cluster, self._state, self._shelf, self._near = cluster, state, shelf, near
        self._is_strict = is_strict
        self._begin_proof = begin_proof
        self._tokens: dict[str, None] = {}
        self._clauses: dict[Clauses, None] = {}
        self._foreseen: list[SectionQuery] = []
        self._places: list[str] = []
        self._at: dict[str, list[Stored]] = {}
        self._is_guessing = False
        self._found: dict[Any, list[Stored]] = {}
        self._loaded: dict[str, Stored] = {}
        self._hits: list[Placed] = []
        self.doubt: str | None = None
        self.sections = state.sections
        self.means = state.means
        self.mean_length = max(1.0, state.manifest.lengths[0] / max(1, state.sections))

    def know(self, tokens: Iterable[str], clauses: Iterable[Clauses] = ()) -> None:
        """Hear which frequencies and counts are going to be asked for."""
        self._tokens |= dict.fromkeys(one for one in tokens if one not in self._state.holders)
        self._clauses |= dict.fromkeys(one for one in clauses if one not in self._state.counts)

    def foresee(self, asked: Iterable[SectionQuery]) -> None:
        """Hear which sections are going to be asked for."""
        self._foreseen += asked

    def foresee_places(self, guess: Callable[[Postings], Collection[str]]) -> None:
        """Hear which places are likely to be asked for, if anything has to be counted before."""
        if self._tokens:
            guessing = copy(self)
            guessing._is_guessing = True
            self._places = [place for place in guess(guessing) if place not in self._at]

    def frequency(self, token: str) -> int:
        """How many sections have the token, in the field that has it most."""
        if self._is_guessing and token not in self._state.holders:
            return GUESSED_HOLDERS
        return max(self._holders(token)[:FREQUENT_FIELDS])

    def count(self, *clauses: Clause) -> int:
        """How many sections satisfy all of some clauses."""
        known = self._state.counts.get(clauses)
        if known is None:
            self._clauses[clauses] = None
            known = self._count_all()[1][clauses]
        return known

    def sections_in(self, paths: Collection[str]) -> int:
        """How many sections some files have."""
        files = self._state.manifest.files
        return sum(files[path].sections for path in paths if path in files)

    def best(self, query: SectionQuery) -> list[Stored]:
        """The sections that score best, of those that satisfy the clauses."""
        if self._state.counts.get(query.must) == 0:
            return []  # as was counted
        key = _key(query)
        if key not in self._found:
            asked = {_key(one): one for one in (*self._foreseen, query)}
            self._foreseen = []
            self._search({name: one for name, one in asked.items() if name not in self._found})
        return self._found[key]

    def sections_at(self, places: Collection[str]) -> list[Stored]:
        """The sections at some places, as `place_in` names them."""
        missing = [place for place in places if place not in self._at]
        if missing and self._tokens:
            self._places = missing
            self._count_all()
            missing = [place for place in missing if place not in self._at]
        if missing:
            self._at |= self._found_at(missing, self._ask([self._places_body(missing)])[0])
        found = {one.key: one for place in places for one in self._at[place]}
        return sorted(found.values(), key=lambda stored: stored.key)

    def near(self, word: str, slips: int) -> list[str]:
        """Words of the manual that are so few slips away, as far as a section still has them."""
        state = self._state
        body = questions.near_body(state.marker, state.markers, word, slips)
        answer = self._ask([body])[0]
        self._hits_of(answer)
        words = questions.words_in(answer)
        self.know(words)
        return [one for one in words if self._holders(one)[0]]

    def file_of(self, target: str) -> str | None:
        """The file of the manual that a link's target names, if there is one."""
        return self._state.named_files.file_of(target)

    def ratio(self, field: str, _weights: Mapping[str, float]) -> float:
        """The true mean length of a field divided by the one in its similarity."""
        return self._state.ratios[field]

    def worths(self, weights: Mapping[str, float], fields: tuple[str, ...]) -> list[Worth]:
        """What each token is worth in each field that has it."""
        return [
            Worth.of(token, ALL_FIELDS.index(field), weight * BOOSTS[field] * worth)
            for token, weight in weights.items()
            for field in fields
            if (worth := self._boost(field, token))
        ]

    def load(self, handle: Placed) -> Stored:
        """A section; those that may be asked for next come along with it."""
        known = self._loaded.get(handle.section_id)
        if known is None:
            at = next((n for n, one in enumerate(self._hits) if one is handle), len(self._hits))
            self._fetch([handle, *self._hits[at : at + LOADED_AT_ONCE]])
            known = self._loaded[handle.section_id]
        return known

    def place_numbers(self, handles: list[Placed]) -> list[int]:
        """Numbers made of where sections are."""
        return [handle.number for handle in handles]

    def _boost(self, field: str, token: str) -> float:
        """How rare a token is among all sections, a state counted in; 0 where none has it."""
        found = self._holders(token)[ALL_FIELDS.index(field)]
        return rarity_of(found, self.sections + 1) if found else 0.0

    def _holders(self, token: str) -> Holders:
        """How many sections have a token, by field."""
        known = self._state.holders.get(token)
        if known is None:
            self._tokens[token] = None
            known = self._count_all()[0][token]
        return known

    def _count_all(self) -> tuple[dict[str, Holders], dict[Clauses, int]]:
        """Count whatever is going to be asked for, in one request."""
        tokens, clauses = list(self._tokens), list(self._clauses)
        self._tokens, self._clauses = {}, {}
        filters = [questions.holders_query(field, one) for one in tokens for field in ALL_FIELDS]
        filters += map(questions.all_of, clauses)
        counts = self._count(filters)
        wide = len(ALL_FIELDS)
        holders = {
            token: tuple(counts[at * wide : (at + 1) * wide]) for at, token in enumerate(tokens)
        }
        counted = dict(zip(clauses, counts[wide * len(tokens) :], strict=True))
        if self.doubt is None:
            self._state.learn(holders, counted)
        else:
            self._state = self._state.apart(holders, counted)
        return holders, counted

    def _count(self, filters: list[dict[str, Any]]) -> list[int]:
        parts = [
            filters[at : at + FILTERS_AT_ONCE] for at in range(0, len(filters), FILTERS_AT_ONCE)
        ]
        state, places = self._state, self._places
        self._places = []
        bodies = [questions.count_body(state.marker, part) for part in parts]
        more = [self._places_body(places)] if places else []
        answers = self._ask([*bodies, *more])
        if places:
            found = self._found_at(places, answers.pop())
            if sum(map(len, found.values())) < MOST_AT_PLACES:
                self._at |= found
        counts: list[int] = []
        for answer in answers:
            *some, markers = questions.counts_in(answer)
            self._expect(markers == state.markers, "not all of it can be seen")
            counts += some
        return counts

    def _places_body(self, places: list[str]) -> dict[str, Any]:
        state = self._state
        names = list(map(bounded_name, places))
        return questions.places_body(state.marker, state.markers, names, MOST_AT_PLACES)

    def _found_at(self, places: list[str], answer: dict[str, Any]) -> dict[str, list[Stored]]:
        """The sections at each of some places."""
        found: dict[str, list[Stored]] = {bounded_name(place): [] for place in places}
        for hit in self._hits_of(answer):
            stored = self._take_in(hit)
            for name in questions.places_of(hit):
                found[name].append(stored)
        return {place: found[bounded_name(place)] for place in places}

    def _search(self, asked: Mapping[Any, SectionQuery]) -> None:
        """Ask for several lists of sections at once, and for more where a cut needs more."""
        state = self._state
        self.know(token for query in asked.values() for token in query.weights)
        if self._tokens:
            self._count_all()
        left = dict(asked)
        for more in MORE:
            room = MOST_RESULTS - state.markers
            sizes = {name: min(query.limit + more, room) for name, query in left.items()}
            bodies = {
                name: questions.best_body(
                    state.marker,
                    state.markers,
                    query,
                    sizes[name],
                    self._boost,
                    # Of more, those at the cut are looked at; of far more, only where they are.
                    whole=self._shelf.is_bare if more == MORE[0] else more != MORE[-1],
                )
                for name, query in left.items()
            }
            for name in [one for one, body in bodies.items() if body is None]:
                self._found[name] = []
                del left[name], bodies[name]
            if not left:
                return
            hits = self._hits_for([body for body in bodies.values() if body is not None])
            by_name = dict(zip(left, hits, strict=True))
            if more == MORE[0]:
                self._fetch([handle for one in hits for _, handle in one])
            for name, found in by_name.items():
                query = left[name]
                has_more = len(found) == sizes[name] and more != MORE[-1]
                self._hits = [handle for _, handle in found]
                kept = cut(found, found[-1][0] if has_more else NOTHING, query, self)
                if kept is not None or more == MORE[-1]:
                    del left[name]
                    self._found[name] = self._load_all(put_first(kept or [], found, query, self))

    def _hits_for(self, bodies: list[dict[str, Any]]) -> list[list[Hit]]:
        """What was found for some questions, and in an index that is as large as it should be."""
        first, *others = bodies
        asked = [{**first, "aggs": questions.ALL_DOCUMENTS}, *others]
        found = list(map(self._hits_of, self._ask(asked)))
        for hit in chain.from_iterable(found):
            if "_source" in hit:
                self._take_in(hit)
        return [
            [(hit["sort"][0], Placed(hit["_id"], hit["sort"][1])) for hit in hits] for hits in found
        ]

    def _hits_of(self, answer: dict[str, Any]) -> list[dict[str, Any]]:
        """The hits of an answer behind the markers, which must all be there."""
        hits: list[dict[str, Any]] = answer["hits"]["hits"]
        is_marker = [hit["_id"].startswith(MARKER) for hit in hits]
        self._expect(sum(is_marker) == self._state.markers, "not all of it can be seen")
        found = [hit for hit, other in zip(hits, is_marker, strict=True) if not other]
        files = self._state.files
        known = [hit for hit in found if file_of_section(hit["_id"]) in files]
        self._expect(len(known) == len(found), "it has sections of other files")
        return known

    def _load_all(self, handles: list[Placed]) -> list[Stored]:
        missing = [one for one in handles if one.section_id not in self._loaded]
        if missing:
            self._fetch(missing)
        return [self._loaded[one.section_id] for one in handles if one.section_id in self._loaded]

    def _fetch(self, handles: list[Placed]) -> None:
        """Have sections at hand."""
        unknown: dict[str, None] = {}
        for one in handles:
            if one.section_id in unknown:
                continue
            stored = self._loaded.get(one.section_id) or self._shelf.get(one.section_id)
            if stored is None:
                unknown[one.section_id] = None
            else:
                self._loaded[one.section_id] = stored
        wanted = [{"_index": self._state.index, "_id": one} for one in unknown]
        if not wanted:
            return
        for doc in self._cluster.ask("POST", "/_mget", {"docs": wanted})["docs"]:
            if not doc.get("found"):
                raise self._failure(f"a section is gone: {doc.get('error') or doc['_id']}")
            self._take_in(doc)

    def _take_in(self, document: dict[str, Any]) -> Stored:
        """A section that has come along, as it is at hand from now on."""
        section_id = document["_id"]
        stored = self._loaded.get(section_id) or self._shelf.get(section_id)
        if stored is None:
            stored, size = section_from(document["_source"])
            self._shelf.put(section_id, stored, size)
        self._loaded[section_id] = stored
        return stored

    def _ask(self, bodies: list[dict[str, Any]]) -> list[dict[str, Any]]:
        self._begin_proof()
        try:
            answers = self._cluster.search(self._state.index, bodies, self._near)
        except StateMoved as error:
            raise self._failure(str(error)) from error
        expected = self._state.sections + self._state.markers
        for documents in map(questions.documents_in, answers):
            self._expect(documents in {None, expected}, "it has other sections")
        return answers

    def _failure(self, words: str) -> StateMoved | Incomplete:
        """What cannot be gone on with: strictly another state is tried, and then none."""
        return StateMoved(words, self._state.marker) if self._is_strict else Incomplete(words)

    def _expect(self, is_so: bool, words: str) -> None:
        """Hold an answer against the state; who is strict does not go on when it is another."""
        if is_so:
            return
        if self._is_strict:
            raise StateMoved(f"{self._state.index}: {words}", self._state.marker)
        self.doubt = StateMoved.reason


def _key(query: SectionQuery) -> Any:
    """All that a list of sections depends on."""
    among = None if query.among is None else frozenset(query.among)
    told = query.limit, query.first, query.must, among, query.fields
    return tuple(query.weights.items()), told

"""A find from end to end: refresh, cache, plan, propose, score, select, report.

`Finder.find` brings the index up to date with the files and looks into the cache of answers;
`search_manual` plans the question, has the index propose sections, scores them and selects the
best; `search_and_report` puts the outcome into rows and words. Each step is one call into the
package that does it. Whose find it is, and under which trace it is kept, the library knows.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from tebiki.manuals.documents.choosing import ManualSources
from tebiki.manuals.documents.file_types import types_of
from tebiki.manuals.index.failures import Damaged
from tebiki.manuals.index.private_folders import private_folder
from tebiki.manuals.index.refresh import ManualIndex
from tebiki.manuals.index.store import index_folder, indexes_folder
from tebiki.manuals.index.turns import Turns
from tebiki.manuals.past_finds import (
    Cache,
    CacheRule,
    FindRow,
    Statistics,
    Thresholds,
    key_of,
    tune,
)
from tebiki.manuals.ranking.candidates import (
    Deadline,
    Search,
    Totals,
    files_of_sections,
    plan_query,
    propose,
    propose_by_links,
    score,
)
from tebiki.manuals.ranking.leftovers import LeftSections
from tebiki.manuals.ranking.selection import required_keys, select
from tebiki.manuals.report.answer import Found, report, scope_of
from tebiki.manuals.request import check
from tebiki.manuals.text.folding import tidy_question
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from collections.abc import Set as AbstractSet

    from tebiki.files.paths import Root
    from tebiki.manuals.index.opensearch.client import OpenSearchSettings
    from tebiki.manuals.index.opensearch.published import SharedIndexes
    from tebiki.manuals.index.refresh import Fresh, SearchedIndex
    from tebiki.manuals.index.values import Key, Postings
    from tebiki.manuals.ranking.settings import FindSettings
    from tebiki.manuals.request import FindRequest
    from tebiki.state.store import StateStore

FINDS_PER_TUNING = 50
"""The statistics are read again after this many finds: a find must not wait for them."""


FINDS_AT_ONCE = 2
"""More would not be answered sooner, and everyone else would wait longer for the processor."""

TRIES = 5
"""Of one find: an index may be damaged, and one that is far away change or be lost meanwhile."""


class Clocks(NamedTuple):
    """Time as an argument: seconds of the day, seconds that only grow, nanoseconds of the day."""

    wall: Callable[[], float]
    steady: Callable[[], float]
    wall_ns: Callable[[], int]


class FinderSettings(NamedTuple):
    """What finds depend on besides the files.

    Manuals are watched if that is wanted (`may_watch`) and the process `lasts`.
    """

    find: FindSettings
    cache: CacheRule
    index_root: str | None
    tuning: bool
    statistics_path: str | None
    min_recall: float
    may_watch: bool = True
    lasts: bool = False
    file_types: tuple[str, ...] = ("md", "json")
    opensearch: OpenSearchSettings | None = None


class Watch(NamedTuple):
    """Whoever waits for a find: may cancel it, and hears how far an index is built."""

    is_cancelled: Callable[[], bool] = lambda: False
    progress: Callable[[int, int], None] = lambda _done, _all: None


UNWATCHED = Watch()


class Finder:
    """Answers finds over the manuals below one root; safe for many threads."""

    def __init__(
        self,
        root: Root,
        settings: FinderSettings,
        clocks: Clocks,
        log: Callable[[str], None],
        store: StateStore,
    ) -> None:
        self._root = root
        self._settings = settings
        self._clocks = clocks
        self._log = log
        self._lock = threading.Lock()
        self._turns = Turns(FINDS_AT_ONCE)
        self._indexes: dict[str, SearchedIndex] = {}
        self._shared: SharedIndexes | None = None
        self._sources = ManualSources(
            root,
            clocks.steady,
            log,
            watches=settings.may_watch and settings.lasts,
            types=types_of(settings.file_types),
        )
        self._is_uncached = False
        self._cache = Cache(settings.cache, store)
        self._statistics = Statistics(settings.statistics_path, clocks.wall)
        self._until_tuning = 0
        self._tuned = settings.find

    def find(
        self, request: FindRequest, *, use_cache: bool | None = None, watch: Watch = UNWATCHED
    ) -> Found:
        """Answer a find, from the cache when the very same was answered and no file has changed.

        Raises:
            InvalidArguments: the query or the terms are not what a find takes.
            NotFound: there is no such manual.
            Forbidden: it is a symbolic link, or may not be listed.
        """
        request = check(request)
        begun = self._clocks.steady()
        latest = begun + request.time_ms / 1000
        deadline = Deadline(watch.is_cancelled, self._clocks.steady, latest)
        settings = self._tune()
        index = self.index_of(request.manual_id)
        fresh = index.refresh(deadline, watch.progress)
        for tries in range(1, TRIES + 1):
            key = self._key(request, settings, fresh, use_cache)
            try:
                # Out of time, the refresh may have missed a change; a search would report that.
                known = self._cache.get(key) if key is not None and not deadline() else None
                if known is not None and fresh.doubt() is not None:
                    known = None
                found = known or self._search(fresh, request, settings, deadline)
                break
            except Damaged as error:
                if tries == TRIES:
                    raise
                fresh = index.rebuild(error, deadline, watch.progress)
        if key is not None and known is None:
            self._cache.put(key, found)  # which keeps complete answers only
        # A find that was cut off because its client cancelled it teaches nothing.
        if found.complete or not watch.is_cancelled():
            elapsed = self._clocks.steady() - begun
            row = FindRow.of(found, settings, elapsed, cache_hit=known is not None)
            self._statistics.note(row)
        return _echo(request, found) if known is not None else found

    def _search(
        self,
        fresh: Fresh,
        request: FindRequest,
        settings: FindSettings,
        deadline: Deadline,
    ) -> Found:
        """Search when it is this find's turn; out of time, without one, to stop at once."""
        with self._turns.take(deadline):
            return search_and_report(fresh, request, settings, deadline)

    def clear_cache(self) -> None:
        """Forget the answers that were given."""
        self._cache.clear()

    def index_of(self, manual_id: str) -> SearchedIndex:
        """The index of a manual; each is opened once."""
        with self._lock:
            if manual_id not in self._indexes:
                cache = self._cache_folder()
                folder = cache and index_folder(cache, *self._root.origin_of(manual_id))
                local = ManualIndex(
                    self._root,
                    manual_id,
                    folder,
                    now_ns=self._clocks.wall_ns,
                    log=self._log,
                    source=self._sources.source_of(manual_id),
                )
                self._indexes[manual_id] = self._share(manual_id, local)
            return self._indexes[manual_id]

    def _share(self, manual_id: str, local: ManualIndex) -> SearchedIndex:
        """The index that all servers of a team share, where one is set."""
        if self._settings.opensearch is None:
            return local
        if self._shared is None:
            # With the client, which nobody else needs.
            from tebiki.manuals.index.opensearch.published import SharedIndexes

            self._shared = SharedIndexes(
                self._settings.opensearch,
                self._sources,
                self._turns,
                now_ns=self._clocks.wall_ns,
                log=self._log,
            )
        return self._shared.index_of(manual_id, local)

    def _cache_folder(self) -> str | None:
        """Where indexes are kept; None when that cannot be written, which is said once."""
        cache = self._settings.index_root
        if cache is None or self._is_uncached:
            return None
        try:
            cache = private_folder(cache)
            indexes = private_folder(indexes_folder(cache))
            if os.access(indexes, os.W_OK | os.X_OK):
                return cache
            why = "it may not be written"
        except OSError as error:
            why = error.strerror or type(error).__name__
        self._is_uncached = True
        self._log(
            f"no indexes in {cache} ({why}); they are kept in memory, and built at each start"
        )
        return None

    def _key(
        self, request: FindRequest, settings: FindSettings, fresh: Fresh, asked: bool | None
    ) -> str | None:
        """All the answer depends on; None when this find goes past the cache."""
        is_special = request.only is not None or request.include_claim_graph
        if is_special or not self._cache.is_used(asked):
            return None
        is_typed = self._settings.cache.as_typed
        question = request.query if is_typed else tidy_question(request.query)
        return key_of(request, question, settings, fresh.version)

    def _tune(self) -> FindSettings:
        """The settings, with gap diagnosis tuned by what the recent finds taught."""
        base = self._settings.find
        if not self._settings.tuning or self._settings.statistics_path is None:
            return base
        with self._lock:
            if self._until_tuning == 0:
                self._until_tuning = FINDS_PER_TUNING
                low = base.adaptive_candidate_low_base
                usual = Thresholds(low, base.adaptive_file_bias_base)
                now = tune(usual, self._statistics.recent(), self._settings.min_recall)
                self._tuned = base._replace(
                    adaptive_candidate_low_base=now.candidate_low,
                    adaptive_file_bias_base=now.file_bias,
                )
            self._until_tuning -= 1
            return self._tuned


def search_and_report(
    fresh: Fresh, request: FindRequest, settings: FindSettings, deadline: Deadline
) -> Found:
    """Search a state of a manual for a request that was checked, and report what was found."""
    found = search_manual(
        request.query,
        request.terms,
        fresh.postings,
        settings,
        max_candidates=request.max_candidates,
        deadline=deadline,
        among=None if request.only is None else scope_of(fresh, request.only),
        left=None if request.only is None else request.only.sections_in(fresh.fingerprint),
    )
    if (doubt := fresh.doubt()) is not None and found.cut is None:
        found = found._replace(cut=doubt)
    return report(request, fresh, found, settings)


def search_manual(
    question: str,
    required: tuple[str, ...],
    postings: Postings,
    settings: FindSettings,
    *,
    max_candidates: int,
    deadline: Deadline,
    among: Collection[str] | None = None,
    left: AbstractSet[Key] | None = None,
) -> Search:
    """Search a manual; past the deadline, with what has been proposed and scored until then.

    Only `among` some files, and of these only the sections that an earlier find `left` unscored.
    The deadline is checked between passes, before each scored section and each sub-question.
    """
    source = postings if left is None else LeftSections(postings, left)
    plan = plan_query(question, required, postings, settings, deadline, source=source)
    proposals = propose(plan, source, settings, among, deadline)
    if settings.manual_find_link_weight and not deadline():
        within = among if left is None else frozenset[str]()
        proposals = propose_by_links(proposals, plan, postings, within)
    scores = score(proposals, plan, postings, settings, deadline)
    selection = select(
        scores.rows, max_candidates, settings, required_keys(scores.gates), proposals.links
    )
    proposed, looked_at = proposals.stored, scores.looked_at
    rest = proposed[len(looked_at) :]
    rests_on_g0 = not any(gate.terms and gate.rows for gate in scores.gates)
    cut = "time_budget" if deadline.has_passed else None
    if cut is None and len(proposed) > settings.manual_find_scan_hard_cap:
        cut = "candidate_cap"
    return Search(
        plan=plan.full,
        terms=plan.terms,
        applied=plan.applied,
        gates=scores.gates,
        sub_answers=scores.sub_answers,
        ranked=scores.rows,
        selection=selection,
        totals=Totals.of(plan.terms, plan.applied, postings),
        rests_on_g0=rests_on_g0,
        is_relaxed=rests_on_g0 and proposals.holding == 0,
        cut=cut,
        proposed=files_of_sections(proposed),
        scored=files_of_sections(looked_at) - files_of_sections(rest),
        left=frozenset(stored.key for stored in rest),
    )


def _echo(request: FindRequest, found: Found) -> Found:
    """A known answer as this request would have it: it echoes what was asked in these words."""
    asked = {
        "requested_expand_scope": request.expand_scope,
        "requested_required_terms": list(request.required_terms),
    }
    steps = [
        {**step, "params": {**step["params"], "query": request.query}}
        if "query" in step["params"]
        else step
        for step in found.next_actions
    ]
    return found._replace(applied={**found.applied, **asked}, next_actions=steps)

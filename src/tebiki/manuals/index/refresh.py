"""Keeps the index of a manual fresh: what changed on disk is indexed before a question is asked.

Every find asks the source what there is now; only changed files are read. Shared by threads and
processes: whoever builds holds the writer's lock, and everyone else reads the last commit.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from tebiki.manuals.documents.folders import Skipped
from tebiki.manuals.documents.kinds import tally
from tebiki.manuals.documents.sources import UNKNOWN, WalkedManual
from tebiki.manuals.index.batch import Batch
from tebiki.manuals.index.building import Pace, preparing, read_files
from tebiki.manuals.index.comparing import Comparing, find_unreached
from tebiki.manuals.index.detached_work import DetachedWork
from tebiki.manuals.index.failures import FAILURES
from tebiki.manuals.index.memory_store import MemoryStore
from tebiki.manuals.index.small_files import Broken, Missing
from tebiki.manuals.index.store import FolderStore, IndexOrigin
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

    from tebiki.files.paths import Root
    from tebiki.manuals.documents.folders import Unsupported
    from tebiki.manuals.documents.sources import ManualSource
    from tebiki.manuals.documents.walking import FileStat, Walk
    from tebiki.manuals.index.protocols import State, Store
    from tebiki.manuals.index.values import Postings


def _no_doubt() -> None:
    """What is read from files that are at hand is what it says to be."""


class Fresh(NamedTuple):
    """A state to search, and the files it does not hold: left out for good, or out of time.

    `unsupported` are those that search does not take, and `kinds` says how many of which kind;
    `left_out` is a digest of all that is left out for good. `doubt` tells, once all was asked for,
    why the answers may not be of the newest state.
    """

    postings: Postings
    files: int
    sections: int
    skipped: tuple[Skipped, ...]
    unreached: tuple[str, ...]
    paths: AbstractSet[str]
    fingerprint: str
    unsupported: tuple[Skipped, ...] = ()
    kinds: Mapping[str, int] = MappingProxyType({})
    left_out: str = ""
    doubt: Callable[[], str | None] = _no_doubt

    @property
    def version(self) -> str:
        """All that an answer depends on: every file's text, and which have none and why."""
        return f"{self.fingerprint}\n{self.left_out}"


class SearchedIndex(Protocol):
    """The index of a manual, wherever that is kept, for whoever searches it."""

    def refresh(
        self, stop: Callable[[], bool], progress: Callable[[int, int], None] = ...
    ) -> Fresh:
        """Bring the index up to date as far as `stop` allows, and give its state."""

    def rebuild(
        self,
        error: Exception,
        stop: Callable[[], bool],
        progress: Callable[[int, int], None] = ...,
    ) -> Fresh:
        """Another state, after a search met one that cannot be used."""


class _Refresh(NamedTuple):
    """One call: what it found on disk, when it must end, and whom it tells how far it is."""

    walk: Walk
    stop: Callable[[], bool]
    progress: Callable[[int, int], None]

    def check(self) -> None:
        """Go on, or not.

        Raises:
            _OutOfTime: the caller does not wait any longer.
        """
        if self.stop():
            raise _OutOfTime


class _OutOfTime(Exception):
    """There is no time for the rest. Never leaves this module."""


class _Rest(NamedTuple):
    """What search does not take: by folder, all of it, how much of which kind, and a digest."""

    folders: Mapping[str, Unsupported]
    files: tuple[Skipped, ...]
    kinds: Mapping[str, int]
    digest: str


def _rest_of(folders: Mapping[str, Unsupported]) -> _Rest:
    by_path = [left for _, left in sorted(folders.items())]
    files = tuple(one for folder in by_path for one in folder.files)
    kinds = tally(folder.kinds for folder in by_path)
    return _Rest(folders, files, kinds, _digest([one.path for one in files]))


def _digest(lines: list[str]) -> str:
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=16).hexdigest()


def fresh_of(walk: Walk, state: State) -> Fresh:
    """A state that holds all of a whole walk, as a search needs it."""
    return _fresh_of(walk, state, _rest_of(walk.unsupported))


def _fresh_of(
    walk: Walk,
    state: State,
    rest: _Rest,
    unreached: tuple[str, ...] = (),
    unread: tuple[Skipped, ...] = (),
) -> Fresh:
    manifest = state.manifest
    unread += tuple(
        Skipped(path, reason) for path, reason in manifest.unread.items() if path in walk.files
    )
    paths = walk.files.keys() if walk.is_whole else walk.files.keys() | manifest.files.keys()
    skipped = walk.skipped + unread
    return Fresh(
        state.postings,
        len(paths) - len({*unreached, *(one.path for one in unread)}),
        state.postings.sections,
        skipped,
        unreached,
        paths,
        manifest.fingerprint(),
        rest.files,
        rest.kinds,
        _digest([rest.digest, *(f"{one.path}\0{one.reason}" for one in skipped)]),
    )


class ManualIndex:
    """The index of one manual; without a folder that can be written it lives in memory."""

    def __init__(
        self,
        root: Root,
        manual_id: str,
        folder: str | None,
        *,
        now_ns: Callable[[], int],
        log: Callable[[str], None],
        source: ManualSource | None = None,
    ) -> None:
        self._root = root
        self._manual_id = manual_id
        self._now_ns = now_ns
        self._log = log
        self._said: set[str] = set()
        self._source = source or WalkedManual(root, manual_id)
        self._comparing = Comparing(self._source)
        self._last_walk: Walk | None = None
        self._last_fresh: tuple[Walk, State, Fresh] | None = None
        self._rest = _rest_of({})
        self._lock = threading.Lock()
        self._store: Store = self._first_store(folder)

    def refresh(
        self,
        stop: Callable[[], bool],
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> Fresh:
        """Bring the index up to date as far as `stop` allows, and give its state.

        Raises:
            NotFound: there is no such manual.
            Forbidden: it is a link, or may not be listed.
        """
        refresh = _Refresh(self._walk(stop), stop, progress)
        store = self._store
        try:
            return self._up_to_date(store, refresh)
        except (Broken, *FAILURES) as error:
            return self._begin_anew(store, refresh, error)

    def rebuild(
        self,
        error: Exception,
        stop: Callable[[], bool],
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> Fresh:
        """Build anew after a search met files that cannot be used.

        Raises:
            NotFound: there is no such manual.
            Forbidden: it is a link, or may not be listed.
        """
        store = self._store
        self._say(f"broken ({_words(error)}); building anew")
        try:
            with store.hold(stop) as is_held, self._lock:
                if is_held:
                    store.wipe()
        except (Broken, *FAILURES) as second:
            self._use_memory(store, second)
        return self.refresh(stop, progress)

    def _walk(self, stop: Callable[[], bool]) -> Walk:
        """What there is now; the last one where that is known to be so still."""
        last = self._last_walk
        if last is not None and last.head != UNKNOWN and self._source.head(stop) == last.head:
            return last
        walk = self._source.walk(stop)
        if walk.is_whole:
            self._last_walk = walk
        return walk

    def _up_to_date(self, store: Store, refresh: _Refresh) -> Fresh:
        state = self._state(store)
        if not refresh.walk.is_whole:
            return self._as_fresh(refresh.walk, state, find_unreached(refresh.walk, state))
        found = self._comparing.differences(refresh.walk, state.manifest)
        if not found.stale and not found.gone:
            self._comparing.agree(refresh.walk, state.manifest)
            if not state.is_sealed:
                self._seal(store)
            return self._as_fresh(refresh.walk, state)
        is_done = False
        with contextlib.ExitStack() as holding:
            if holding.enter_context(store.hold(refresh.stop)):
                if (latest := self._state(store)) is not state:
                    found = self._comparing.differences(refresh.walk, latest.manifest)
                batch = Batch(store, latest, refresh.walk.files)
                try:
                    batch.remove_all(found.gone)
                    is_done = self._change(found.stale, batch, refresh, holding)
                except FAILURES as error:
                    batch.abandon()
                    return self._answer_from_last_state(store, refresh.walk, error)
                if is_done:
                    # What was read may have changed again, or be unsettled.
                    self._comparing.agree(refresh.walk, batch.manifest, found.paths())
        state = self._state(store)
        unreached = () if is_done else find_unreached(refresh.walk, state)
        return self._as_fresh(refresh.walk, state, unreached)

    def _change(
        self,
        stale: list[FileStat],
        batch: Batch,
        refresh: _Refresh,
        holding: contextlib.ExitStack,
    ) -> bool:
        """Index what changed; commits when all is done, and now and then on the way.

        Tells whether all of it could be done in time.
        """
        commit: DetachedWork | None = None
        is_done = False
        with contextlib.suppress(_OutOfTime), preparing(stale) as prepare:
            pace = Pace(refresh.check, refresh.progress, self._now_ns)
            files = read_files(self._source, stale, batch, pace)
            for read, prepared in prepare(files, refresh.check):
                batch.put(read, prepared)
                if batch.is_large:
                    commit = DetachedWork(batch.commit, self._lost)
                    if not commit.wait(refresh.stop):
                        break
            else:
                refresh.progress(len(stale), len(stale))
                is_done = True
        if batch.is_small:
            batch.commit()
        # What takes longer than this caller may wait, such as a merge, goes on for the next one.
        kept = holding.pop_all()

        def finish() -> None:
            with kept:
                if commit is not None:
                    commit.wait()
                batch.finish()

        is_ended = DetachedWork(finish, self._lost).wait(refresh.stop)
        return is_done and (is_ended or batch.is_committed)

    def _answer_from_last_state(self, store: Store, walk: Walk, error: Exception) -> Fresh:
        """Answer from the last commit when there is no place for another one."""
        state = self._state(store)
        if not state.manifest.files:
            raise error
        self._say(f"cannot be changed ({_words(error)}); answering from its last state")
        unread = tuple(Skipped(path, "not_indexed") for path in find_unreached(walk, state))
        return self._as_fresh(walk, state, unread=unread)

    def _begin_anew(self, store: Store, refresh: _Refresh, error: Exception) -> Fresh:
        """Build again in the same place, and if even that fails, in memory."""
        try:
            with store.hold(refresh.stop) as is_held:
                if is_held:
                    self._wipe_if_broken(store, error)
            return self._up_to_date(store, refresh)
        except (Broken, *FAILURES) as second:
            self._use_memory(store, second)
            return self._up_to_date(self._store, refresh)

    def _use_memory(self, store: Store, error: Exception) -> None:
        """Give up a store that cannot even be begun anew."""
        self._say(f"cannot be kept ({_words(error)}); using memory")
        with self._lock:
            if self._store is store:
                self._store = MemoryStore()

    def _wipe_if_broken(self, store: Store, error: Exception) -> None:
        try:
            self._state(store)
        except (Broken, *FAILURES):
            if not isinstance(error, Missing):
                self._say(f"broken ({_words(error)}); building anew")
            with self._lock:
                store.wipe()

    def _first_store(self, folder: str | None) -> Store:
        if folder is None:
            return MemoryStore()
        try:
            return FolderStore(folder, IndexOrigin(*self._root.origin_of(self._manual_id)))
        except OSError as error:
            self._say(f"no cache ({_words(error)}); using memory")
            return MemoryStore()

    def _state(self, store: Store) -> State:
        with self._lock:
            return store.state()

    def _seal(self, store: Store) -> None:
        """Say the last word for a writer that died before it could."""
        with contextlib.suppress(*FAILURES), store.hold(lambda: True) as is_held:
            if is_held and not (state := self._state(store)).is_sealed:
                store.save(state.manifest)
                store.seal(state.manifest.state)

    def _as_fresh(
        self,
        walk: Walk,
        state: State,
        unreached: tuple[str, ...] = (),
        unread: tuple[Skipped, ...] = (),
    ) -> Fresh:
        """A state as a search needs it; the last one where nothing has changed."""
        last = self._last_fresh
        if last and last[0] is walk and last[1] is state and not unreached and not unread:
            return last[2]
        if self._rest.folders is not walk.unsupported:
            self._rest = _rest_of(walk.unsupported)
        fresh = _fresh_of(walk, state, self._rest, unreached, unread)
        if walk.is_whole and not unreached:
            self._last_fresh = walk, state, fresh
        return fresh

    def _lost(self, error: BaseException) -> None:
        self._say(f"a commit failed ({_words(error)})")

    def _say(self, words: str) -> None:
        """Log something once."""
        if words not in self._said:
            self._said.add(words)
            self._log(f"index of {self._manual_id}: {words}")


def _words(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__

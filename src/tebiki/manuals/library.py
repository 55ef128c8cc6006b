"""The manuals' front door: what there is, what a passage says, what is found, and its rows.

Every path goes through the gate of `files.paths`; nothing is ever written below the root. Argument
types are checked by the caller; bounds and meaning are checked where they belong. Reading and
contents are imported with their first call: the first find of a process must not wait for them.
"""

from __future__ import annotations

import threading
from types import MappingProxyType
from typing import TYPE_CHECKING

from tebiki.errors import InvalidArguments
from tebiki.files.paths import Root
from tebiki.files.patience import ENDLESS
from tebiki.manuals import listing
from tebiki.manuals.client_memory import (
    Amnesia,
    ClientMemory,
    FindAnswer,
    Hits,
    Trace,
    TraceRule,
    page_of,
)
from tebiki.manuals.documents.file_types import types_of
from tebiki.manuals.find import UNWATCHED, Clocks, Finder, FinderSettings, Watch
from tebiki.manuals.limits import MOST_INLINE
from tebiki.manuals.request import check
from tebiki.named_tuples import NamedTuple
from tebiki.state.memory import MemoryStateStore
from tebiki.state.store import EVERYBODY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from tebiki.files.patience import Patience
    from tebiki.files.reading import Cursor, Texts
    from tebiki.manuals import browsing, contents, reading
    from tebiki.manuals.documents.sources import ManualSource, WatchState
    from tebiki.manuals.index.kept_indexes import KeptIndex
    from tebiki.manuals.index.opensearch.client import OpenSearchSettings
    from tebiki.manuals.index.refresh import Fresh
    from tebiki.manuals.request import FindRequest, Leftover
    from tebiki.manuals.why_not import Fate
    from tebiki.state.store import StateStore


class LibrarySettings(NamedTuple):
    """What answers depend on besides the files."""

    allow_file_scope: bool
    traces: TraceRule
    finder: FinderSettings


class Library:
    """Manuals below a root, and folders that are `named`, as one client sees them."""

    def __init__(
        self,
        root: str | PathLike[str],
        settings: LibrarySettings,
        clocks: Clocks,
        new_id: Callable[[], str],
        *,
        log: Callable[[str], None],
        store: StateStore | None = None,
        named: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._settings = settings
        self._clock = clocks.steady
        self._log = log
        self._owner = EVERYBODY
        self._root = _root_of(root, named)
        self._types = types_of(settings.finder.file_types)
        self._texts = _Texts(self._root, clocks.wall)
        store = store or MemoryStateStore(clocks.wall)
        self._memory = ClientMemory(settings.traces, store, new_id)
        self._finder = Finder(self._root, settings.finder, clocks, log, store)
        self._amnesia = Amnesia(settings.finder.index_root, self._forget)

    def for_client(self, owner: str) -> Library:
        """The same library as another client sees it, who knows nothing of what this one did."""
        if owner == self._owner:
            return self
        from copy import copy  # not where there is one client

        other = copy(self)
        other._owner = owner
        other._memory = self._memory.of(owner)
        return other

    def ls(self, identifier: str | None = None) -> listing.Listing:
        """List the manuals, or what is directly below an id.

        Raises:
            TebikiError: the id names no manual or folder.
        """
        listed = listing.ls(self._root, identifier, self._types)
        self._memory.note_listing()
        return listed

    def toc(
        self,
        manual_id: str,
        path_prefix: str | None = None,
        *,
        depth: str | None = None,
        max_files: int | None = None,
        max_headings: int | None = None,
        offset: int | None = None,
        patience: Patience = ENDLESS,
    ) -> contents.Contents:
        """List a manual's files, a page of them, with their headings when depth is deep.

        Raises:
            NeedsNarrowScope: there are more files than one table shows.
            TebikiError: there is no such manual, or a bound is broken.
        """
        from tebiki.manuals import contents  # see above

        scope = contents.scope_of(
            self._resolve(manual_id),
            path_prefix,
            depth=depth,
            max_files=max_files,
            max_headings=max_headings,
            offset=offset,
        )
        return contents.toc(self._root, scope, patience, self._types)

    def find(
        self,
        request: FindRequest,
        *,
        unscanned_from: str | None = None,
        use_cache: bool | None = None,
        inline_limit: int | None = None,
        watch: Watch = UNWATCHED,
    ) -> FindAnswer:
        """Search a manual; `unscanned_from` narrows it to what an earlier find left unscanned.

        Raises:
            NotFound: there is no such manual or trace.
            InvalidArguments: a bound is broken, or the trace is of another manual.
        """
        if inline_limit is not None and inline_limit < 1:
            raise InvalidArguments(f"inline_hits.limit is {inline_limit}; it must be at least 1.")
        self._amnesia.obey()
        manual_id = self._resolve(request.manual_id)
        request = request._replace(manual_id=manual_id)
        if unscanned_from is not None:
            request = request._replace(only=self._left(unscanned_from, manual_id))
        found = self._finder.find(request, use_cache=use_cache, watch=watch)
        trace_id = self._memory.keep(Trace(manual_id, found.lists, found.left))
        shown = MOST_INLINE if inline_limit is None else inline_limit
        return FindAnswer(trace_id, manual_id, found, shown)

    def why_not(self, request: FindRequest, path: str, line: int | None = None) -> Fate:
        """Tell how far a section came in a find, and what kept it back.

        Raises:
            NotFound: there is no such manual or file.
            InvalidArguments: the request or the line is wrong.
        """
        from tebiki.manuals import reading, why_not  # see above

        request = check(request._replace(manual_id=self._resolve(request.manual_id)))
        parts = reading.path_in(request.manual_id, path, self._types).parts[1:]
        index = self._finder.index_of(request.manual_id)
        settings = self._settings.finder.find
        path = "/".join(parts)
        return why_not.explain(self._root, index, request, settings, path=path, line=line)

    def index(self, manual_id: str, watch: Watch = UNWATCHED) -> Fresh:
        """Bring the index of a manual up to date, and tell its state.

        Raises:
            NotFound: there is no such manual.
        """
        index = self._finder.index_of(self._resolve(manual_id))
        return index.refresh(watch.is_cancelled, watch.progress)

    def watching(self, manual_id: str) -> WatchState:
        """Tell whether a server is told of edits in a manual, or has to look at every file.

        Raises:
            NotFound: there is no such manual.
        """
        from tebiki.manuals.documents.choosing import try_watching  # for people, who have the time
        from tebiki.manuals.documents.sources import WatchState

        manual_id = self._resolve(manual_id)
        if not self._settings.finder.may_watch:
            return WatchState(is_on=False, reason="manuals.watch is off")
        return try_watching(self._root, manual_id, self._clock)

    @property
    def opensearch(self) -> OpenSearchSettings | None:
        """Where the manuals are published; None where every server searches its own files."""
        return self._settings.finder.opensearch

    def source_of(self, above: str, name: str) -> ManualSource:
        """A folder anywhere, read as a manual is."""
        from tebiki.manuals.documents.choosing import ManualSources  # for people who publish

        types = types_of(self._settings.finder.file_types)
        sources = ManualSources(Root(above), self._clock, self._log, watches=False, types=types)
        return sources.walked(name)

    @property
    def root(self) -> str:
        """The folder below which the manuals are."""
        return self._root.path

    def origin_of(self, manual_id: str) -> tuple[str, str]:
        """The folder above a manual, and its name there; there may be none yet."""
        return self._root.origin_of(manual_id)

    def named_manuals(self) -> list[str]:
        """The manuals that lie elsewhere than below the root."""
        ids = listing.manual_ids(self._root)
        return [one for one in ids if self._root.origin_of(one)[0] != self.root]

    def loose_files(self) -> int:
        """How many files that could be searched lie in the root itself, and so in no manual."""
        return listing.loose_files(self._root, self._types)

    def kept_indexes(self) -> list[KeptIndex]:
        """List the indexes on disk, those of other roots too; none where they are in memory."""
        from tebiki.manuals.index.kept_indexes import kept_indexes  # for people, who have the time

        cache = self._settings.finder.index_root
        origins = map(self._root.origin_of, listing.manual_ids(self._root))
        return [] if cache is None else kept_indexes(cache, origins)

    def read(
        self,
        ref: reading.Ref,
        wanted: reading.Wanted | None = None,
        *,
        patience: Patience = ENDLESS,
    ) -> reading.Passage:
        """Read the section, snippet or file around a place.

        Raises:
            InvalidScope: the file has no sections.
            TebikiError: there is no such place, or it may not be read like that.
        """
        from tebiki.manuals import reading  # see above

        known = ref._replace(manual_id=self._resolve(ref.manual_id))
        return reading.read(
            self._texts.open(),
            known,
            wanted or reading.Wanted(),
            self._memory,
            allows_files=self._settings.allow_file_scope,
            patience=patience,
            types=self._types,
        )

    def browser(self) -> browsing.Browser:
        """The folders and texts, for whoever names them without having listed anything."""
        from tebiki.manuals.browsing import Browser  # see above

        return Browser(self._root, self._texts.open(), self._types)

    def scan(
        self,
        manual_id: str,
        path: str,
        start_line: int | None = None,
        cursor: Cursor | None = None,
        *,
        patience: Patience = ENDLESS,
    ) -> reading.ScanPart:
        """Read a page of a file from a line or a cursor on.

        Raises:
            TebikiError: there is no such file, line or offset.
        """
        from tebiki.files.reading import Cursor  # see above
        from tebiki.manuals import reading

        where = cursor or Cursor()
        known = self._resolve(manual_id)
        texts = self._texts.open()
        return reading.scan(
            texts, known, path, start_line, where, patience=patience, types=self._types
        )

    def hits(
        self,
        trace_id: str,
        kind: str | None = None,
        *,
        offset: int | None = None,
        limit: int | None = None,
    ) -> Hits:
        """Take a page of the rows of a find.

        Raises:
            NotFound: there is no such trace, or not any more.
            InvalidArguments: there is no such kind, or a bound is broken.
        """
        self._amnesia.obey()
        trace = self._memory.find(trace_id)
        return page_of(trace_id, trace, kind, offset=offset, limit=limit)

    def _forget(self) -> None:
        """Drop what earlier finds left: there is text in it."""
        self._memory.forget_traces()
        self._finder.clear_cache()

    def _left(self, trace_id: str, manual_id: str) -> Leftover:
        """The files that an earlier find in the same manual could not search."""
        trace = self._memory.find(trace_id)
        if trace.manual_id != manual_id:
            raise InvalidArguments(
                f"only_unscanned_from_trace_id is of a find in {trace.manual_id!r}; "
                f"ask for the same manual.",
                details={"manual_id": trace.manual_id},
            )
        return trace.left

    def _resolve(self, manual_id: str) -> str:
        self._memory.require_listing()
        return listing.resolve_manual(self._root, manual_id)


def _root_of(root: str | PathLike[str], named: Mapping[str, str]) -> Root:
    if not named:
        return Root(root)
    from tebiki.files.joined import JoinedRoot  # only for those who have several folders

    return JoinedRoot(root, named)


class _Texts:
    """The texts that every connection reads from, opened with the first reading."""

    __slots__ = ("_clock", "_lock", "_opened", "_root")

    def __init__(self, root: Root, clock: Callable[[], float]) -> None:
        self._root = root
        self._clock = clock
        self._lock = threading.Lock()
        self._opened: Texts | None = None

    def open(self) -> Texts:
        """The same each time, whichever thread asks."""
        from tebiki.files.reading import Texts  # see above

        with self._lock:
            if self._opened is None:
                self._opened = Texts(self._root, self._clock)
            return self._opened

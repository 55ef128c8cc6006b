"""What is kept for a client between its calls: what it found, whether it listed, where it read.

Finds are kept for a while under an id that nobody can guess, and their rows given page by page. The
store and the source of ids are arguments. Not here: how rows come to be.
"""

from __future__ import annotations

import contextlib
import math
import os
from typing import TYPE_CHECKING, Any

from tebiki.errors import InvalidArguments, NotFound
from tebiki.manuals.limits import DEFAULT_HITS, KINDS, MOST_INLINE
from tebiki.manuals.report.rows import Rows
from tebiki.manuals.request import NOTHING, Leftover
from tebiki.named_tuples import NamedTuple
from tebiki.state.store import EVERYBODY, Shelf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tebiki.manuals.report.answer import Found
    from tebiki.state.store import StateStore

LISTED: Shelf[bool] = Shelf("discovery", most=500, seconds=math.inf)
"""One flag for each client: ten thousand clients, and whoever is forgotten lists once more."""


class Mark(NamedTuple):
    """A section of a file as it was: an edit before or inside it makes it another one."""

    manual_id: str
    path: str
    start: int
    stop: int
    chars: int


Read = tuple[Mark, int]
"""A section, with the offset at which reading it ended."""


def _read_before(packed: Any) -> Read:
    mark, end = packed
    return Mark(*mark), end


BOOKMARKS: Shelf[Read] = Shelf("bookmarks", most=500, seconds=math.inf, unpack=_read_before)
"""One for each client; whoever is forgotten gets the section from its start again."""


class Trace(NamedTuple):
    """The rows of one find by kind, each in its full form, their manual, and what was left."""

    manual_id: str
    rows: Mapping[str, Sequence[Mapping[str, Any]]]
    left: Leftover = NOTHING


class TraceRule(NamedTuple):
    """How many traces are kept, and for how long."""

    max_keep: int
    ttl_seconds: float


class ClientMemory:
    """What one client has listed, read last and found; nobody sees another's."""

    __slots__ = ("_new_id", "_owner", "_store", "_traces")

    def __init__(self, rule: TraceRule, store: StateStore, new_id: Callable[[], str]) -> None:
        self._traces = Shelf("traces", rule.max_keep, rule.ttl_seconds, pack=_pack, unpack=_unpack)
        self._store = store
        self._new_id = new_id
        self._owner = EVERYBODY

    def of(self, owner: str) -> ClientMemory:
        """That of another client, under the same rule."""
        from copy import copy  # not where there is one client

        other = copy(self)
        other._owner = owner
        return other

    def note_listing(self) -> None:
        """Remember that a listing was given."""
        self._store.put(LISTED, self._owner, "listed", True)

    def require_listing(self) -> None:
        """Let only those pass who have seen a listing.

        Raises:
            InvalidArguments: this client has not.
        """
        if self._store.get(LISTED, self._owner, "listed") is None:
            raise InvalidArguments("The manuals were not listed yet.", remedy="list_first")

    @property
    def last_read(self) -> Read | None:
        """The section that was read last, if any was."""
        return self._store.get(BOOKMARKS, self._owner, "last")

    @last_read.setter
    def last_read(self, read: Read) -> None:
        self._store.put(BOOKMARKS, self._owner, "last", read)

    def keep(self, trace: Trace) -> str:
        """Keep a trace, and give the id by which it can be asked for."""
        identifier = self._new_id()
        while not self._store.add(self._traces, self._owner, identifier, trace):
            identifier = self._new_id()
        return identifier

    def find(self, trace_id: str) -> Trace:
        """Give a trace that is still kept; asking does not make it last longer.

        Raises:
            NotFound: there is none of that id, or not any more.
        """
        kept = self._store.get(self._traces, self._owner, trace_id)
        if kept is None:
            raise NotFound(
                "There is no such trace, or not any more; search again for a new one.",
                details={"trace_id": trace_id},
                remedy="search",
            )
        return kept

    def forget_traces(self) -> None:
        """Forget the traces of every client."""
        self._store.clear(self._traces.name)


def _pack(trace: Trace) -> Any:
    rows = {kind: list(rows) for kind, rows in trace.rows.items()}
    return [trace.manual_id, rows, trace.left.to_json()]


def _unpack(packed: Any) -> Trace:
    manual_id, rows, left = packed
    return Trace(manual_id, rows, Leftover.from_json(left))


RANKED = frozenset(["candidates", "integrated_top"])
"""Kinds whose rows point at sections: a page of them may be of one manual alone."""


class Hits(NamedTuple):
    """A page of the rows of one kind."""

    trace_id: str
    kind: str
    offset: int
    limit: int
    total: int
    rows: tuple[Mapping[str, Any], ...]
    manual_id: str | None


class FindAnswer(NamedTuple):
    """What was found, under the trace by which more of it can be asked for."""

    trace_id: str
    manual_id: str
    found: Found
    inline_limit: int = MOST_INLINE

    def first_hits(self, limit: int) -> Hits:
        """The best of what was found, as far as their short form goes."""
        trace = Trace(self.manual_id, self.found.lists)
        return page_of(self.trace_id, trace, "integrated_top", limit=limit, only_short=True)


def page_of(
    trace_id: str,
    trace: Trace,
    kind: str | None = None,
    *,
    offset: int | None = None,
    limit: int | None = None,
    only_short: bool = False,
) -> Hits:
    """Take a page of a trace's rows; past the end it is empty.

    `only_short` gives rows of which only the short form will be shown.

    Raises:
        InvalidArguments: there is no such kind, or a bound is broken.
    """
    kind = KINDS[0] if kind is None else kind
    if kind not in KINDS:
        raise InvalidArguments(f"kind is {kind!r}; it must be one of {', '.join(KINDS)}.")
    start = _at_least("offset", offset or 0, 0)
    most = _at_least("limit", DEFAULT_HITS if limit is None else limit, 1)
    rows = trace.rows.get(kind, ())
    place = slice(start, start + most)
    page = tuple(rows.heads(place) if only_short and isinstance(rows, Rows) else rows[place])
    shared = _shared_manual(trace.manual_id, page) if kind in RANKED else None
    return Hits(trace_id, kind, start, most, len(rows), page, shared)


def _at_least(name: str, value: int, least: int) -> int:
    if value < least:
        raise InvalidArguments(f"{name} is {value}; it must be at least {least}.")
    return value


def _shared_manual(manual_id: str, page: Iterable[Mapping[str, Any]]) -> str | None:
    """The manual of a trace, if every row of a page is of it."""
    ids = {row["ref"].get("manual_id", manual_id) for row in page}
    return manual_id if ids <= {manual_id} else None


STAMP = "forgotten"
_FLAGS = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def tell_servers(indexes: str) -> None:
    """Have every server that uses these indexes forget what it found."""
    with contextlib.suppress(FileNotFoundError):
        descriptor = os.open(os.path.join(indexes, STAMP), _FLAGS | os.O_TRUNC, 0o600)
        try:
            os.write(descriptor, os.urandom(8).hex().encode())
        finally:
            os.close(descriptor)


class Amnesia:
    """Calls `forget` once for each word that was said since it was made."""

    __slots__ = ("_forget", "_path", "_seen")

    def __init__(self, indexes: str | None, forget: Callable[[], None]) -> None:
        self._path = None if indexes is None else os.path.join(indexes, STAMP)
        self._forget = forget
        self._seen = self._look()

    def obey(self) -> None:
        """Forget, if that was asked for."""
        look = self._look()
        if look != self._seen:
            self._seen = look
            self._forget()

    def _look(self) -> tuple[int, int, int] | None:
        if self._path is None:
            return None
        try:
            status = os.lstat(self._path)
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_ctime_ns

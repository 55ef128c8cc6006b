"""The answer to a find as its caller gets it, and its rows page by page.

Not here: how rows come to be, and how long they are kept (`traces`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.errors import InvalidArguments
from tebiki.manuals.limits import DEFAULT_HITS, KINDS, MOST_INLINE
from tebiki.manuals.memory.traces import Trace
from tebiki.manuals.report.lazy_rows import Rows
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tebiki.manuals.report.answer import Found

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
        return hits(self.trace_id, trace, "integrated_top", limit=limit, only_short=True)


def hits(
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

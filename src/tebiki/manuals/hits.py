"""The rows of a find, page by page: short as the model reads them, or whole.

Not here: how rows come to be, and how long they are kept (`traces`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.errors import InvalidArguments
from tebiki.manuals.limits import DEFAULT_HITS, KINDS
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tebiki.manuals.memory.traces import Trace

RANKED = frozenset(["candidates", "integrated_top"])
"""Kinds whose rows point at sections; their short form says the manual only once."""

REF_KEYS = ("manual_id", "path", "start_line")
ROW_KEYS = {
    "candidates": ("score", "matched_tokens"),
    "integrated_top": ("title", "score", "matched_tokens"),
}


class Hits(NamedTuple):
    """A page of the rows of one kind."""

    trace_id: str
    kind: str
    offset: int
    limit: int
    total: int
    rows: tuple[Mapping[str, Any], ...]
    manual_id: str | None

    def as_json(self) -> dict[str, Any]:
        """Give every row whole."""
        return self._shown([dict(row) for row in self.rows])

    def compact(self) -> dict[str, Any]:
        """Give the rows as short as a model can use them."""
        if self.kind not in RANKED:
            return self.as_json()
        shown = self._shown([_short(self.kind, row, self.manual_id) for row in self.rows])
        if self.manual_id is None:
            return shown
        return {"trace_id": self.trace_id, "manual_id": self.manual_id, **shown}

    def _shown(self, items: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "trace_id": self.trace_id,
            "kind": self.kind,
            "offset": self.offset,
            "limit": self.limit,
            "total": self.total,
            "items": items,
        }


def hits(
    trace_id: str,
    trace: Trace,
    kind: str | None = None,
    *,
    offset: int | None = None,
    limit: int | None = None,
) -> Hits:
    """Take a page of a trace's rows; past the end it is empty.

    Raises:
        InvalidArguments: there is no such kind, or a bound is broken.
    """
    kind = KINDS[0] if kind is None else kind
    if kind not in KINDS:
        raise InvalidArguments(f"kind is {kind!r}; it must be one of {', '.join(KINDS)}.")
    start = _at_least("offset", offset or 0, 0)
    most = _at_least("limit", DEFAULT_HITS if limit is None else limit, 1)
    rows = trace.rows.get(kind, ())
    page = tuple(rows[start : start + most])
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


def _short(kind: str, row: Mapping[str, Any], shared: str | None) -> dict[str, Any]:
    ref = {
        key: row["ref"][key]
        for key in REF_KEYS
        if key in row["ref"] and not (key == "manual_id" and shared is not None)
    }
    return {"ref": ref, **{key: row[key] for key in ROW_KEYS[kind] if key in row}}

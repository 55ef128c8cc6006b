"""What each find found, kept for a while under an id that nobody can guess.

The store and the source of ids are arguments. Not here: what the rows mean (`hits`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.errors import NotFound
from tebiki.manuals.request import NOTHING, Leftover
from tebiki.named_tuples import NamedTuple
from tebiki.state.store import EVERYBODY, Shelf

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tebiki.state.store import StateStore


class Trace(NamedTuple):
    """The rows of one find by kind, each in its full form, their manual, and what was left."""

    manual_id: str
    rows: Mapping[str, Sequence[Mapping[str, Any]]]
    left: Leftover = NOTHING


class TraceRule(NamedTuple):
    """How many traces are kept, and for how long."""

    max_keep: int
    ttl_seconds: float


class Traces:
    """The newest traces of one client; reading one does not make it last longer."""

    __slots__ = ("_new_id", "_owner", "_shelf", "_store")

    def __init__(
        self,
        rule: TraceRule,
        store: StateStore,
        new_id: Callable[[], str],
        owner: str = EVERYBODY,
    ) -> None:
        self._shelf = Shelf("traces", rule.max_keep, rule.ttl_seconds, pack=_pack, unpack=_unpack)
        self._store = store
        self._new_id = new_id
        self._owner = owner

    def of(self, owner: str) -> Traces:
        """The traces of another client, under the same rule; neither sees the other's."""
        from copy import copy  # not where there is one client

        other = copy(self)
        other._owner = owner
        return other

    def clear(self) -> None:
        """Forget the traces of every client."""
        self._store.clear(self._shelf.name)

    def keep(self, trace: Trace) -> str:
        """Keep a trace, and give the id by which it can be asked for."""
        identifier = self._new_id()
        while not self._store.add(self._shelf, self._owner, identifier, trace):
            identifier = self._new_id()
        return identifier

    def find(self, trace_id: str) -> Trace:
        """Give a trace that is still kept.

        Raises:
            NotFound: there is none of that id, or not any more.
        """
        kept = self._store.get(self._shelf, self._owner, trace_id)
        if kept is None:
            raise NotFound(
                "There is no such trace, or not any more; call manual_find again for a new one.",
                details={"trace_id": trace_id},
            )
        return kept


def _pack(trace: Trace) -> Any:
    rows = {kind: list(rows) for kind, rows in trace.rows.items()}
    return [trace.manual_id, rows, trace.left.to_json()]


def _unpack(packed: Any) -> Trace:
    manual_id, rows, left = packed
    return Trace(manual_id, rows, Leftover.from_json(left))

"""What each find found, kept for a while under an id that nobody can guess.

The clock and the source of ids are arguments. Not here: what the rows mean (`hits`).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tebiki.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Trace:
    """The rows of one find by kind, each in its full form, and the manual they are of."""

    manual_id: str
    rows: Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class TraceRule:
    """How many traces are kept, and for how long."""

    max_keep: int = 100
    ttl_seconds: float = 1800


class Traces:
    """The newest traces; reading one does not make it last longer."""

    __slots__ = ("_clock", "_kept", "_lock", "_new_id", "_rule")

    def __init__(
        self, rule: TraceRule, clock: Callable[[], float], new_id: Callable[[], str]
    ) -> None:
        self._rule = rule
        self._clock = clock
        self._new_id = new_id
        self._kept: OrderedDict[str, tuple[float, Trace]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, trace: Trace) -> str:
        """Keep a trace, and give the id by which it can be asked for."""
        with self._lock:
            identifier = self._new_id()
            while identifier in self._kept:
                identifier = self._new_id()
            self._kept[identifier] = (self._clock(), trace)
            self._forget()
        return identifier

    def find(self, trace_id: str) -> Trace:
        """Give a trace that is still kept.

        Raises:
            NotFound: there is none of that id, or not any more.
        """
        with self._lock:
            self._forget()
            kept = self._kept.get(trace_id)
        if kept is None:
            raise NotFound(
                "There is no such trace, or not any more; call manual_find again for a new one.",
                details={"trace_id": trace_id},
            )
        return kept[1]

    def _forget(self) -> None:
        oldest = self._clock() - self._rule.ttl_seconds
        while self._kept:
            first = next(iter(self._kept))
            if len(self._kept) <= self._rule.max_keep and self._kept[first][0] > oldest:
                return
            del self._kept[first]

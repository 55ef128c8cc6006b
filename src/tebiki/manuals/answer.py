"""The answer to a find as its caller gets it: short over the wire, whole for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.manuals.hits import hits
from tebiki.manuals.limits import MOST_INLINE
from tebiki.manuals.memory.traces import Trace
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.manuals.report.answer import Found


class FindAnswer(NamedTuple):
    """What was found, under the trace by which more of it can be asked for."""

    trace_id: str
    manual_id: str
    found: Found
    inline_limit: int = MOST_INLINE

    def compact(self) -> dict[str, Any]:
        """Give what a model needs to go on, and no more."""
        found = self.found
        trace = Trace(self.manual_id, found.lists)
        limit = min(self.inline_limit, MOST_INLINE)
        page = hits(self.trace_id, trace, "integrated_top", limit=limit)
        shown = {
            "trace_id": self.trace_id,
            "candidates": page.total,
            "status": found.status,
            "failure_reason": found.failure_reason,
            # The hits are the next step; steps with their parameters are in the full form.
            "next_actions": [],
            "inline_hits": page.compact(),
            "complete": found.complete,
            "unscanned": found.unscanned,
        }
        return shown | ({"unsupported": found.unsupported} if found.unsupported else {})

    def full(self) -> dict[str, Any]:
        """Give everything but the rows, which `hits` has."""
        return self.found.full(self.trace_id)

"""Paid calls as values: what one took, as the ledger keeps it.

What is read from a file is checked field by field: whoever wrote it, it is within bounds and safe
to print, or it is no call of ours.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_NAME = 200
MOST = 1e15
"""No count and no sum of money in a ledger is larger; what is was not written by us."""

OUTCOMES = ("ok", "failed", "cancelled", "refused")


class Spent(NamedTuple):
    """What the API reports of one response."""

    model: str = ""
    input: int = 0
    output: int = 0
    reasoning: int = 0
    cached: int = 0
    searches: int = 0
    attempts: int = 1


class CallStart(NamedTuple):
    """A call that may be sent: what it is presumed to cost until it has ended."""

    time: float
    id: str
    held_usd: float
    client: str = ""

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> CallStart:
        """Check what was read.

        Raises:
            KeyError, TypeError, ValueError, OverflowError: it is no start of a call.
        """
        return cls(
            moment(fields["time"]),
            _name(fields["id"]),
            _amount(fields["held_usd"]),
            _name(fields.get("client", "")),
        )

    def fields(self) -> dict[str, Any]:
        """Give it as the ledger keeps it: a call without an outcome."""
        running = PaidCall(self.time, self.id, "", "", Spent(), None, self.held_usd, 0, "", None)
        return {**running.fields(), "client": self.client, "outcome": None}


class PaidCall(NamedTuple):
    """A call that has ended; `held_usd` is what a cap counts when the cost is not known."""

    time: float
    id: str
    tool: str
    model: str
    spent: Spent
    cost_usd: float | None
    held_usd: float
    duration_ms: int
    outcome: str
    error: str | None
    client: str = ""

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> PaidCall:
        """Check what was read.

        Raises:
            KeyError, TypeError, ValueError, OverflowError: it is no call.
        """
        model = _name(fields["model"])
        cost, error, outcome = fields["cost_usd"], fields["error"], fields["outcome"]
        if outcome not in OUTCOMES:
            raise ValueError(outcome)
        return cls(
            time=moment(fields["time"]),
            id=_name(fields["id"]),
            tool=_name(fields["tool"]),
            model=model,
            spent=Spent(
                model=model,
                input=_count(fields["input_tokens"]),
                output=_count(fields["output_tokens"]),
                reasoning=_count(fields["reasoning_tokens"]),
                cached=_count(fields["cached_tokens"]),
                searches=_count(fields["searches"]),
                attempts=_count(fields["attempts"]),
            ),
            cost_usd=None if cost is None else _amount(cost),
            held_usd=_amount(fields["held_usd"]),
            duration_ms=_count(fields["duration_ms"]),
            outcome=outcome,
            error=None if error is None else _name(error),
            client=_name(fields.get("client", "")),
        )

    def fields(self) -> dict[str, Any]:
        """Give it as the ledger keeps it."""
        return {
            "time": stamp(self.time),
            "id": self.id,
            "client": self.client,
            "tool": self.tool,
            "model": self.model,
            "input_tokens": self.spent.input,
            "output_tokens": self.spent.output,
            "reasoning_tokens": self.spent.reasoning,
            "cached_tokens": self.spent.cached,
            "searches": self.spent.searches,
            "attempts": self.spent.attempts,
            "cost_usd": self.cost_usd,
            "held_usd": self.held_usd,
            "duration_ms": self.duration_ms,
            "outcome": self.outcome,
            "error": self.error,
        }


Record = CallStart | PaidCall


def record_of(fields: Mapping[str, Any]) -> Record | None:
    """A call as somebody kept it, running where it has no outcome; None when it is none of ours."""
    try:
        kind = CallStart if fields["outcome"] is None else PaidCall
        return kind.from_fields(fields)
    except (ValueError, KeyError, TypeError, OverflowError):
        return None


def stamp(time: float) -> str:
    """A moment as the ledger writes it: UTC, to the millisecond."""
    moment = datetime.fromtimestamp(time, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(written: object) -> float:
    """Read a moment back: only the form that `stamp` writes.

    Raises:
        TypeError, ValueError: it has another form.
    """
    if not isinstance(written, str) or not written.endswith("Z"):
        raise TypeError(written)
    time = datetime.fromisoformat(written).timestamp()
    if stamp(time) != written:
        raise ValueError(written)
    return time


def day_of(time: float) -> str:
    """The UTC day of a moment: the same for every process, and the day the API bills by."""
    return stamp(time)[:10]


def _name(value: object) -> str:
    """A name that is safe to print: hostile files must not steer a terminal."""
    if not isinstance(value, str):
        raise TypeError(value)
    if len(value) > LONGEST_NAME or not value.isprintable():
        raise ValueError(value)
    return value


def _amount(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(value)
    amount = float(value)
    if not (math.isfinite(amount) and 0 <= amount <= MOST):
        raise ValueError(value)
    return amount


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(value)
    if not 0 <= value <= MOST:
        raise ValueError(value)
    return value

"""The lines of the ledger as values, and back: three kinds, one JSON object a line.

A *call* is written when it ends. Where a cap is set, a *start* is written before it is sent, so
that other processes see what is running. A *carry* opens a new file with what the old one summed.
Whatever else stands in the file is no line of ours: reading it gives None, never an error.
"""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any

from tebiki.named_tuples import NamedTuple

LONGEST_LINE = 4096
"""Bytes: ten times what a line has; a longer one is not ours."""

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


class Start(NamedTuple):
    """A call that may be sent: what it is presumed to cost until it has ended."""

    time: float
    id: str
    held_usd: float

    def line(self) -> bytes:
        """Write it down."""
        return _line({"time": stamp(self.time), "start": self.id, "held_usd": self.held_usd})


class Carry(NamedTuple):
    """What the day had cost when this file was begun."""

    time: float
    spent_usd: float

    def line(self) -> bytes:
        """Write it down."""
        return _line({"time": stamp(self.time), "carry_usd": self.spent_usd})


class CallEntry(NamedTuple):
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

    @property
    def counted_usd(self) -> float:
        """What a cap counts for it."""
        return self.held_usd if self.cost_usd is None else self.cost_usd

    def line(self) -> bytes:
        """Write it down."""
        return _line(
            {
                "time": stamp(self.time),
                "id": self.id,
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
        )


Record = Start | Carry | CallEntry


def read_line(line: bytes) -> Record | None:
    """Read one line of the file; None when it is none of ours."""
    if len(line) > LONGEST_LINE:
        return None
    try:
        fields = json.loads(line)
        return _record(fields) if isinstance(fields, dict) else None
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def stamp(time: float) -> str:
    """A moment as the ledger writes it: UTC, to the millisecond."""
    moment = datetime.fromtimestamp(time, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def day_of(time: float) -> str:
    """The UTC day of a moment: the same for every process, and the day the API bills by."""
    return stamp(time)[:10]


def _record(fields: dict[str, Any]) -> Record:
    time = _time(fields["time"])
    if "start" in fields:
        return Start(time, _name(fields["start"]), _amount(fields["held_usd"]))
    if "carry_usd" in fields:
        return Carry(time, _amount(fields["carry_usd"]))
    model = _name(fields["model"])
    cost, error, outcome = fields["cost_usd"], fields["error"], fields["outcome"]
    if outcome not in OUTCOMES:
        raise ValueError(outcome)
    return CallEntry(
        time=time,
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
    )


def _line(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode("ascii") + b"\n"


def _time(value: object) -> float:
    """Read a moment: only the form that `stamp` writes."""
    if not isinstance(value, str) or not value.endswith("Z"):
        raise TypeError(value)
    time = datetime.fromisoformat(value).timestamp()
    if stamp(time) != value:
        raise ValueError(value)
    return time


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

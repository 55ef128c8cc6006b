"""Ledgers for tests: in memory, at a fixed moment, with the prices that ship."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING

from tebiki.budget.caps import Caps
from tebiki.budget.database import LedgerDatabase
from tebiki.budget.earlier_ledger import IN_MEMORY, Carry
from tebiki.budget.ledger import Ledgers
from tebiki.budget.meter import Meter
from tebiki.budget.paid_calls import CallStart, PaidCall, Spent, stamp
from tebiki.budget.prices import load_prices
from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.budget.paid_calls import Record

NOON = 1_794_830_400.0
"""2026-11-16T12:00:00Z."""


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: float = NOON) -> None:
        self.now = now

    def __call__(self) -> float:
        """Tell the moment."""
        return self.now


class Warnings(list[str]):
    """What was warned about."""

    def __call__(self, words: str) -> None:
        """Keep a warning."""
        self.append(words)


def process_ledgers(
    *files: Path, clock: Clock | None = None, warn: Warnings | None = None
) -> Ledgers:
    """The ledgers of one process: those files, and its memory."""
    warn = Warnings() if warn is None else warn
    ledgers = [LedgerDatabase(str(path), warn) for path in (*files, IN_MEMORY)]
    return Ledgers(ledgers, clock or Clock(), warn)


def meter_of(
    caps: Caps | None = None, clock: Clock | None = None, ledgers: Ledgers | None = None
) -> Meter:
    """A meter that writes nowhere, unless it is told where."""
    clock, ids = clock or Clock(), count()
    return Meter(
        ledgers or process_ledgers(clock=clock),
        caps or Caps(),
        load_prices(None, Warnings()),
        Log("test", Redactor(None)),
        clock=clock,
        monotonic=clock,
        new_id=lambda: f"id{next(ids)}",
    )


def entry(
    number: int | str = 0,
    time: float = NOON,
    cost: float | None = 0.25,
    *,
    tool: str = "answer",
    model: str = "gpt-5.2",
    outcome: str = "ok",
    held: float = 0.0,
) -> PaidCall:
    """A call that has ended."""
    spent = Spent(model, input=1000, output=200, reasoning=50, cached=100, searches=1)
    return PaidCall(time, f"call{number}", tool, model, spent, cost, held, 1500, outcome, None)


def earlier_line(record: Record | Carry) -> bytes:
    """A line as earlier releases wrote it."""
    if isinstance(record, CallStart):
        fields = {"time": stamp(record.time), "start": record.id, "held_usd": record.held_usd}
    elif isinstance(record, Carry):
        fields = {"time": stamp(record.time), "carry_usd": record.spent_usd}
    else:
        fields = record.fields()
        del fields["client"]
    return json.dumps(fields, separators=(",", ":")).encode("ascii") + b"\n"

"""Ledgers for tests: in memory, at a fixed moment, with the prices that ship."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from tebiki.observability.ledger.budget import Caps
from tebiki.observability.ledger.entries import CallEntry, Spent
from tebiki.observability.ledger.ledger_writer import LedgerWriter
from tebiki.observability.ledger.meter import Meter
from tebiki.observability.ledger.prices import load_prices
from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor

if TYPE_CHECKING:
    from tebiki.observability.ledger.file import LedgerFile

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


def ledger_writer(
    file: LedgerFile | None = None,
    caps: Caps | None = None,
    clock: Clock | None = None,
    warn: Warnings | None = None,
) -> LedgerWriter:
    """The ledger of one process."""
    return LedgerWriter(
        file, caps or Caps(), clock or Clock(), Warnings() if warn is None else warn
    )


def meter_in_memory(caps: Caps | None = None, clock: Clock | None = None) -> Meter:
    """A meter that writes nowhere."""
    clock, ids = clock or Clock(), count()
    prices = load_prices(None, Warnings())
    log = Log("test", Redactor(None))
    kept = ledger_writer(None, caps, clock)
    return Meter(kept, prices, log, clock=clock, monotonic=clock, new_id=lambda: f"id{next(ids)}")


def entry(
    number: int = 0,
    time: float = NOON,
    cost: float | None = 0.25,
    *,
    tool: str = "answer",
    model: str = "gpt-5.2",
    outcome: str = "ok",
    held: float = 0.0,
) -> CallEntry:
    """A call that has ended."""
    spent = Spent(model, input=1000, output=200, reasoning=50, cached=100, searches=1)
    return CallEntry(time, f"call{number}", tool, model, spent, cost, held, 1500, outcome, None)

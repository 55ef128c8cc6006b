"""Running sums of the ledger's lines: what a day has cost, how many calls began lately. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.observability.ledger.entries import CallEntry, Carry, Start, day_of

if TYPE_CHECKING:
    from tebiki.observability.ledger.entries import Record

WINDOW_SECONDS = 60.0
"""What "per minute" looks back on."""


class Tally:
    """Takes lines in the order of the file; a call that only began counts what is held for it."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = {}
        # With their day, which is asked for more often than calls begin.
        self._running: dict[str, tuple[str, Start]] = {}
        self._begun: dict[str, float] = {}

    def take(self, record: Record) -> None:
        """Add one line."""
        match record:
            case Start():
                self._running[record.id] = (day_of(record.time), record)
                self._begun[record.id] = record.time
            case Carry():
                self._add(record.time, record.spent_usd)
            case CallEntry():
                self._end(record)

    def spent_on(self, day: str) -> float:
        """What the calls that have ended cost on a day."""
        return self._spent.get(day, 0.0)

    def held_on(self, day: str) -> float:
        """What the calls that still run may cost."""
        running = self._running.values()
        return sum(start.held_usd for began, start in running if began == day)

    def begun_since(self, time: float) -> list[float]:
        """When the calls after a moment began, oldest first."""
        return sorted(begun for begun in self._begun.values() if begun > time)

    def forget_before(self, time: float) -> None:
        """Let go of what no cap looks at any more."""
        today = day_of(time)
        self._spent = {day: usd for day, usd in self._spent.items() if day >= today}
        self._running = {key: row for key, row in self._running.items() if row[0] >= today}
        since = time - WINDOW_SECONDS
        self._begun = {key: begun for key, begun in self._begun.items() if begun > since}

    def carried(self, time: float) -> list[Record]:
        """The lines from which a new file gives the same sums at that moment."""
        self.forget_before(time)
        lines: list[Record] = [Carry(time, self.spent_on(day_of(time)))]
        lines += [start for _, start in self._running.values()]
        # Ended, but within the window: they count as begun and hold nothing.
        lines += [
            Start(begun, key, 0.0) for key, begun in self._begun.items() if key not in self._running
        ]
        return lines

    def _end(self, call: CallEntry) -> None:
        self._running.pop(call.id, None)
        if call.outcome == "refused":
            self._begun.pop(call.id, None)
            return
        self._begun[call.id] = call.time
        self._add(call.time, call.counted_usd)

    def _add(self, time: float, usd: float) -> None:
        day = day_of(time)
        self._spent[day] = self._spent.get(day, 0.0) + usd

"""Keeping the ledger: who may begin, and what each call came to. One thread at a time.

The file is what processes share; a ledger that is off or cannot be written is kept in memory
instead, so that the caps still hold for this process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.observability.ledger.budget import check
from tebiki.observability.ledger.entries import day_of, read_line
from tebiki.observability.ledger.file import LedgerPosition, is_before
from tebiki.observability.ledger.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.observability.ledger.budget import Caps
    from tebiki.observability.ledger.entries import Record, Start
    from tebiki.observability.ledger.file import LedgerFile


class LedgerWriter:
    """The ledger of one process; every method may wait for the disk."""

    def __init__(
        self,
        file: LedgerFile | None,
        caps: Caps,
        clock: Callable[[], float],
        warn: Callable[[str], None],
    ) -> None:
        self.caps = caps
        self._file = file
        self._clock = clock
        self._warn = warn
        self._tally = Tally()
        self._place = LedgerPosition()
        self._warned = False

    def begin(self, start: Start) -> None:
        """Note a call that is about to be sent.

        Raises:
            OverBudget: it may not be; then nothing is noted.
        """
        if self._file is None:
            self._admit(start)
            return
        try:
            # Looking and noting are one step: two processes cannot both be the last to get in.
            with self._file.lock():
                self._catch_up(self._file)
                check(self.caps, self._tally, self._clock())
                self._file.append(start, self._clock())
        except OSError as refused:
            self._complain(refused)
            self._admit(start)

    def write(self, record: Record) -> None:
        """Note a call that has ended."""
        if self._file is None:
            self._remember(record)
            return
        try:
            with self._file.lock():
                self._file.append(record, self._clock())
        except OSError as refused:
            self._complain(refused)
            self._remember(record)

    def _remember(self, record: Record) -> None:
        """Count what no file holds, if anybody will ask."""
        if self.caps.any:
            self._tally.take(record)

    def _admit(self, start: Start) -> None:
        """By memory alone."""
        now = self._clock()
        self._tally.forget_before(now)
        check(self.caps, self._tally, now)
        self._tally.take(start)

    def _catch_up(self, file: LedgerFile) -> None:
        """Read what was written since the last time; from the start if it is another file."""
        now = self._clock()
        self._tally.forget_before(now)
        today = day_of(now)

        def take(line: bytes) -> None:
            record = None if is_before(line, today) else read_line(line)
            if record is not None:
                self._tally.take(record)

        place = file.follow(self._place, take)
        if place is None:
            self._tally = Tally()
            place = file.follow(LedgerPosition(), take) or LedgerPosition()
        self._place = place

    def _complain(self, refused: OSError) -> None:
        """Once: a full disk must not fill the log too."""
        if not self._warned and self._file is not None:
            self._warned = True
            self._warn(
                f"the ledger {self._file.path} cannot be written "
                f"({refused.strerror or refused}); calls are counted in memory only "
                "(set ledger.path, or ledger.enabled: false)"
            )

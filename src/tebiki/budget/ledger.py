"""The ledger of one process: who may begin, and what each call came to. One thread at a time.

A ledger that refuses (a full disk, a folder that is gone) is stood in for by the next: for workers
that belong together a file of their own, in the end the memory of this process. What was noted
there is handed over as soon as a better one takes it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from tebiki.budget.caps import Standing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tebiki.budget.caps import Cap
    from tebiki.budget.paid_calls import CallStart, PaidCall, Record


class Ledger(Protocol):
    """Where paid calls are counted; every method may block, and raise `OSError`."""

    @property
    def path(self) -> str:
        """Where it is, as a person would look for it."""

    def begin(
        self, start: CallStart, caps: Sequence[Cap], now: float, elsewhere: Mapping[str, Standing]
    ) -> None:
        """Ask the caps and note a call that is about to be sent, as one step for all processes.

        Raises:
            OverBudget: it may not be; then nothing is noted.
        """

    def end(self, call: PaidCall, now: float) -> None:
        """Note a call that has ended."""

    def standing(self, client: str, now: float) -> Standing:
        """What is counted for a client, or with no name for all."""

    def records(self) -> list[Record]:
        """Everything that is noted."""

    def add(self, records: Iterable[Record]) -> None:
        """Add what another ledger held; what is there already is not added again."""

    def remove(self, records: Iterable[Record]) -> None:
        """Forget what another ledger has taken."""


class Ledgers:
    """The ledgers of one process, the best first; the last is in memory and never refuses."""

    def __init__(
        self, ledgers: Sequence[Ledger], clock: Callable[[], float], warn: Callable[[str], None]
    ) -> None:
        self._ledgers = ledgers
        self._clock = clock
        self._warn = warn
        self._refused: set[Ledger] = set()
        self._warned: set[Ledger] = set()

    def begin(self, start: CallStart, caps: Sequence[Cap]) -> None:
        """Note a call that is about to be sent.

        Raises:
            OverBudget: it may not be; then nothing is noted.
        """
        now = self._clock()
        elsewhere: dict[str, Standing] = {}

        def begin(ledger: Ledger) -> None:
            ledger.begin(start, caps, now, elsewhere)

        def count(ledger: Ledger) -> None:
            """Count what a ledger that cannot be written still lets us read."""
            for cap in caps:
                counted = elsewhere.get(cap.client, Standing())
                elsewhere[cap.client] = counted.plus(ledger.standing(cap.client, now))

        self._ask(begin, count)

    def end(self, call: PaidCall) -> None:
        """Note a call that has ended."""
        self._ask(lambda ledger: ledger.end(call, self._clock()), lambda _ledger: None)

    def forget(self, start: CallStart) -> None:
        """Forget the beginning of a call that was never sent."""
        self._ask(lambda ledger: ledger.remove([start]), lambda _ledger: None)

    def _ask(self, work: Callable[[Ledger], None], when_refused: Callable[[Ledger], None]) -> None:
        """Let the first ledger that can do something do it."""
        *others, last = self._ledgers
        for ledger in others:
            try:
                self._hand_over(ledger)
                work(ledger)
            except OSError as refused:
                self._note_refusal(ledger, refused)
            else:
                return
            with suppress(OSError):
                when_refused(ledger)
        work(last)

    def _hand_over(self, ledger: Ledger) -> None:
        """Give a ledger what was noted while it refused."""
        if ledger not in self._refused:
            return
        for other in self._ledgers[self._ledgers.index(ledger) + 1 :]:
            records = other.records()
            ledger.add(records)
            other.remove(records)
        self._refused.remove(ledger)

    def _note_refusal(self, ledger: Ledger, refused: OSError) -> None:
        """Warn once: a full disk must not fill the log too."""
        self._refused.add(ledger)
        if ledger not in self._warned:
            self._warned.add(ledger)
            self._warn(
                f"the ledger {ledger.path} cannot be written ({refused.strerror or refused}); "
                "calls are counted in memory only (set ledger.path, or ledger.enabled: false)"
            )

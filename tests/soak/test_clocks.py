"""Clock jumps: the wall clock goes years back and forth, and nothing but dates changes.

The ledger's caps and the stores have tests of their own for it, in their rooms.
"""

from __future__ import annotations

import asyncio
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tebiki.budget.caps import Caps
from tebiki.budget.database import LedgerDatabase
from tebiki.budget.meter import Meter
from tebiki.budget.paid_calls import Spent
from tebiki.budget.prices import load_prices
from tebiki.manuals.find import Clocks
from tebiki.manuals.library import Library
from tebiki.manuals.request import FindRequest
from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tebiki.vault.vault import Vault
from tests.manuals import usual
from tests.support.ledgers import NOON, Clock, Warnings, process_ledgers

if TYPE_CHECKING:
    from pathlib import Path

YEAR = 366 * 86_400
JUMPS = [NOON, NOON - 10 * YEAR, NOON + 10 * YEAR, 1.0, NOON]


@pytest.mark.requirement("manuals:faults:clocks")
def test_manuals_are_found_and_read_as_they_are_whatever_the_date(tmp_path: Path) -> None:
    """An edit is seen after every jump; no find runs out of time by one; its hits are there."""
    wall, ids = Clock(), count()
    file = tmp_path / "manuals" / "m" / "a.md"
    file.parent.mkdir(parents=True)
    finder = usual.FINDER._replace(
        index_root=str(tmp_path / "cache"), statistics_path=str(tmp_path / "s")
    )
    library = Library(
        tmp_path / "manuals",
        usual.LIBRARY._replace(finder=finder),
        Clocks(wall, lambda: 0.0, lambda: int(wall.now * 1e9)),
        lambda: f"id{next(ids)}",
        log=lambda _line: None,
    )
    library.ls()

    for number, now in enumerate(JUMPS):
        wall.now = now
        file.write_text(f"# Lamp\n\nword{number} of the lamp\n", encoding="utf-8")
        found = library.find(FindRequest(f"word{number}", "m", (f"word{number}",)))

        assert found.found.complete
        assert library.hits(found.trace_id, "candidates").total == 1
        assert f"word{number}" in library.scan("m", "a.md").page.text


@pytest.mark.requirement("vault:faults:clocks")
def test_notes_are_written_and_taken_back_whatever_the_date(tmp_path: Path) -> None:
    """The order of the journal is that of its lines, not of its dates."""
    clock = Clock()
    vault = Vault(tmp_path, clock)
    vault.create("a.md", "0\n")

    for number, now in enumerate(JUMPS):
        clock.now = now
        vault.replace("a.md", f"{number}", f"{number + 1}")
    for entry in reversed(vault.log("a.md")[1:]):
        vault.undo(entry.entry)

    assert (tmp_path / "a.md").read_text() == "0\n"
    assert all(entry.done for entry in vault.log("a.md"))


def test_a_call_takes_as_long_as_it_takes(tmp_path: Path) -> None:
    """Durations are by the clock that only grows, and the ledger bears dates in any order."""
    clock, steady = Clock(), Clock(0.0)
    path = tmp_path / "ledger.db"
    meter = Meter(
        process_ledgers(path, clock=clock),
        Caps(),
        load_prices(None, Warnings()),
        Log("test", Redactor(None)),
        clock=clock,
        monotonic=steady,
        new_id=iter("abcde").__next__,
    )

    async def spend(now: float) -> None:
        async with meter.call("answer", "gpt-5.2") as tab:
            clock.now = now
            steady.now += 1.5
            tab.settle(Spent("gpt-5.2", input=10))

    for now in JUMPS:
        asyncio.run(spend(now))
    meter.close(60)

    noted, _ = LedgerDatabase(str(path), Warnings()).calls_since("0000")
    assert [call.duration_ms for call in noted] == [1500] * 5

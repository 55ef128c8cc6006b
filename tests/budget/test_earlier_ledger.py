"""What earlier releases wrote is taken over: all of it, once, whoever is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tebiki.budget.caps import Caps
from tebiki.budget.database import LedgerDatabase
from tebiki.budget.earlier_ledger import Carry, database_path
from tebiki.budget.paid_calls import CallStart
from tebiki.errors import OverBudget
from tests.support.ledgers import NOON, Warnings, earlier_line, entry, process_ledgers

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.budget.paid_calls import PaidCall, Record

DAY = 86_400.0

READER = """
import sys
from tebiki.budget.database import LedgerDatabase
LedgerDatabase(sys.argv[1], lambda words: None).standing("", 0.0)
"""

INTERRUPTED = """
import os, signal, sys
from tebiki.budget import database
known, seen = database._add, []
def add(connection, record):
    known(connection, record)
    seen.append(record)
    if len(seen) == 50:
        os.kill(os.getpid(), signal.SIGKILL)
database._add = add
database.LedgerDatabase(sys.argv[1], lambda words: None).standing("", 0.0)
"""


@pytest.fixture(name="warnings")
def _warnings() -> Warnings:
    return Warnings()


@pytest.fixture(name="ledger")
def _ledger(tmp_path: Path, warnings: Warnings) -> LedgerDatabase:
    return LedgerDatabase(str(tmp_path / "ledger.db"), warnings)


def write(path: Path, *records: Record | Carry) -> bytes:
    """Write a file as earlier releases did; gives its content."""
    content = b"".join(map(earlier_line, records))
    path.write_bytes(content)
    return content


def calls_in(ledger: LedgerDatabase) -> list[PaidCall]:
    """Every call that has ended."""
    return ledger.calls_since("0000")[0]


@pytest.mark.requirement("people:ledger:taken-over")
def test_every_file_is_taken_over_and_left_as_it_is(
    tmp_path: Path, ledger: LedgerDatabase, warnings: Warnings
) -> None:
    """Oldest first; once, however often one looks."""
    calls = [entry(number, NOON - (9 - number) * DAY) for number in range(9)]
    names = ("ledger.jsonl.3", "ledger.jsonl.2", "ledger.jsonl.1", "ledger.jsonl")
    written = {
        name: write(tmp_path / name, *calls[2 * number : 2 * number + 3])
        for number, name in enumerate(names)
    }

    for _ in range(2):
        assert calls_in(ledger) == calls
    assert {name: (tmp_path / name).read_bytes() for name in names} == written
    assert warnings == []


@pytest.mark.requirement("people:ledger:taken-over")
def test_caps_go_on_counting(tmp_path: Path) -> None:
    """What was spent and what is running, before the first call is let through."""
    running = CallStart(NOON - 5, "running", 0.3)
    write(tmp_path / "ledger.jsonl", entry(1, cost=0.5), running, CallStart(NOON, "call1", 9.0))
    ledgers = process_ledgers(tmp_path / "ledger.db")

    with pytest.raises(OverBudget, match=r"0\.50 USD.*about 0\.30 more is held"):
        ledgers.begin(CallStart(NOON, "a", 0.1), [Caps(daily_usd=0.8)])
    with pytest.raises(OverBudget, match="2 paid calls began in the last minute"):
        ledgers.begin(CallStart(NOON, "a", 0.1), [Caps(calls_per_minute=2)])


@pytest.mark.requirement("people:ledger:taken-over")
def test_what_an_earlier_release_adds_later_is_taken_over_too(
    tmp_path: Path, ledger: LedgerDatabase
) -> None:
    """It may run on beside a newer one, and begin a new file."""
    path = tmp_path / "ledger.jsonl"
    write(path, CallStart(NOON, "call1", 0.5), entry(2, cost=0.25))
    assert ledger.standing("", NOON)[:3] == (0.25, 0.5, 2)

    with path.open("ab") as file:
        file.write(earlier_line(entry(1, cost=0.75)))
    assert ledger.standing("", NOON)[:3] == (1.0, 0.0, 2)
    path.rename(tmp_path / "ledger.jsonl.1")
    write(path, Carry(NOON, 1.0), CallStart(NOON, "call1", 0.0), entry(3, cost=0.5))

    assert ledger.standing("", NOON)[:3] == (1.5, 0.0, 3)
    assert [call.id for call in calls_in(ledger)] == ["call1", "call2", "call3"]


@pytest.mark.requirement("people:ledger:taken-over")
def test_a_sum_whose_calls_are_gone_still_counts(tmp_path: Path, ledger: LedgerDatabase) -> None:
    """A file opens with what the day had cost; the files before it may have been deleted."""
    write(tmp_path / "ledger.jsonl.1", Carry(NOON - 60, 2.0), entry(1, cost=0.5))
    write(tmp_path / "ledger.jsonl", Carry(NOON, 2.5), entry(2, cost=0.25))

    for _ in range(2):
        assert ledger.standing("", NOON).spent_usd == 2.75
        os.utime(tmp_path / "ledger.jsonl")


@pytest.mark.requirement("people:ledger:taken-over")
def test_processes_take_over_side_by_side(tmp_path: Path, ledger: LedgerDatabase) -> None:
    """Each call is there once."""
    calls = [entry(number, NOON) for number in range(500)]
    write(tmp_path / "ledger.jsonl", *calls)

    readers = [subprocess.Popen([sys.executable, "-c", READER, ledger.path]) for _ in range(4)]

    assert [reader.wait(60) for reader in readers] == [0] * 4
    assert calls_in(ledger) == calls


@pytest.mark.requirement("people:ledger:taken-over")
@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_a_process_that_died_on_the_way_costs_nothing(
    tmp_path: Path, ledger: LedgerDatabase
) -> None:
    """The next one begins again; the file is as it was."""
    calls = [entry(number, NOON) for number in range(100)]
    written = write(tmp_path / "ledger.jsonl", *calls)
    died = subprocess.run([sys.executable, "-c", INTERRUPTED, ledger.path], check=False)
    assert died.returncode == -signal.SIGKILL

    assert calls_in(ledger) == calls
    assert (tmp_path / "ledger.jsonl").read_bytes() == written


@pytest.mark.requirement("people:ledger:taken-over")
def test_broken_lines_cost_only_themselves(
    tmp_path: Path, ledger: LedgerDatabase, warnings: Warnings
) -> None:
    """They are counted and said once, and stay where they are."""
    path = tmp_path / "ledger.jsonl"
    lines = [earlier_line(entry(number)) for number in range(3)]
    long = b"x" * 100_000 + b"\n"
    path.write_bytes(lines[0] + b"\x1b[31m\n\n" + long + lines[1] + lines[2][:40])

    for _ in range(2):
        assert ledger.calls_since("0000") == ([entry(0), entry(1)], 3)
    assert len(warnings) == 1
    assert f"{path} has lines that nobody can read (3)" in warnings[0]

    path.write_bytes(path.read_bytes() + lines[2][40:])
    assert ledger.calls_since("0000") == ([entry(0), entry(1), entry(2)], 2)


@pytest.mark.requirement("people:ledger:taken-over")
def test_a_file_that_cannot_be_read_is_said_and_read_later(
    tmp_path: Path, ledger: LedgerDatabase, warnings: Warnings
) -> None:
    """Calls go on meanwhile."""
    path = tmp_path / "ledger.jsonl"
    write(path, entry(1))
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("nothing is forbidden to root")

    for number in (2, 3):
        ledger.end(entry(number), NOON)
    assert [words.startswith(f"{path} cannot be read") for words in warnings] == [True]

    path.chmod(0o600)
    assert sorted(call.id for call in calls_in(ledger)) == ["call1", "call2", "call3"]


@pytest.mark.requirement("people:ledger:taken-over")
def test_a_ledger_of_any_name_is_taken_over(tmp_path: Path, warnings: Warnings) -> None:
    """`ledger.path` may name one of an earlier release that does not end in .jsonl."""
    path = tmp_path / "calls.log"
    written = write(path, entry(1), entry(2))
    write(tmp_path / "calls.log.1", entry(0))
    ledger = LedgerDatabase(str(path), warnings)
    ledger.end(entry(3), NOON)

    assert [call.id for call in calls_in(ledger)] == ["call0", "call1", "call2", "call3"]
    assert (tmp_path / "calls.log.jsonl").read_bytes() == written
    assert len(warnings) == 1
    assert "is of an earlier release" in warnings[0]


def test_a_path_of_an_earlier_release_names_the_database_beside_it() -> None:
    """Any other path is taken as it is."""
    assert database_path("/x/calls.jsonl") == "/x/calls.db"
    assert [database_path(path) for path in ("/x/calls.db", "/x/calls")] == [
        "/x/calls.db",
        "/x/calls",
    ]

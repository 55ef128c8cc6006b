"""The ledger on disk: whole lines, one owner, bounded, and never a sum lost."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tebiki.observability.ledger.entries import CallEntry, Carry, Start, day_of, read_line
from tebiki.observability.ledger.file import OLD_FILES, LedgerFile, LedgerPosition
from tebiki.observability.ledger.tally import Tally
from tests.support.ledgers import NOON, entry

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.observability.ledger.entries import Record

WRITER = """
import sys
sys.path.insert(0, sys.argv[3])
from tebiki.observability.ledger.file import LedgerFile
from tests.support.ledgers import NOON, entry
file = LedgerFile(sys.argv[1], largest=20_000)
for number in range(100):
    with file.lock():
        file.append(entry(f"{sys.argv[2]}-{number}", cost=0.5), NOON)
"""


def write(file: LedgerFile, *records: Record) -> None:
    """Append, as a process does that holds the lock."""
    for record in records:
        with file.lock():
            file.append(record, NOON)


def lines_of(file: LedgerFile) -> list[bytes]:
    """Every line of the ledger and of the files before it."""
    lines: list[bytes] = []
    file.every_line(lines.append)
    return lines


def tally_of(file: LedgerFile) -> Tally:
    """What the file that is being written adds up to."""
    tally = Tally()

    def take(line: bytes) -> None:
        record = read_line(line)
        assert record is not None
        tally.take(record)

    file.follow(LedgerPosition(), take)
    return tally


def test_a_line_is_read_as_it_was_written(tmp_path: Path) -> None:
    """In a folder that was not there; for its owner alone."""
    path = tmp_path / "state" / "tebiki" / "ledger.jsonl"
    file = LedgerFile(str(path))
    written: list[Record] = [Start(NOON, "a", 0.25), entry(1), entry(2, cost=None, held=0.5)]

    write(file, *written)

    assert [read_line(line) for line in lines_of(file)] == written
    for made in (path, path.with_name("ledger.jsonl.lock")):
        assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_following_reads_only_what_is_new(tmp_path: Path) -> None:
    """A line that is not whole yet waits."""
    path = tmp_path / "ledger.jsonl"
    file = LedgerFile(str(path))
    write(file, entry(1), entry(2))
    seen: list[bytes] = []
    place = file.follow(LedgerPosition(), seen.append)
    assert place is not None
    assert len(seen) == 2

    third = entry(3).line()
    with path.open("ab") as other:
        other.write(third[:20])
    place = file.follow(place, seen.append)
    assert place is not None
    assert len(seen) == 2
    with path.open("ab") as other:
        other.write(third[20:])
    file.follow(place, seen.append)

    assert [read_line(line) for line in seen] == [entry(1), entry(2), entry(3)]


def test_another_file_is_noticed(tmp_path: Path) -> None:
    """Removed, replaced or cut: what was read before counts no more."""
    path = tmp_path / "ledger.jsonl"
    file = LedgerFile(str(path))
    nothing: list[bytes] = []
    write(file, entry(1), entry(2))
    place = file.follow(LedgerPosition(), nothing.append)
    assert place is not None

    path.write_bytes(entry(1).line())
    assert file.follow(place, nothing.append) is None
    path.rename(tmp_path / "old")
    assert file.follow(place, nothing.append) is None


def test_half_a_line_costs_only_itself(tmp_path: Path) -> None:
    """Whoever died in the middle of a line does not spoil the next."""
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(entry(1).line()[:30])
    file = LedgerFile(str(path))

    write(file, entry(2))

    assert [read_line(line) for line in lines_of(file)] == [None, entry(2)]


@pytest.mark.skipif(sys.platform == "win32", reason="no links and pipes of that kind")
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_only_a_regular_file_is_written(tmp_path: Path, kind: str) -> None:
    """Nothing is followed, nothing is waited for."""
    path, elsewhere = tmp_path / "ledger.jsonl", tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    match kind:
        case "link":
            path.symlink_to(elsewhere)
        case "pipe":
            os.mkfifo(path)
        case _:
            path.mkdir()

    with pytest.raises(OSError, match=r"ledger\.jsonl"):
        write(LedgerFile(str(path)), entry(1))
    assert elsewhere.read_text() == "mine"


def test_a_new_file_carries_the_day_on(tmp_path: Path) -> None:
    """However often it is begun anew: spent, held and begun are as if it never had been."""
    path = tmp_path / "ledger.jsonl"
    file, expected = LedgerFile(str(path), largest=3000), Tally()
    yesterday = entry(0, time=NOON - 86_400, cost=7.0)
    records: list[Record] = [yesterday, Start(NOON - 5, "running", 0.125)]
    for number in range(1, 200):
        records += [entry(number, time=NOON - number, cost=0.5)]

    for record in records:
        expected.take(record)
        write(file, record)

    day, found = day_of(NOON), tally_of(file)
    assert found.spent_on(day) == pytest.approx(99.5)
    assert found.held_on(day) == expected.held_on(day) == 0.125
    assert len(found.begun_since(NOON - 60)) == len(expected.begun_since(NOON - 60)) == 60
    kept = sorted(tmp_path.glob("ledger.jsonl*"))
    assert len(kept) == OLD_FILES + 2  # the file itself, those before it, and the lock
    # Once the opening is larger than the bound the file still takes a line: it is never refused.
    assert sum(each.stat().st_size for each in kept) < 5 * (OLD_FILES + 1) * 3000


def test_a_file_that_cannot_be_put_aside_goes_on_growing(tmp_path: Path) -> None:
    """No line is lost for it."""
    (tmp_path / "ledger.jsonl.new").mkdir()
    file = LedgerFile(str(tmp_path / "ledger.jsonl"), largest=100)

    write(file, *(entry(number) for number in range(5)))

    assert [read_line(line) for line in lines_of(file)] == [entry(number) for number in range(5)]


def test_the_sum_is_found_when_a_process_died_between_two_moves(tmp_path: Path) -> None:
    """The old file has gone aside and the new one is not in its place yet."""
    path = tmp_path / "ledger.jsonl"
    file = LedgerFile(str(path))
    write(file, entry(1), entry(2))
    path.rename(tmp_path / "ledger.jsonl.1")
    (tmp_path / "ledger.jsonl.new").write_bytes(Carry(NOON, 0.5).line())

    write(file, entry(3))

    assert tally_of(file).spent_on(day_of(NOON)) == pytest.approx(0.75)
    assert not (tmp_path / "ledger.jsonl.new").exists()


def test_processes_write_side_by_side(tmp_path: Path) -> None:
    """Four at once, through many new files: every line whole, every cent counted."""
    path, root = tmp_path / "ledger.jsonl", os.path.abspath(".")
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(number), root])
        for number in range(4)
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0, 0]

    file = LedgerFile(str(path))
    records = [read_line(line) for line in lines_of(file)]
    assert None not in records
    assert tally_of(file).spent_on(day_of(NOON)) == pytest.approx(200.0)
    ids = [record.id for record in records if isinstance(record, CallEntry)]
    assert len(ids) == len(set(ids))

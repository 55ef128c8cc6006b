"""The ledger on disk: one row a call, one owner, shared, and never a sum lost or a call failed."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.budget import database
from tebiki.budget.caps import Caps, ClientCaps, Standing
from tebiki.budget.database import LedgerDatabase
from tebiki.budget.paid_calls import CallStart, day_of
from tebiki.errors import OverBudget
from tests.support.ledgers import NOON, Warnings, entry, process_ledgers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tebiki.budget.paid_calls import PaidCall

DAY = 86_400.0

WRITER = """
import sys
sys.path.insert(0, sys.argv[3])
from pathlib import Path
from tebiki.budget.caps import Caps
from tebiki.budget.paid_calls import CallStart
from tebiki.errors import OverBudget
from tests.support.ledgers import NOON, entry, process_ledgers
ledgers = process_ledgers(Path(sys.argv[1]))
for number in range(20):
    name = f"{sys.argv[2]}-{number}"
    try:
        ledgers.begin(CallStart(NOON, "call" + name, 0.5), [Caps(daily_usd=15)])
    except OverBudget:
        continue
    ledgers.end(entry(name, cost=0.5))
"""


@pytest.fixture(name="warnings")
def _warnings() -> Warnings:
    return Warnings()


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "tebiki" / "ledger.db"


@pytest.fixture(name="ledger")
def _ledger(path: Path, warnings: Warnings) -> LedgerDatabase:
    return LedgerDatabase(str(path), warnings)


def calls_in(ledger: LedgerDatabase) -> list[PaidCall]:
    """Every call that has ended."""
    return ledger.calls_since("0000")[0]


def standing(ledger: LedgerDatabase, client: str = "") -> Standing:
    """What is counted at noon."""
    return ledger.standing(client, NOON)


@pytest.mark.requirement("people:ledger:private")
def test_a_call_is_read_as_it_was_written(path: Path, ledger: LedgerDatabase) -> None:
    """In a folder that was not there; for its owner alone."""
    written = [entry(1), entry(2, cost=None, held=0.5)._replace(client="al")]

    ledger.begin(CallStart(NOON, "call1", 0.25), [], NOON, {})
    for call in written:
        ledger.end(call, NOON)

    assert calls_in(ledger) == written
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert os.listdir(path.parent) == ["ledger.db"]


def test_reading_makes_nothing(path: Path, ledger: LedgerDatabase) -> None:
    """A ledger nobody has written is not there afterwards either."""
    assert calls_in(ledger) == []
    assert standing(ledger) == Standing()
    assert not path.parent.exists()


def test_what_runs_is_held_until_it_ends(ledger: LedgerDatabase) -> None:
    """And what was refused counts neither as money nor as a call."""
    ledger.begin(CallStart(NOON - 5, "a", 0.125), [], NOON, {})
    ledger.begin(CallStart(NOON - 3, "b", 0.5), [], NOON, {})
    ledger.end(entry(time=NOON - 3, cost=0.25)._replace(id="b"), NOON)
    ledger.end(entry("c", outcome="refused"), NOON)
    ledger.end(entry("yesterday", time=NOON - DAY, cost=7.0), NOON)

    assert standing(ledger) == Standing(0.25, 0.125, 2, (NOON - 5, NOON - 3))


def test_each_client_is_counted_apart(ledger: LedgerDatabase) -> None:
    """The user's own caps count them all."""
    for client in ("al", "al", "bo"):
        ledger.begin(CallStart(NOON, f"{client}", 0.5, client), [], NOON, {})

    assert (standing(ledger, "al").held_usd, standing(ledger).held_usd) == (1.0, 1.5)
    with pytest.raises(OverBudget, match=r"http\.daily_calls = 2"):
        ledger.begin(CallStart(NOON, "x", 0.5, "al"), [ClientCaps("al", None, 2)], NOON, {})
    ledger.begin(CallStart(NOON, "x", 0.5, "bo"), [ClientCaps("bo", None, 2)], NOON, {})


@pytest.mark.requirement("people:budget:shared")
def test_processes_write_side_by_side(path: Path) -> None:
    """Four at once: every row whole, every cent counted, and the cap exact to the call."""
    root = os.path.abspath(".")
    path.parent.mkdir(parents=True)
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(number), root])
        for number in range(4)
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0, 0]

    ledger = LedgerDatabase(str(path), Warnings())
    assert len(calls_in(ledger)) == 30
    assert standing(ledger)[:3] == (15.0, 0.0, 30)


def test_a_ledger_that_another_makes_meanwhile_is_ours(
    monkeypatch: pytest.MonkeyPatch, path: Path, ledger: LedgerDatabase
) -> None:
    """Between any two looks at a new file another process may make the tables."""
    connect, looks = sqlite3.connect, []

    def look(statement: str) -> None:
        looks.append(statement)
        if len(looks) == number:
            with monkeypatch.context() as plain:
                plain.setattr(sqlite3, "connect", connect)
                assert LedgerDatabase(str(path), Warnings()).standing("", NOON).calls == 0

    def connect_watched(*given: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*given, **named)
        connection.set_trace_callback(look)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_watched)
    for number in range(1, 5):
        looks.clear()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(0o600)

        assert ledger.standing("", NOON).calls == 0
        assert len(looks) >= number
        path.unlink()


@pytest.mark.skipif(sys.platform == "win32", reason="no links and pipes of that kind")
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_only_a_regular_file_is_written(path: Path, ledger: LedgerDatabase, kind: str) -> None:
    """Nothing is followed, nothing is waited for."""
    path.parent.mkdir(parents=True)
    elsewhere = path.with_name("elsewhere")
    elsewhere.write_text("mine")
    match kind:
        case "link":
            path.symlink_to(elsewhere)
        case "pipe":
            os.mkfifo(path)
        case _:
            path.mkdir()

    with pytest.raises(OSError, match=r"ledger\.db"):
        ledger.end(entry(1), NOON)
    assert elsewhere.read_text() == "mine"


def test_a_ledger_that_is_deleted_is_begun_again(path: Path, ledger: LedgerDatabase) -> None:
    """Deleting it is safe, also while a process runs."""
    ledger.end(entry(1), NOON)
    path.unlink()
    ledger.end(entry(2), NOON)

    assert calls_in(ledger) == [entry(2)]


@pytest.mark.requirement("people:ledger:damaged")
@pytest.mark.parametrize("damage", ["header", "pages", "half"])
def test_a_damaged_ledger_is_set_aside(
    path: Path, ledger: LedgerDatabase, warnings: Warnings, damage: str
) -> None:
    """It is said where it is; the next call is noted in a new one, and a second damage too."""
    for round_ in range(1, 3):
        for number in range(200):
            ledger.end(entry(f"{round_}.{number}"), NOON)
        content = path.read_bytes()
        broken = {
            "header": b"no database at all" + content[18:],
            "pages": content[:4096] + b"\xff" * (len(content) - 4096),
            "half": content[: len(content) // 2],
        }[damage]
        path.write_bytes(broken)

        ledger.begin(CallStart(NOON, "a", 0.25), [Caps(daily_usd=1)], NOON, {})

        assert standing(ledger).held_usd == 0.25
        aside = path.with_name(f"ledger.db.damaged-{round_}")
        assert aside.read_bytes() == broken
        assert len(warnings) == round_
        assert f"is damaged ({'file is not' if damage == 'header' else ''}" in warnings[-1]
        assert f"set aside as {aside}" in warnings[-1]


@pytest.mark.requirement("people:ledger:damaged")
def test_two_processes_set_one_damaged_ledger_aside(path: Path, warnings: Warnings) -> None:
    """Whoever comes second finds the new one, and leaves it where it is."""
    first, second = (LedgerDatabase(str(path), warnings) for _ in range(2))
    first.end(entry(1), NOON)
    path.write_bytes(b"broken" * 100)
    try:
        with closing(sqlite3.connect(path)) as other:
            other.execute("SELECT * FROM sqlite_master")
    except sqlite3.DatabaseError as damage:
        first._set_aside(damage)
        first.end(entry(2), NOON)
        second._set_aside(damage)

    assert calls_in(second) == [entry(2)]
    assert len(warnings) == 1


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("CREATE TABLE recipes (name)", "another program"),
        (f"PRAGMA application_id = {database.OURS}; PRAGMA user_version = 99", "a newer release"),
    ],
)
def test_what_is_not_ours_is_left_alone(
    path: Path, ledger: LedgerDatabase, script: str, words: str
) -> None:
    """A path by mistake costs nobody his data."""
    path.parent.mkdir(parents=True)
    other = sqlite3.connect(path)
    other.executescript(script)
    other.close()
    before = path.read_bytes()

    with pytest.raises(OSError, match=words):
        ledger.end(entry(1), NOON)
    assert path.read_bytes() == before


def test_rows_nobody_can_read_are_counted(path: Path, ledger: LedgerDatabase) -> None:
    """Whatever somebody wrote into it, what comes out is within bounds and safe to print."""
    for number in range(4):
        ledger.end(entry(number), NOON)
    other = sqlite3.connect(path)
    with other:
        other.execute("UPDATE calls SET tool = char(27) || '[31m' WHERE id = 'call0'")
        other.execute("UPDATE calls SET input_tokens = 'many' WHERE id = 'call1'")
        other.execute("UPDATE calls SET cost_usd = 1e300 WHERE id = 'call2'")
    other.close()

    assert ledger.calls_since("0000") == ([entry(3)], 3)


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file grow: what the system says to a write then is what a full disk makes it say."""
    import resource  # absent from Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.requirement("people:ledger:never-fails")
@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
def test_what_a_full_disk_refused_is_written_later(path: Path, warnings: Warnings) -> None:
    """Once: the cap goes on counting what is on disk and what is not, and nothing counts twice."""
    caps = [Caps(daily_usd=1.0)]
    ledgers = process_ledgers(path, warn=warnings)
    ledgers.end(entry(1, cost=0.5))
    with full_disk():
        ledgers.begin(CallStart(NOON, "call2", 0.4), caps)
        ledgers.end(entry(2, cost=0.3))
        ledgers.begin(CallStart(NOON, "call3", 0.3), caps)
        with pytest.raises(OverBudget, match=r"0\.80 USD.*about 0\.30 more is held"):
            ledgers.begin(CallStart(NOON, "call4", 0.1), caps)
    ledgers.end(entry(3, cost=0.1))
    ledgers.begin(CallStart(NOON, "call5", 0.05), caps)

    ledger = LedgerDatabase(str(path), warnings)
    assert [call.id for call in calls_in(ledger)] == ["call1", "call2", "call3"]
    assert standing(ledger)[:3] == pytest.approx((0.9, 0.05, 4))
    assert len(warnings) == 1
    assert "ledger.db cannot be written" in warnings[0]


def test_workers_have_a_file_of_their_own_where_the_ledger_refuses(
    tmp_path: Path, warnings: Warnings
) -> None:
    """Then they still count together."""
    (tmp_path / "ledger.db").mkdir()
    files = (tmp_path / "ledger.db", tmp_path / "shared.db")
    first, second = (process_ledgers(*files, warn=warnings) for _ in range(2))
    first.begin(CallStart(NOON, "a", 0.6, "al"), [ClientCaps("al", 1.0)])
    second.begin(CallStart(NOON, "b", 0.6, "al"), [ClientCaps("al", 1.0)])
    with pytest.raises(OverBudget):
        first.begin(CallStart(NOON, "c", 0.6, "al"), [ClientCaps("al", 1.0)])


def test_old_calls_make_room(
    path: Path, ledger: LedgerDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of this day stay, however many: a cap counts them."""
    monkeypatch.setattr(database, "MOST_CALLS", 5)
    for number in range(10):
        ledger.end(entry(f"old{number}", time=NOON - DAY), NOON)
    for number in range(10):
        ledger.end(entry(number), NOON)

    assert [call.id for call in calls_in(ledger)] == [f"call{number}" for number in range(10)]
    assert day_of(NOON) == "2026-11-16"
    assert path.exists()

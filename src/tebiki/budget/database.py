"""The ledger on disk: one row a call, in a database that several processes write.

It is opened for each step and closed again: steps are seconds apart, and so it may be deleted,
moved or replaced between any two. Looking and noting are one transaction, so two processes cannot
both be the last to get in. All of it may wait for the disk: no call waits for it.
"""

from __future__ import annotations

import os
import sqlite3
import weakref
from contextlib import closing, nullcontext, suppress
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from tebiki.budget import earlier_ledger
from tebiki.budget.caps import WINDOW_SECONDS, Standing, next_midnight
from tebiki.budget.earlier_ledger import IN_MEMORY
from tebiki.budget.paid_calls import CallStart, PaidCall, day_of, moment, record_of, stamp
from tebiki.system.file_locks import lock, unlock
from tebiki.system.private_files import open_regular, require_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from tebiki.budget.caps import Cap
    from tebiki.budget.paid_calls import Record

Result = TypeVar("Result")

PATIENCE_SECONDS = 10.0
"""How long one process waits for another's step; each takes a few milliseconds."""

MOST_CALLS = 100_000
"""Calls that are kept: some twenty megabytes. Those of this day are kept in any case."""

OURS = 0x74626B69
VERSION = 1
"""How a database says that it is a ledger, and of which form."""

DAMAGED = frozenset([sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB])
PRIMARY_CODE = 0xFF

TABLES = f"""
CREATE TABLE calls (
    number INTEGER PRIMARY KEY,
    time TEXT NOT NULL, id TEXT NOT NULL, client TEXT NOT NULL,
    tool TEXT NOT NULL, model TEXT NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL,
    searches INTEGER NOT NULL, attempts INTEGER NOT NULL,
    cost_usd REAL, held_usd REAL NOT NULL, duration_ms INTEGER NOT NULL,
    outcome TEXT, error TEXT
);
CREATE INDEX calls_by_time ON calls (time);
CREATE INDEX calls_by_id ON calls (id);
CREATE TABLE earlier_files (
    name TEXT PRIMARY KEY, size INTEGER NOT NULL, changed INTEGER NOT NULL, broken INTEGER NOT NULL
);
CREATE TABLE carried (time TEXT PRIMARY KEY, usd REAL NOT NULL);
PRAGMA application_id = {OURS};
PRAGMA user_version = {VERSION};
"""
"""A call without an outcome is running. `earlier_files` says what has been taken over from files of
earlier releases, `carried` what those had summed of calls that no file has any more."""

FIELDS = tuple(CallStart(0.0, "", 0.0).fields())
COLUMNS = ", ".join(FIELDS)
VALUES = ", ".join(f":{name}" for name in FIELDS)
# Nothing but the names of our own columns is put into these; what is read is always bound.
ADD = f"INSERT INTO calls ({COLUMNS}) VALUES ({VALUES})"  # noqa: S608
END = f"UPDATE calls SET ({COLUMNS}) = ({VALUES}) WHERE id = :id AND outcome IS NULL"  # noqa: S608
SELECT = f"SELECT {COLUMNS} FROM calls"  # noqa: S608
REMOVE = "DELETE FROM calls WHERE id = :id AND time = :time AND outcome IS :outcome"
IS_THERE = "SELECT 1 FROM calls WHERE id = :id AND time = :time AND outcome = :outcome"
HAS_BEGUN = "SELECT 1 FROM calls WHERE id = :id"

STANDING = """
SELECT
    TOTAL(CASE WHEN outcome IS NOT NULL THEN COALESCE(cost_usd, held_usd) END),
    TOTAL(CASE WHEN outcome IS NULL THEN held_usd END),
    COUNT(*)
FROM calls
WHERE time >= :day AND time < :next_day AND outcome IS NOT 'refused'
    AND (:client = '' OR client = :client)
"""
BEGUN = """
SELECT time FROM calls
WHERE time > :since AND time <= :until AND outcome IS NOT 'refused'
    AND (:client = '' OR client = :client)
ORDER BY time
"""
CARRIED = "SELECT TOTAL(usd) FROM carried WHERE time >= :day AND time < :next_day"

TRIM = "DELETE FROM calls WHERE number <= (SELECT MAX(number) FROM calls) - ? AND time < ?"


class LedgerDatabase:
    """One ledger; its methods may block and raise `OSError`."""

    def __init__(self, path: str, warn: Callable[[str], None]) -> None:
        self.path = path
        self._warn = warn
        self._warned: set[str] = set()
        self._memory: sqlite3.Connection | None = None
        if path == IN_MEMORY:
            self._memory = sqlite3.connect(IN_MEMORY, isolation_level=None, check_same_thread=False)
            # It lives as long as its ledger; nobody has to remember to close it.
            weakref.finalize(self, self._memory.close)

    def begin(
        self, start: CallStart, caps: Sequence[Cap], now: float, elsewhere: Mapping[str, Standing]
    ) -> None:
        """Note a call that is about to be sent; `elsewhere` is what other ledgers have counted.

        Raises:
            OverBudget: it may not be; then nothing is noted.
        """

        def check_and_add(database: sqlite3.Connection) -> None:
            for cap in caps:
                counted = _standing(database, cap.client, now)
                cap.check(counted.plus(elsewhere.get(cap.client, Standing())), now)
            database.execute(ADD, start.fields())

        self._run(check_and_add)

    def end(self, call: PaidCall, now: float) -> None:
        """Note a call that has ended."""

        def note(database: sqlite3.Connection) -> None:
            _add(database, call)
            database.execute(TRIM, (MOST_CALLS, day_of(now)))

        self._run(note)

    def standing(self, client: str, now: float) -> Standing:
        """What is counted for a client, or with no name for all."""
        if self._is_absent():
            return Standing()
        return self._run(lambda database: _standing(database, client, now), write=False)

    def calls_since(self, day: str) -> tuple[list[PaidCall], int]:
        """The calls that have ended since a day, and how many lines and rows nobody can read."""
        if self._is_absent():
            return [], 0

        def read(database: sqlite3.Connection) -> tuple[list[PaidCall], int]:
            broken = database.execute("SELECT TOTAL(broken) FROM earlier_files").fetchone()[0]
            rows = database.execute(f"{SELECT} WHERE time >= ? AND outcome IS NOT NULL", (day,))
            calls = [_record(row) for row in rows]
            sound = [call for call in calls if isinstance(call, PaidCall)]
            return sound, int(broken) + len(calls) - len(sound)

        return self._run(read, write=False)

    def records(self) -> list[Record]:
        """Everything that is noted."""
        rows = self._run(lambda database: database.execute(SELECT).fetchall(), write=False)
        return [record for row in rows if (record := _record(row)) is not None]

    def add(self, records: Iterable[Record]) -> None:
        """Add what another ledger held; what is there already is not added again."""

        def add_all(database: sqlite3.Connection) -> None:
            for record in records:
                _add(database, record)

        self._run(add_all)

    def remove(self, records: Iterable[Record]) -> None:
        """Forget what another ledger has taken."""
        fields = [record.fields() for record in records]
        self._run(lambda database: database.executemany(REMOVE, fields))

    def try_out(self) -> bool:
        """See whether a call could be noted, noting none; false when there is no ledger yet."""
        if not os.path.lexists(self.path):
            return False
        require_regular(self.path)
        try:
            with closing(sqlite3.connect(self.path, isolation_level=None)) as database:
                database.execute("BEGIN IMMEDIATE")
                _is_ready(database)
                database.execute("ROLLBACK")
        except sqlite3.Error as refused:
            raise OSError(str(refused)) from refused
        return True

    def _is_absent(self) -> bool:
        """Tell whether there is nothing to read, and so nothing to make for it."""
        return (
            self._memory is None
            and not os.path.lexists(self.path)
            and not any(map(os.path.lexists, earlier_ledger.files_of(self.path)))
        )

    def _run(self, work: Callable[[sqlite3.Connection], Result], *, write: bool = True) -> Result:
        """Do something in one transaction; a database that turns out damaged is set aside once."""
        try:
            try:
                return self._attempt(work, write=write)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._set_aside(error)
                return self._attempt(work, write=write)
        except sqlite3.Error as refused:
            raise OSError(str(refused)) from refused

    def _attempt(self, work: Callable[[sqlite3.Connection], Result], *, write: bool) -> Result:
        with self._connection() as database:
            if not _is_ready(database):
                _transact(database, _prepare)
            if earlier_ledger.changed_files(self.path, _known_files(database)):
                _transact(database, self._take_over)
            return _transact(database, work, begin="BEGIN IMMEDIATE" if write else "BEGIN")

    def _connection(self) -> AbstractContextManager[sqlite3.Connection]:
        if self._memory is not None:
            return nullcontext(self._memory)
        os.makedirs(os.path.dirname(self.path) or ".", mode=0o700, exist_ok=True)
        with suppress(FileExistsError):
            # Made here and not by SQLite: for its owner alone, as its journal then is too.
            os.close(open_regular(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
        require_regular(self.path)
        return closing(sqlite3.connect(self.path, timeout=PATIENCE_SECONDS, isolation_level=None))

    def _take_over(self, database: sqlite3.Connection) -> None:
        """Take over what earlier releases wrote; another process may have done it meanwhile."""
        for file in earlier_ledger.changed_files(self.path, _known_files(database)):
            try:
                broken = _read_earlier(database, file.path)
            except OSError as refused:
                self._warn_once(f"{file.path} cannot be read: {refused.strerror or refused}")
                continue
            if broken:
                self._warn_once(
                    f"{file.path} has lines that nobody can read ({broken}); all others are now in "
                    f"{self.path}, and the file is left as it is"
                )
            database.execute(
                "INSERT OR REPLACE INTO earlier_files VALUES (?, ?, ?, ?)",
                (os.path.basename(file.path), file.size, file.changed, broken),
            )

    def _set_aside(self, damage: sqlite3.DatabaseError) -> None:
        """Give a damaged database another name, unless another process was quicker."""
        descriptor = open_regular(f"{self.path}.lock", os.O_RDWR | os.O_CREAT)
        try:
            lock(descriptor)
            aside = _rename_damaged(self.path)
            unlock(descriptor)
        finally:
            os.close(descriptor)
        if aside == earlier_ledger.name_beside(self.path):
            self._warn_once(f"{self.path} is of an earlier release and is now {aside}")
        elif aside is not None:
            self._warn_once(
                f"the ledger {self.path} is damaged ({damage}) and was set aside as {aside}; a new "
                "one is begun, and caps do not count what only the old one holds"
            )

    def _warn_once(self, words: str) -> None:
        if words not in self._warned:
            self._warned.add(words)
            self._warn(words)


def _transact(
    database: sqlite3.Connection,
    work: Callable[[sqlite3.Connection], Result],
    begin: str = "BEGIN IMMEDIATE",
) -> Result:
    """Do something as a whole or not at all."""
    # A connection as a context ends what was begun: well, or not at all.
    with database:
        database.execute(begin)
        return work(database)


def _is_ready(database: sqlite3.Connection) -> bool:
    """Tell whether a database has our tables.

    Raises:
        OSError: it has somebody else's.
    """
    # Asked for first: another process may make ours meanwhile, and signs them along with that.
    has_tables = database.execute("SELECT 1 FROM sqlite_master").fetchone() is not None
    program = database.execute("PRAGMA application_id").fetchone()[0]
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if (program, version) == (OURS, VERSION):
        return True
    if program == OURS:
        raise OSError("it was written by a newer release")
    if has_tables:
        raise OSError("it is the database of another program")
    return False


def _prepare(database: sqlite3.Connection) -> None:
    """Make the tables, unless another process has done it meanwhile."""
    if not _is_ready(database):
        for statement in TABLES.split(";"):
            database.execute(statement)


def _standing(database: sqlite3.Connection, client: str, now: float) -> Standing:
    given = {
        "client": client,
        "day": day_of(now),
        "next_day": day_of(next_midnight(now)),
        "since": stamp(now - WINDOW_SECONDS),
        # A clock that was set back leaves calls in the future; far ones would shut us for long.
        "until": stamp(now + WINDOW_SECONDS),
    }
    spent, held, calls = database.execute(STANDING, given).fetchone()
    carried = 0.0 if client else database.execute(CARRIED, given).fetchone()[0]
    begun = tuple(moment(time) for (time,) in database.execute(BEGUN, given))
    return Standing(spent + carried, held, calls, begun)


def _add(database: sqlite3.Connection, record: Record) -> None:
    """Add a call, or end one that is running; what is there already stays as it is."""
    fields = record.fields()
    if isinstance(record, CallStart):
        is_there = database.execute(HAS_BEGUN, fields).fetchone() is not None
    else:
        is_there = database.execute(IS_THERE, fields).fetchone() is not None
        is_there = is_there or database.execute(END, fields).rowcount > 0
    if not is_there:
        database.execute(ADD, fields)


def _record(row: tuple[Any, ...]) -> Record | None:
    return record_of(dict(zip(FIELDS, row, strict=True)))


def _known_files(database: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Which files of earlier releases were read: how large they were, and when last changed."""
    rows = database.execute("SELECT name, size, changed FROM earlier_files")
    return {name: (size, changed) for name, size, changed in rows}


def _read_earlier(database: sqlite3.Connection, path: str) -> int:
    """Add what a file of an earlier release holds; gives how many of its lines nobody can read."""
    broken = 0
    for record in earlier_ledger.records_in(path):
        if record is None:
            broken += 1
        elif isinstance(record, earlier_ledger.Carry):
            # The files before it may be gone; then it alone knows what their calls had cost.
            missing = record.spent_usd - _standing(database, "", record.time).spent_usd
            row = (stamp(record.time), max(0.0, round(missing, 6)))
            database.execute("INSERT OR IGNORE INTO carried VALUES (?, ?)", row)
        else:
            _add(database, record)
    return broken


def _rename_damaged(path: str) -> str | None:
    """Move a database away, if it is damaged still; gives its new name."""
    try:
        with closing(sqlite3.connect(path, timeout=PATIENCE_SECONDS)) as database:
            if database.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok":
                return None
    except sqlite3.DatabaseError as error:
        if not _is_damage(error):
            raise
    names = (f"{path}.damaged-{number}" for number in count(1))
    aside = next(name for name in names if not os.path.lexists(name))
    beside = earlier_ledger.name_beside(path)
    if earlier_ledger.is_one(path) and not os.path.lexists(beside):
        aside = beside
    os.rename(path, aside)
    with suppress(FileNotFoundError):
        os.rename(f"{path}-journal", f"{aside}-journal")
    return aside


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE in DAMAGED

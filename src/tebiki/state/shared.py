"""The store of several processes on one machine: a small database file, gone with the server.

Every thing is written as JSON, so what one worker kept another can read. Deleting the file is safe:
clients search again.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from tebiki.state.store import Kept, Lease, Shelf

PATIENCE_SECONDS = 10.0
"""How long one worker waits for another's write; each takes a millisecond."""

RETRY_SECONDS = 0.01
"""Between two tries to make the file ready while another worker does."""

OCCUPIED = frozenset([sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED])

TABLES = """
CREATE TABLE IF NOT EXISTS things (
    shelf TEXT NOT NULL, owner TEXT NOT NULL, key TEXT NOT NULL,
    moment REAL NOT NULL, used INTEGER NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (shelf, owner, key)
);
CREATE INDEX IF NOT EXISTS things_by_key ON things (shelf, key);
CREATE INDEX IF NOT EXISTS things_by_use ON things (shelf, used);
CREATE TABLE IF NOT EXISTS counts (
    name TEXT NOT NULL, owner TEXT NOT NULL, stretch INTEGER NOT NULL, number REAL NOT NULL,
    PRIMARY KEY (name, owner)
);
CREATE TABLE IF NOT EXISTS leases (
    name TEXT NOT NULL, owner TEXT NOT NULL, key TEXT NOT NULL,
    amount REAL NOT NULL, until REAL NOT NULL,
    PRIMARY KEY (name, owner, key)
);
CREATE INDEX IF NOT EXISTS leases_by_end ON leases (until);
"""

# Placeholders of what is bound twice have names: numbered ones are deprecated since Python 3.12.
PUT = """
INSERT OR REPLACE INTO things VALUES (
    :shelf, :owner, :key, :moment,
    (SELECT COALESCE(MAX(used), 0) + 1 FROM things WHERE shelf = :shelf), :value
)
"""

GET = """
SELECT value FROM things
WHERE shelf = ? AND owner = ? AND key = ? AND moment > ? AND moment < ?
"""

HAS_KEY = "SELECT 1 FROM things WHERE shelf = ? AND key = ? AND moment > ? AND moment < ?"

USE = """
UPDATE things SET used = (SELECT MAX(used) + 1 FROM things WHERE shelf = :shelf)
WHERE shelf = :shelf AND owner = :owner AND key = :key
"""

COUNT = """
INSERT INTO counts VALUES (?, ?, ?, ?) ON CONFLICT (name, owner) DO UPDATE SET
    number = excluded.number + CASE WHEN stretch = excluded.stretch THEN number ELSE 0 END,
    stretch = excluded.stretch
RETURNING number
"""

LEASED = "SELECT COALESCE(SUM(amount), 0) FROM leases WHERE name = ? AND owner = ?"
RENEW = "UPDATE leases SET until = ? WHERE name = ? AND owner = ? AND key = ? AND until > ?"

DROP_BEYOND = """
DELETE FROM things WHERE rowid IN (
    SELECT rowid FROM things WHERE shelf = ? ORDER BY used DESC LIMIT -1 OFFSET ?
)
"""
DROP_OWNERS_BEYOND = """
DELETE FROM things WHERE rowid IN (
    SELECT rowid FROM things WHERE shelf = ? AND owner = ? ORDER BY used DESC LIMIT -1 OFFSET ?
)
"""


class SharedStore:
    """Keeps things in a file that several processes have open."""

    waits = True

    def __init__(self, path: str, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        # One connection, guarded by the lock: writes of one process wait for each other anyway.
        self._database = sqlite3.connect(
            path, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            self._prepare()
        except sqlite3.Error:
            self._database.close()
            raise

    def _prepare(self) -> None:
        """Make what is not there yet; several workers do it at the same moment.

        The switch to a write-ahead log fails at once, where every other statement would wait.
        """
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
                self._database.execute("PRAGMA synchronous = OFF")
                self._database.execute("PRAGMA secure_delete = ON")
                self._database.executescript(TABLES)
            except sqlite3.OperationalError as refused:
                if refused.sqlite_errorcode not in OCCUPIED or time.monotonic() >= until:
                    raise
                time.sleep(RETRY_SECONDS)
            else:
                return

    def put(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> None:
        """Keep a thing, in place of one with the same key."""
        text = json.dumps(shelf.pack(value))
        with self._transaction():
            self._put(shelf, owner, key, text)

    def add(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> bool:
        """Keep a thing, unless somebody has that key already."""
        text = json.dumps(shelf.pack(value))
        # Looking and putting are one step: two workers cannot both be the first.
        with self._transaction():
            taken = self._database.execute(
                HAS_KEY, (shelf.name, key, *self._bounds(shelf))
            ).fetchone()
            if taken is None:
                self._put(shelf, owner, key, text)
            return taken is None

    def get(self, shelf: Shelf[Kept], owner: str, key: str) -> Kept | None:
        """Give a thing that is still kept for that owner."""
        with self._lock:
            found = self._database.execute(
                GET, (shelf.name, owner, key, *self._bounds(shelf))
            ).fetchone()
            if found is not None and shelf.by_use:
                self._database.execute(USE, {"shelf": shelf.name, "owner": owner, "key": key})
        return None if found is None else shelf.unpack(json.loads(found[0]))

    def clear(self, shelf_name: str) -> None:
        """Forget everything on a shelf; then it is in none of the database's files."""
        with self._transaction():
            self._database.execute("DELETE FROM things WHERE shelf = ?", (shelf_name,))
        with self._lock:
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def count(self, name: str, owner: str, seconds: int, amount: float = 1) -> float:
        """Add to an owner's sum of this stretch of time."""
        stretch = int(self._clock() // seconds)
        with self._lock:
            row = self._database.execute(COUNT, (name, owner, stretch, amount)).fetchone()
            number: float = row[0]
            if number == amount:
                self._database.execute(
                    "DELETE FROM counts WHERE name = ? AND stretch < ?", (name, stretch)
                )
        return number

    def lease(self, lease: Lease, most: float, seconds: float) -> float | None:
        """Take something of an owner's for a while."""
        now = self._clock()
        name, owner, key, amount = lease
        with self._transaction():
            self._database.execute("DELETE FROM leases WHERE until <= ?", (now,))
            taken: float = self._database.execute(LEASED, (name, owner)).fetchone()[0]
            if taken >= most:
                return None
            self._database.execute(
                "INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?)",
                (name, owner, key, amount, now + seconds),
            )
            return taken

    def renew(self, leases: Collection[Lease], seconds: float) -> None:
        """Keep what is still held."""
        now = self._clock()
        with self._transaction():
            self._database.executemany(
                RENEW, [(now + seconds, name, owner, key, now) for name, owner, key, _ in leases]
            )

    def release(self, lease: Lease) -> None:
        """Give back what was taken."""
        with self._lock:
            self._database.execute(
                "DELETE FROM leases WHERE name = ? AND owner = ? AND key = ?", lease[:3]
            )

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._database.close()

    def _bounds(self, shelf: Shelf[Kept]) -> tuple[float, float]:
        """Between which moments a thing must have been put to be kept still.

        As far ahead as behind: what a clock set back has left in the future ends too.
        """
        now = self._clock()
        return now - shelf.seconds, now + shelf.seconds

    def _put(self, shelf: Shelf[Kept], owner: str, key: str, text: str) -> None:
        name = shelf.name
        thing = {"shelf": name, "owner": owner, "key": key, "moment": self._clock(), "value": text}
        self._database.execute(PUT, thing)
        self._database.execute(
            "DELETE FROM things WHERE shelf = ? AND moment <= ?", (name, self._bounds(shelf)[0])
        )
        self._database.execute(DROP_OWNERS_BEYOND, (name, owner, shelf.most))
        self._database.execute(DROP_BEYOND, (name, shelf.most_in_all))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Do several things as one; all of them, or none when one fails."""
        # A connection as a context ends what was begun: well, or not at all.
        with self._lock, self._database:
            self._database.execute("BEGIN IMMEDIATE")
            yield

"""Writes that another server sends, perhaps more than once: each is done once.

A record of its own holds what came of each request; the notes' journal holds the request's id with
the write itself. A server that dies between the two finds there whether the write took effect. The
record is on disk before a write begins, and again before anybody hears of its result.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing, contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from tebiki.errors import Conflict
from tebiki.system.file_locks import lock
from tebiki.vault.requests import note_request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.vault.entries import JournalEntry
    from tebiki.vault.vault import Vault

KEPT_SECONDS = 7 * 86_400
"""How long a result is given again; whoever sends a call again does so within minutes."""

PATIENCE_SECONDS = 10.0
LOCKS = 64
PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600

TABLE = """
CREATE TABLE IF NOT EXISTS requests (
    id TEXT PRIMARY KEY, time REAL NOT NULL, asked TEXT NOT NULL, result TEXT
)
"""

Answer = dict[str, Any]


class ForwardedWrites:
    """Does each request once, whichever of this server's processes it reaches, and how often."""

    def __init__(self, folder: str, vault: Callable[[], Vault], clock: Callable[[], float]) -> None:
        self._folder = folder
        self._vault = vault
        self._clock = clock

    def once(self, request: str, call: dict[str, Any], work: Callable[[], Answer]) -> Answer:
        """Do a write, or give what came of it the first time.

        Raises:
            Conflict: the id was another call's, or the record cannot be written; nothing was done.
        """
        asked = sha256(json.dumps(call, sort_keys=True).encode()).hexdigest()
        with _unwritable():
            os.makedirs(self._folder, PRIVATE_FOLDER, exist_ok=True)
            with self._alone(request), closing(self._open()) as record:
                is_again, result = self._begin(record, request, asked)
                if result is None and is_again:
                    result = self._recover(request, call)
                if result is None:
                    with note_request(request):
                        result = work()
                self._end(record, request, result)
                return result

    @contextmanager
    def _alone(self, request: str) -> Iterator[None]:
        """Let the same request wait, in whichever process; a dead one holds up nobody."""
        number = int(sha256(request.encode()).hexdigest(), 16) % LOCKS
        path = os.path.join(self._folder, f"lock-{number}")
        descriptor = os.open(
            path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), PRIVATE_FILE
        )
        try:
            lock(descriptor)
            yield
        finally:
            os.close(descriptor)

    def _open(self) -> sqlite3.Connection:
        path = os.path.join(self._folder, "requests.db")
        record = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None)
        os.chmod(path, PRIVATE_FILE)
        record.execute("PRAGMA synchronous = FULL")
        record.execute(TABLE)
        return record

    def _begin(
        self, record: sqlite3.Connection, request: str, asked: str
    ) -> tuple[bool, Answer | None]:
        """Note that a request was heard; gives whether it was before, and what came of it."""
        found = record.execute(
            "SELECT asked, result FROM requests WHERE id = ?", (request,)
        ).fetchone()
        if found is None:
            now = self._clock()
            record.execute("DELETE FROM requests WHERE time < ?", (now - KEPT_SECONDS,))
            record.execute("INSERT INTO requests VALUES (?, ?, ?, NULL)", (request, now, asked))
            return False, None
        if found[0] != asked:
            raise Conflict("This id was another call's; nothing was written.")
        return True, None if found[1] is None else json.loads(found[1])

    def _end(self, record: sqlite3.Connection, request: str, result: Answer) -> None:
        text = json.dumps(result)
        record.execute("UPDATE requests SET result = ? WHERE id = ?", (text, request))

    def _recover(self, request: str, call: dict[str, Any]) -> Answer | None:
        """What came of a request whose server died before it could note that; None: nothing did."""
        entry = self._vault().entry_of(request)
        return None if entry is None else {"result": _result_of(entry, call, self._vault())}


@contextmanager
def _unwritable() -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as refused:
        raise Conflict(
            f"The record of forwarded writes cannot be written ({refused}); try again later."
        ) from refused


def _result_of(entry: JournalEntry, call: dict[str, Any], vault: Vault) -> dict[str, Any]:
    """The result of a write, from what the journal knows of it."""
    form: dict[str, Any] = {"written_path": entry.path, "etag": entry.after}
    if entry.kind == "replace":
        return form | {"replacements": len(entry.edits), "diff": vault.diff(entry.entry)}
    if entry.kind == "create":
        return form | {"written_bytes": len(str(call["arguments"]["content"]).encode())}
    grown = sum(len(edit.added) - len(edit.removed) for edit in entry.edits)
    return form | {"written_bytes": grown}

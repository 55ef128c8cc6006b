"""Who has called lately, for the owner of a server: names and how often, never what was asked.

Kept in the store, so that the page of any worker can tell. Written at most once in a while for each
client: what is counted in between is added then.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from tebiki.state.looped import LoopedStore
from tebiki.state.store import EVERYBODY, Shelf

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.state.store import StateStore

SEEN_SECONDS = 24 * 60 * 60
WRITE_SECONDS = 2.0
MOST_CLIENTS = 200
LONGEST_NAME = 100

ROSTER: Shelf[dict[str, Any]] = Shelf("roster", most=1, seconds=SEEN_SECONDS)
KEY = "clients"


class Roster:
    """Notes calls of clients, from any thread; a loop is never held up for it."""

    def __init__(self, store: StateStore, clock: Callable[[], float]) -> None:
        self._store = store
        self._looped = LoopedStore(store)
        self._clock = clock
        self._waiting: dict[str, dict[str, Any]] = {}
        self._written = 0.0
        self._lock = threading.Lock()

    def note(self, principal: str, client: Any) -> None:
        """Note a call, and as whom its client has introduced itself."""
        info = client if isinstance(client, dict) else {}
        name, version = _plain(info.get("name")), _plain(info.get("version"))
        now = self._clock()
        with self._lock:
            row = self._waiting.setdefault(
                f"{principal}\0{name}\0{version}",
                {"principal": principal, "name": name, "version": version, "calls": 0},
            )
            row |= {"calls": row["calls"] + 1, "seen": now}
            is_due = abs(now - self._written) >= WRITE_SECONDS
            if is_due:
                self._written = now
        if is_due:
            self._looped.do(self._write)

    def rows(self) -> list[dict[str, Any]]:
        """Those who called in the last day, the latest first."""
        self._write()
        oldest = self._clock() - SEEN_SECONDS
        kept = self._store.get(ROSTER, EVERYBODY, KEY) or {}
        rows = [row for row in kept.values() if row["seen"] >= oldest]
        return sorted(rows, key=lambda row: -row["seen"])

    def _write(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        if not waiting:
            return
        noted = self._store.get(ROSTER, EVERYBODY, KEY)
        kept = {} if noted is None else dict(noted)
        for key, row in waiting.items():
            before = kept.get(key, {}).get("calls", 0)
            kept[key] = {**row, "calls": before + row["calls"]}
        newest = sorted(kept.items(), key=lambda item: -item[1]["seen"])[:MOST_CLIENTS]
        self._store.put(ROSTER, EVERYBODY, KEY, dict(newest))


def _plain(value: Any) -> str:
    text = value if isinstance(value, str) else ""
    return "".join(sign for sign in text if sign.isprintable())[:LONGEST_NAME]

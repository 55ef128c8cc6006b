"""What private tools have told each client, as hashes, and whether a question repeats any of it.

Hashes are kept in lots on a shelf of the store, by client, the oldest forgotten first. The key that
makes them is random and shared only by the workers of one server.
"""

from __future__ import annotations

import os
import threading
from base64 import b64decode, b64encode
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING

from tebiki.guard.spans import HASH_BYTES, WebQuestion, hash_spans
from tebiki.state.store import EVERYBODY, Shelf

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tebiki.state.store import StateStore

MOST_SPANS = 200_000
"""Kept of one client; the same bound holds for what is looked at of one question."""

LOT_SPANS = 2_000
LOTS = MOST_SPANS // LOT_SPANS
DAY_SECONDS = 86_400
KEY_BYTES = 32

LOTS_BEFORE_AGAIN = LOTS // 2
"""After so many lots more, a text that is told again is hashed again: the oldest are forgotten."""

MOST_TEXTS = 2_000
"""Of one client, of which a worker knows that it has hashed them."""


LOTS_OF = "guard-lots"
"""As what the lots of a client are counted."""


def _digest(text: str, key: bytes) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=key).digest()


def _write(lot: bytes) -> str:
    return b64encode(lot).decode("ascii")


SPANS: Shelf[bytes] = Shelf(
    "guard", most=LOTS, seconds=float(DAY_SECONDS), pack=_write, unpack=b64decode
)
KEYS: Shelf[bytes] = Shelf("guard-key", most=1, seconds=float("inf"), pack=_write, unpack=b64decode)


class PrivateSpans:
    """The hashes of one server's clients; safe for many threads."""

    def __init__(self, store: StateStore, lot_spans: int = LOT_SPANS) -> None:
        self._store = store
        self._lot_bytes = lot_spans * HASH_BYTES
        self._key = b""
        self._lock = threading.Lock()
        self._open: dict[str, tuple[int, bytes]] = {}
        self._told: dict[str, dict[bytes, int]] = {}
        """By client: what each text is known by, and how many lots there were then."""

    def remember(self, client: str, texts: Iterable[str], said: Iterable[str] = ()) -> None:
        """Remember what a client was told; what it had said itself is no secret by that.

        A text that it was told lately is not hashed again: finds and readings repeat themselves,
        and to hash the spans of a page takes longer than to find it.
        """
        key = self._shared_key()
        lots = self._lots_begun(client)
        known_by = {text: _digest(text, key) for text in texts}
        new = {text: by for text, by in known_by.items() if not self._is_told(client, by, lots)}
        if not new:
            return
        spans = {span for text in new for span in islice(hash_spans(text, key), MOST_SPANS)}
        own = {span for text in said for span in islice(hash_spans(text, key), MOST_SPANS)}
        is_whole = spans.isdisjoint(own)
        spans -= own
        with self._lock:
            if spans:
                self._keep(client, b"".join(spans))
            if is_whole:
                self._note_told(client, new.values(), lots)

    def count_repeated(self, client: str, texts: Iterable[str]) -> int:
        """How many spans of a question the client was told by private tools."""
        key = self._shared_key()
        questions = [WebQuestion(text, key, MOST_SPANS) for text in texts]
        asked = {span for question in questions for span in question.hashes}
        if not asked:
            return 0
        repeated: set[bytes] = set()
        for number in range(LOTS):
            lot = self._store.get(SPANS, client, str(number)) or b""
            known = {lot[at : at + HASH_BYTES] for at in range(0, len(lot), HASH_BYTES)}
            repeated |= asked & known
        return sum(question.count(repeated) for question in questions)

    def _keep(self, client: str, data: bytes) -> None:
        """Fill the lot that is open, and begin others; only while the lock is held."""
        number, lot = self._open.get(client) or (self._next_lot(client), b"")
        while data:
            if len(lot) == self._lot_bytes:
                number, lot = self._next_lot(client), b""
            taken = self._lot_bytes - len(lot)
            lot, data = lot + data[:taken], data[taken:]
            self._store.put(SPANS, client, str(number), lot)
        self._open[client] = number, lot
        if len(self._open) > LOTS:
            self._open.pop(next(iter(self._open)))

    def _next_lot(self, client: str) -> int:
        """The number of a lot that no other worker fills; in time it is an older one's."""
        return int(self._store.count(LOTS_OF, client, DAY_SECONDS)) % LOTS

    def _lots_begun(self, client: str) -> int:
        """How many lots all workers have begun for a client today."""
        return int(self._store.count(LOTS_OF, client, DAY_SECONDS, 0))

    def _is_told(self, client: str, by: bytes, lots: int) -> bool:
        """Tell whether a text was hashed so lately that its spans are still kept."""
        with self._lock:
            then = self._told.get(client, {}).get(by)
        # Another day counts from the beginning, and so does a store that was lost.
        return then is not None and 0 <= lots - then < LOTS_BEFORE_AGAIN

    def _note_told(self, client: str, known_by: Iterable[bytes], lots: int) -> None:
        """Remember which texts were hashed; only while the lock is held."""
        told = self._told.pop(client, {})
        told.update(dict.fromkeys(known_by, lots))
        self._told[client] = dict(islice(told.items(), max(0, len(told) - MOST_TEXTS), None))
        if len(self._told) > LOTS:
            self._told.pop(next(iter(self._told)))

    def _shared_key(self) -> bytes:
        with self._lock:
            if not self._key:
                mine = os.urandom(KEY_BYTES)
                self._store.add(KEYS, EVERYBODY, "key", mine)
                self._key = self._store.get(KEYS, EVERYBODY, "key") or mine
            return self._key

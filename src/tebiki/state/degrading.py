"""The store of a server that shares its state with others, for as long as that can be reached.

While it is away a server keeps what it is given in its own memory, so that clients are served, and
hands it over once the others can have it. It is not asked at every call then, but once a second:
nobody waits for it again and again. What must not be guessed (who has spent how much) asks
`strictly`, and is told that nobody knows.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol, TypeVar

from tebiki.state.memory import MemoryStateStore
from tebiki.state.store import StateAway, StateStore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from tebiki.state.store import Kept, Lease, Shelf

Given = TypeVar("Given")

PAUSE_SECONDS = 1.0
"""How long a store that did not answer is left alone."""


class RemoteStore(StateStore, Protocol):
    """A store that may be away: every method raises `StateAway` then."""

    def try_out(self) -> None:
        """Do what a server does with it."""


class Breaker:
    """Lets calls through to a store that answers, and one a second to one that does not."""

    def __init__(
        self,
        try_out: Callable[[], None],
        monotonic: Callable[[], float],
        tell: Callable[[str], None],
    ) -> None:
        self._try_out = try_out
        self._monotonic = monotonic
        self._tell = tell
        self._lock = threading.Lock()
        self._closed_until = 0.0
        self._reason: str | None = None

    @property
    def reason(self) -> str | None:
        """Why the store is left alone; None while it answers."""
        return self._reason

    def ask(self, wanted: Callable[[], Given]) -> tuple[Given, bool]:
        """Ask it; gives the answer, and whether it is the first after a time without.

        Raises:
            StateAway: it did not answer, or is left alone.
        """
        with self._lock:
            now, was_away = self._monotonic(), self._reason is not None
            if self._reason is not None:
                if now < self._closed_until:
                    raise StateAway(self._reason, never_sent=True)
                # This one tries; the others do without until it knows.
                self._closed_until = now + PAUSE_SECONDS
        if was_away:
            # One that is full, or a copy, answers who reads and refuses who writes.
            self._attempt(self._try_out, never_sent=True)
        return self._attempt(wanted), self._note_back()

    def _attempt(self, wanted: Callable[[], Given], *, never_sent: bool = False) -> Given:
        try:
            return wanted()
        except StateAway as away:
            self._note_away(str(away))
            if never_sent:
                raise StateAway(str(away), never_sent=True) from away
            raise

    def _note_away(self, words: str) -> None:
        with self._lock:
            is_news, self._reason = self._reason is None, words
            self._closed_until = self._monotonic() + PAUSE_SECONDS
        if is_news:
            self._tell(
                f"state: degraded ({words}); this server goes on by itself and refuses paid calls "
                "whose limits it cannot count"
            )

    def _note_back(self) -> bool:
        if self._reason is None:
            return False
        with self._lock:
            was_away, self._reason = self._reason is not None, None
        if was_away:
            self._tell("state: shared again")
        return was_away


class DegradingStore:
    """Keeps things where all servers find them, and in its own memory while that is away."""

    waits = True

    def __init__(
        self,
        remote: RemoteStore,
        clock: Callable[[], float],
        monotonic: Callable[[], float],
        tell: Callable[[str], None],
    ) -> None:
        self._remote = remote
        self._clock = clock
        self._breaker = Breaker(remote.try_out, monotonic, tell)
        self._lock = threading.Lock()
        self._own: Spilt | None = None

    def look(self) -> str | None:
        """Ask the shared store once more; gives why it is away, or None."""
        self._ask(self._remote.try_out, lambda: None)
        return self._breaker.reason

    def strictly(self, wanted: Callable[[StateStore], Given]) -> Given:
        """Ask the shared store and no other.

        Raises:
            StateAway: it is away.
        """
        answer, is_back = self._breaker.ask(lambda: wanted(self._remote))
        if is_back:
            self._hand_over()
        return answer

    def put(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> None:
        """Keep a thing, in place of one with the same key."""
        self._ask(
            lambda: self._remote.put(shelf, owner, key, value),
            lambda: self._spilt().put(shelf, owner, key, value),
        )

    def add(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> bool:
        """Keep a thing, unless somebody has that key already."""
        return self._ask(
            lambda: self._remote.add(shelf, owner, key, value),
            lambda: self._spilt().add(shelf, owner, key, value),
        )

    def get(self, shelf: Shelf[Kept], owner: str, key: str) -> Kept | None:
        """Give a thing that is still kept for that owner."""
        # Looked for first: what is handed over meanwhile is in one of the two.
        own = self._own
        found = self._ask(lambda: self._remote.get(shelf, owner, key), lambda: None)
        if found is None and own is not None:
            return own.store.get(shelf, owner, key)
        return found

    def clear(self, shelf_name: str) -> None:
        """Forget everything on a shelf."""
        own = self._own
        if own is not None:
            own.clear(shelf_name)
        self._ask(lambda: self._remote.clear(shelf_name), lambda: None)

    def count(self, name: str, owner: str, seconds: int, amount: float = 1) -> float:
        """Add to an owner's sum of this stretch of time."""
        return self._ask(
            lambda: self._remote.count(name, owner, seconds, amount),
            lambda: self._spilt().store.count(name, owner, seconds, amount),
        )

    def lease(self, lease: Lease, most: float, seconds: float) -> float | None:
        """Take something of an owner's for a while."""
        return self._ask(
            lambda: self._remote.lease(lease, most, seconds),
            lambda: self._spilt().store.lease(lease, most, seconds),
        )

    def renew(self, leases: Collection[Lease], seconds: float) -> None:
        """Keep what is still held."""
        own = self._own
        if own is not None:
            own.store.renew(leases, seconds)
        self._ask(lambda: self._remote.renew(leases, seconds), lambda: None)

    def release(self, lease: Lease) -> None:
        """Give back what was taken, here or there; what cannot be told ends by itself."""
        own = self._own
        if own is not None:
            own.store.release(lease)
        self._ask(lambda: self._remote.release(lease), lambda: None)

    def _ask(self, wanted: Callable[[], Given], instead: Callable[[], Given]) -> Given:
        try:
            answer, is_back = self._breaker.ask(wanted)
        except StateAway:
            return instead()
        if is_back:
            self._hand_over()
        return answer

    def _spilt(self) -> Spilt:
        with self._lock:
            if self._own is None:
                self._own = Spilt(self._clock)
            return self._own

    def _hand_over(self) -> None:
        """Give the others what they missed, beside the calls that go on."""
        with self._lock:
            own = self._own
        if own is not None:
            threading.Thread(target=self._hand, args=(own,), name="state", daemon=True).start()

    def _hand(self, own: Spilt) -> None:
        try:
            own.hand_to(self._remote)
        except StateAway:
            return  # away again; it is all still here
        with self._lock:
            if self._own is own and own.is_empty():
                self._own = None


class Spilt:
    """What one server keeps while the shared store is away."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.store = MemoryStateStore(clock)
        self._lock = threading.Lock()
        self._puts: dict[tuple[str, str, str], Callable[[StateStore], object]] = {}

    def put(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> None:
        """Keep a thing, and remember that it has to be handed over."""
        self.store.put(shelf, owner, key, value)
        self._note(shelf, owner, key)

    def add(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> bool:
        """Keep a thing, unless this server has that key already."""
        is_new = self.store.add(shelf, owner, key, value)
        if is_new:
            self._note(shelf, owner, key)
        return is_new

    def clear(self, shelf_name: str) -> None:
        """Forget everything on a shelf."""
        self.store.clear(shelf_name)
        with self._lock:
            for place in [place for place in self._puts if place[0] == shelf_name]:
                del self._puts[place]

    def is_empty(self) -> bool:
        """Tell whether all of it was handed over."""
        return not self._puts

    def hand_to(self, other: StateStore) -> None:
        """Put everything there that is still kept here, the oldest first."""
        while self._puts:
            with self._lock:
                place = next(iter(self._puts), None)
                hand = None if place is None else self._puts[place]
            if place is None or hand is None:
                return
            hand(other)
            with self._lock:
                if self._puts.get(place) is hand:
                    del self._puts[place]

    def _note(self, shelf: Shelf[Kept], owner: str, key: str) -> None:
        def hand(other: StateStore) -> None:
            value = self.store.get(shelf, owner, key)
            if value is not None:
                other.put(shelf, owner, key, value)

        with self._lock:
            self._puts[shelf.name, owner, key] = hand
            if len(self._puts) > shelf.most_in_all:
                del self._puts[next(iter(self._puts))]

"""The store of one process: the things themselves, in its memory."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from tebiki.state.store import Kept, Lease, Shelf

Place = tuple[str, str]
"""Owner and key; or what is leased, and its owner."""


class Things:
    """What stands on one shelf, the oldest first."""

    __slots__ = ("by_place", "of_key", "of_owner")

    def __init__(self) -> None:
        self.of_key: Counter[str] = Counter()
        self.by_place: OrderedDict[Place, tuple[float, Any]] = OrderedDict()
        self.of_owner: Counter[str] = Counter()

    def set(self, place: Place, moment: float, value: Any) -> None:
        """Put a thing at the newest end."""
        self.drop(place)
        self.by_place[place] = (moment, value)
        self.of_owner[place[0]] += 1
        self.of_key[place[1]] += 1

    def drop(self, place: Place) -> None:
        """Take a thing away, if it is there."""
        if self.by_place.pop(place, None) is not None:
            for counts, of in zip((self.of_owner, self.of_key), place, strict=True):
                counts[of] -= 1
                if not counts[of]:
                    del counts[of]

    def oldest_of(self, owner: str) -> Place:
        """The thing of an owner that goes next."""
        return next(place for place in self.by_place if place[0] == owner)


class MemoryStateStore:
    """Keeps things until the process ends, or their time is up."""

    waits = False

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._shelves: dict[str, Things] = {}
        self._counts: dict[str, tuple[int, dict[str, float]]] = {}
        self._leases: dict[Place, dict[str, tuple[float, float]]] = {}

    def put(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> None:
        """Keep a thing, in place of one with the same key."""
        with self._lock:
            self._put(shelf, (owner, key), value)

    def add(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> bool:
        """Keep a thing, unless somebody has that key already."""
        with self._lock:
            things = self._shelves.get(shelf.name)
            if things is not None and key in things.of_key and self._has(things, shelf, key):
                return False
            self._put(shelf, (owner, key), value)
            return True

    def get(self, shelf: Shelf[Kept], owner: str, key: str) -> Kept | None:
        """Give a thing that is still kept for that owner."""
        with self._lock:
            things = self._shelves.get(shelf.name)
            found = things.by_place.get((owner, key)) if things is not None else None
            if things is None or found is None:
                return None
            moment, value = found
            # As far ahead as behind: what a clock set back has left in the future ends too.
            if abs(self._clock() - moment) >= shelf.seconds:
                things.drop((owner, key))
                return None
            if shelf.by_use:
                things.by_place.move_to_end((owner, key))
            kept: Kept = value
            return kept

    def clear(self, shelf_name: str) -> None:
        """Forget everything on a shelf."""
        with self._lock:
            self._shelves.pop(shelf_name, None)

    def count(self, name: str, owner: str, seconds: int, amount: float = 1) -> float:
        """Add to an owner's sum of this stretch of time."""
        stretch = int(self._clock() // seconds)
        with self._lock:
            latest, sums = self._counts.get(name, (stretch, {}))
            if latest != stretch:
                # Nobody's sum of another stretch is asked for again.
                sums = {}
            sums[owner] = sums.get(owner, 0.0) + amount
            self._counts[name] = (stretch, sums)
            return sums[owner]

    def lease(self, lease: Lease, most: float, seconds: float) -> float | None:
        """Take something of an owner's for a while."""
        place = (lease.name, lease.owner)
        with self._lock:
            held = self._leases_of(place)
            taken = sum(amount for _, amount in held.values())
            if taken >= most:
                return None
            held[lease.key] = (self._clock() + seconds, lease.amount)
            self._leases[place] = held
            return taken

    def renew(self, leases: Collection[Lease], seconds: float) -> None:
        """Keep what is still held."""
        with self._lock:
            for name, owner, key, _ in leases:
                held = self._leases_of((name, owner))
                if key in held:
                    held[key] = (self._clock() + seconds, held[key][1])

    def release(self, lease: Lease) -> None:
        """Give back what was taken."""
        place = (lease.name, lease.owner)
        with self._lock:
            held = self._leases_of(place)
            held.pop(lease.key, None)
            if not held:
                self._leases.pop(place, None)

    def _leases_of(self, place: Place) -> dict[str, tuple[float, float]]:
        """What is held of an owner's; what was not given back in time is forgotten."""
        held = self._leases.get(place, {})
        for key in [key for key, (until, _) in held.items() if until <= self._clock()]:
            del held[key]
        return held

    def _has(self, things: Things, shelf: Shelf[Kept], key: str) -> bool:
        """Tell whether something with that key is still kept, for whomever."""
        now = self._clock()
        return any(
            place[1] == key and abs(now - moment) < shelf.seconds
            for place, (moment, _) in things.by_place.items()
        )

    def _put(self, shelf: Shelf[Kept], place: Place, value: Kept) -> None:
        things = self._shelves.setdefault(shelf.name, Things())
        things.set(place, self._clock(), value)
        oldest = self._clock() - shelf.seconds
        while things.by_place and next(iter(things.by_place.values()))[0] <= oldest:
            things.drop(next(iter(things.by_place)))
        if things.of_owner[place[0]] > shelf.most:
            things.drop(things.oldest_of(place[0]))
        if len(things.by_place) > shelf.most_in_all:
            things.drop(next(iter(things.by_place)))

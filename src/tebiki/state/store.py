"""The contract of everything that is remembered: things on shelves, by owner and key, for a while.

A shelf belongs to whoever puts things on it, and knows how a thing is written as JSON. One process
keeps the things themselves (`memory`); several share a file (`shared`), and do without it where it
fails (`spilling`); several machines share a server (`redis_store`), and do without it while it is
away (`degrading`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

Kept = TypeVar("Kept")

EVERYBODY = ""
"""The owner of what all clients share."""

OWNERS_WORTH = 20
"""How many owners' full shelves are kept in all; beyond, the oldest things go, no matter whose."""


def _as_it_is(value: Any) -> Any:
    return value


class Shelf(NamedTuple, Generic[Kept]):
    """One kind of thing: how many for each owner, how long, and how it is written down.

    `by_use` lets the things that were read last stay longest; their lifetime does not grow by it.
    """

    name: str
    most: int
    seconds: float
    by_use: bool = False
    pack: Callable[[Kept], Any] = _as_it_is
    unpack: Callable[[Any], Kept] = _as_it_is

    @property
    def most_in_all(self) -> int:
        """The bound for all owners together."""
        return self.most * OWNERS_WORTH


class StateAway(Exception):
    """A store on another machine that did not answer; what it was asked may have been done.

    `never_sent` is true where it cannot have been: nobody was connected.
    """

    def __init__(self, words: str, *, never_sent: bool = False) -> None:
        super().__init__(words)
        self.never_sent = never_sent


class Lease(NamedTuple):
    """A part of what one owner may have at a time; the key is the taker's own."""

    name: str
    owner: str
    key: str
    amount: float = 1


class StateStore(Protocol):
    """Where things are kept; safe for many threads."""

    waits: bool
    """Whether an answer may take longer than a look into memory: then no event loop asks itself."""

    def put(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> None:
        """Keep a thing, in place of one with the same key."""

    def add(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> bool:
        """Keep a thing, unless somebody has that key already."""

    def get(self, shelf: Shelf[Kept], owner: str, key: str) -> Kept | None:
        """Give a thing that is still kept for that owner."""

    def clear(self, shelf_name: str) -> None:
        """Forget everything on a shelf, whoever's it is."""

    def count(self, name: str, owner: str, seconds: int, amount: float = 1) -> float:
        """Add to an owner's sum, and tell what it comes to in this stretch of time.

        Stretches follow one another without a gap, each so many seconds long: those of a day begin
        at midnight UTC. An amount of 0 only asks.
        """

    def lease(self, lease: Lease, most: float, seconds: float) -> float | None:
        """Take something of an owner's for a while; tell what others had taken before.

        None, and nothing is taken, where that is `most` or more. What is not given back in time
        (its taker has died) is free again by itself.
        """

    def renew(self, leases: Collection[Lease], seconds: float) -> None:
        """Keep what is still held for so many seconds from now."""

    def release(self, lease: Lease) -> None:
        """Give back what was taken, if it is still held."""

"""What one connection has seen: the list of the manuals, before it may ask, and its last section.

A caller that never looked guesses ids; a refusal that names the call to make first costs it less.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tebiki.errors import InvalidArguments
from tebiki.named_tuples import NamedTuple
from tebiki.state.store import EVERYBODY, Shelf

if TYPE_CHECKING:
    from tebiki.state.store import StateStore

FIRST_CALL = "manual_ls"


SHELF: Shelf[bool] = Shelf("discovery", most=500, seconds=math.inf)
"""One flag for each client: ten thousand clients, and whoever is forgotten lists once more."""

KEY = "listed"


class Discovery:
    """Whether a client has listed the manuals."""

    __slots__ = ("_owner", "_store")

    def __init__(self, store: StateStore, owner: str = EVERYBODY) -> None:
        self._store = store
        self._owner = owner

    def note(self) -> None:
        """Remember that a listing was given."""
        self._store.put(SHELF, self._owner, KEY, True)

    def require(self) -> None:
        """Let only those pass who have seen a listing.

        Raises:
            InvalidArguments: this connection has not.
        """
        if self._store.get(SHELF, self._owner, KEY) is None:
            raise InvalidArguments(
                f"Call {FIRST_CALL} first: it tells which manuals there are and by which ids.",
                details={"required_first_call": FIRST_CALL},
            )


class Mark(NamedTuple):
    """A section of a file as it was: an edit before or inside it makes it another one."""

    manual_id: str
    path: str
    start: int
    stop: int
    chars: int


Read = tuple[Mark, int]
"""A section, with the offset at which reading it ended."""


def _read_before(packed: Any) -> Read:
    mark, end = packed
    return Mark(*mark), end


BOOKMARKS: Shelf[Read] = Shelf("bookmarks", most=500, seconds=math.inf, unpack=_read_before)
"""One for each client; whoever is forgotten gets the section from its start again."""


class Bookmark:
    """The section that a client read last."""

    __slots__ = ("_owner", "_store")

    def __init__(self, store: StateStore, owner: str = EVERYBODY) -> None:
        self._store = store
        self._owner = owner

    @property
    def last(self) -> Read | None:
        """What was read last, if anything was."""
        return self._store.get(BOOKMARKS, self._owner, "last")

    @last.setter
    def last(self, read: Read) -> None:
        self._store.put(BOOKMARKS, self._owner, "last", read)

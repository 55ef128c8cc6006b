"""What one connection has seen: the list of the manuals, before it may ask, and its last section.

A caller that never looked guesses ids; a refusal that names the call to make first costs it less.
"""

from __future__ import annotations

from typing import NamedTuple

from tebiki.errors import InvalidArguments

FIRST_CALL = "manual_ls"


class Discovery:
    """Whether a connection has listed the manuals."""

    __slots__ = ("_is_done",)

    def __init__(self, *, is_done: bool = False) -> None:
        self._is_done = is_done

    def note(self) -> None:
        """Remember that a listing was given."""
        self._is_done = True

    def require(self) -> None:
        """Let only those pass who have seen a listing.

        Raises:
            InvalidArguments: this connection has not.
        """
        if not self._is_done:
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


class Bookmark:
    """The section that a connection read last, with the offset at which that reading ended."""

    __slots__ = ("last",)

    def __init__(self) -> None:
        self.last: tuple[Mark, int] | None = None

"""How long a reader waits for a file, and how much of one is read: asked between its blocks.

The clock and whoever may call the work off are arguments. Not here: what is read (`text`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.errors import Conflict, InvalidArguments
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_BYTES_READ = 256 * 1024 * 1024
"""Of one file: to give a page, the whole of it is gone through once. A sparse file of a few blocks
may claim a terabyte."""

LONGEST_READ_SECONDS = 60.0
"""Of one call that reads, however slow the disk is."""


def _never() -> bool:
    return False


class Patience(NamedTuple):
    """Whether a reader still waits: it may have called the work off, or its time may be up."""

    is_cancelled: Callable[[], bool] = _never
    is_late: Callable[[], bool] = _never

    def is_over(self) -> bool:
        """Tell whether the work is to end."""
        return self.is_cancelled() or self.is_late()

    def check(self) -> None:
        """Go on only for somebody who waits.

        Raises:
            Conflict: nobody does any more.
        """
        if self.is_cancelled():
            raise Conflict("The call was cancelled, so its reading was ended.")
        if self.is_late():
            raise Conflict(
                f"Reading took longer than {LONGEST_READ_SECONDS:.0f} s and was ended; "
                "try again, or split the file into smaller ones."
            )


ENDLESS = Patience()
"""Of a person at a terminal, who has a key to end it."""


def patience_of(is_cancelled: Callable[[], bool], steady: Callable[[], float]) -> Patience:
    """The patience of a call that begins now; `steady` is a clock that only grows."""
    deadline = steady() + LONGEST_READ_SECONDS
    return Patience(is_cancelled, lambda: steady() >= deadline)


def check_bytes(size: int, shown: str, most: int = MOST_BYTES_READ, done: str = "read") -> None:
    """Refuse a file that is too large for what is to be done with it.

    Raises:
        InvalidArguments: it is.
    """
    if size > most:
        raise InvalidArguments(
            f"{shown} has {size} bytes, and only files of up to {most} bytes are {done}; "
            "split it into smaller files."
        )

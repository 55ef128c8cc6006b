"""Puts questions to a search, one by one, and keeps what came back and how long it took.

Who searches is an argument: a library in this process, or a server at the end of a pipe.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from tebiki.errors import TebikiError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.evals.cases import Case, Place

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class SearchReply:
    """What a search answered: its sections, the best first, and what it says about itself."""

    refs: tuple[Place, ...] = ()
    gaps: int = 0
    conflicts: int = 0
    tokens: int | None = None
    tokens_to_right: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case that was asked; `error` is what went wrong instead of an answer."""

    case: Case
    reply: SearchReply
    seconds: float
    error: str | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        """The files of the sections, in their order."""
        return tuple(path for path, _ in self.reply.refs)


def ask(
    case: Case,
    find: Callable[[Case], Found],
    reply_to: Callable[[Case, Found], SearchReply],
    clock: Callable[[], float],
) -> Outcome:
    """Ask one case; only `find` is timed."""
    begun = clock()
    seconds = None
    try:
        found = find(case)
        seconds = clock() - begun
        return Outcome(case, reply_to(case, found), seconds)
    except TebikiError as refused:
        taken = clock() - begun if seconds is None else seconds
        return Outcome(case, SearchReply(), taken, str(refused))

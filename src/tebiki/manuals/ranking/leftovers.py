"""Where candidates come from: a whole index, or only what an earlier search left of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from tebiki.manuals.index.values import Key, Postings, SectionQuery, Stored


class CandidateSource(Protocol):
    """What proposes sections: an index, or a part of one."""

    def foresee(self, asked: Iterable[SectionQuery]) -> None:
        """Hear which sections are going to be asked for."""

    def best(self, query: SectionQuery) -> list[Stored]:
        """The sections that score best, of those that satisfy the clauses."""


class LeftSections:
    """The sections that an earlier search proposed and did not score, and no others."""

    __slots__ = ("_left", "_postings")

    def __init__(self, postings: Postings, left: AbstractSet[Key]) -> None:
        self._postings = postings
        self._left = left

    def foresee(self, _asked: Iterable[SectionQuery]) -> None:
        """What is asked for depends on how much is left."""

    def best(self, query: SectionQuery) -> list[Stored]:
        """The best of them: all that their files have are asked for, since any may be left."""
        files = {path for path, *_ in self._left} & set(query.among or ())
        most = max(query.limit, self._postings.sections_in(files)) if files else query.limit
        found = self._postings.best(query._replace(limit=most, among=files))
        return [one for one in found if one.key in self._left][: query.limit]

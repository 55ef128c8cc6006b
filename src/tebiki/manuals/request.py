"""A find as it is asked for, checked, and what an earlier find left for it to go on with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.errors import InvalidArguments
from tebiki.manuals.limits import (
    DEFAULT_CANDIDATES,
    DEFAULT_TIME_MS,
    LONGEST_QUERY,
    LONGEST_TERM,
    LONGEST_TIME_MS,
    MOST_TERMS,
)
from tebiki.manuals.text.folding import normalise_terms
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.manuals.index.values import Key


class Leftover(NamedTuple):
    """Files and folders that were left out; when time ended the walk, all but what was searched.

    Where a cap left them, `sections` are those of them that were not scored, as long as the texts
    are those that `state` names: in others they may stand elsewhere.
    """

    paths: frozenset[str] = frozenset()
    searched: frozenset[str] | None = None
    sections: frozenset[Key] | None = None
    state: str = ""

    def has(self, path: str) -> bool:
        """Tell whether a file was left, by itself or with a folder above it."""
        if self.searched is not None:
            return path not in self.searched
        return path in self.paths or any(above in self.paths for above in _above(path))

    def sections_in(self, state: str) -> frozenset[Key] | None:
        """The sections to go on with in a state of the texts; None where it is whole files."""
        return self.sections if self.state == state else None

    def to_json(self) -> list[Any]:
        """The same, as JSON can hold it."""
        searched, sections = (
            None if some is None else sorted(some) for some in (self.searched, self.sections)
        )
        return [sorted(self.paths), searched, sections, self.state]

    @staticmethod
    def from_json(packed: list[Any]) -> Leftover:
        """The same, from what `to_json` gave."""
        paths, searched, sections, state = packed
        return Leftover(
            frozenset(paths),
            None if searched is None else frozenset(searched),
            None if sections is None else frozenset(map(tuple, sections)),
            state,
        )


NOTHING = Leftover()


def _above(path: str) -> list[str]:
    return [path[:at] for at, character in enumerate(path) if character == "/"]


class FindRequest(NamedTuple):
    """A find as asked for; `only` narrows it to what an earlier one left unscanned."""

    query: str
    manual_id: str
    required_terms: tuple[str, ...]
    expand_scope: bool | None = None
    only: Leftover | None = None
    include_claim_graph: bool = False
    max_candidates: int = DEFAULT_CANDIDATES
    time_ms: int = DEFAULT_TIME_MS

    @property
    def terms(self) -> tuple[str, ...]:
        """The required terms in the order of their search, whichever one they were given in."""
        return tuple(sorted(self.required_terms))


def check(request: FindRequest) -> FindRequest:
    """A request with its terms normalised, and no more time than a clock can count.

    Raises:
        InvalidArguments: the query or the terms are not what a find takes.
    """
    if not request.query.strip():
        raise InvalidArguments("query is blank; ask for something.")
    if len(request.query) > LONGEST_QUERY:
        raise InvalidArguments(f"query has more than {LONGEST_QUERY} characters; shorten it.")
    if any(len(term) > LONGEST_TERM for term in request.required_terms):
        raise InvalidArguments(
            f"a term of required_terms has more than {LONGEST_TERM} characters; "
            "require a word, and put the rest into query."
        )
    terms = normalise_terms(request.required_terms)
    if not terms or any(not term.strip() for term in request.required_terms):
        raise InvalidArguments(f"required_terms takes 1 to {MOST_TERMS} words that are not empty.")
    if len(terms) > MOST_TERMS:
        raise InvalidArguments(f"required_terms takes at most {MOST_TERMS} different words.")
    for name in ("max_candidates", "time_ms"):
        if (given := getattr(request, name)) < 1:
            raise InvalidArguments(f"budget.{name} is {given}; it must be at least 1.")
    return request._replace(required_terms=terms, time_ms=min(request.time_ms, LONGEST_TIME_MS))

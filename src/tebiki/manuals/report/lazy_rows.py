"""Rows of a find that are written out when somebody reads them.

A find is answered with five of its candidates, and kept with all of them: what they are made from
is a tenth of their size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.manuals.index.values import Key
    from tebiki.manuals.ranking.gates import Contribution
    from tebiki.manuals.report.evidence import Quote, Saying

Row = dict[str, Any]
DIGITS = 4


class Told(Protocol):
    """What can be written out as a row."""

    def row(self) -> Row:
        """The row, new each time."""


Value = TypeVar("Value", bound=Told)


class Candidate(NamedTuple):
    """A section that was found: where it is, and every part of its score."""

    manual_id: str
    key: Key
    title: str
    trail: tuple[str, ...]
    end_line: int
    saying: Saying | Quote | None
    score: float
    matched: dict[str, int]
    coverage: float
    signals: set[str]
    parts: dict[str, float]
    copies: Sequence[Key]

    def row(self) -> Row:
        """The row of a candidate."""
        return {
            "ref": self.ref(),
            "title": self.title,
            "trail": [title for title in self.trail if title],
            "end_line": self.end_line,
            "snippet": self.saying.text if self.saying else None,
            "score": round(self.score, DIGITS),
            "matched_tokens": list(self.matched),
            "token_hits": dict(self.matched),
            "match_coverage": round(self.coverage, DIGITS),
            "signals": sorted(self.signals),
            "rank_explain": [f"{part}={value:.4f}" for part, value in self.parts.items()],
            "copies": [{"path": path, "start_line": line} for path, line, _ in self.copies],
        }

    def head(self) -> Row:
        """The row as far as its short form goes: a snippet would have to be looked up."""
        return {
            "ref": self.ref(),
            "title": self.title,
            "score": round(self.score, DIGITS),
            "matched_tokens": list(self.matched),
        }

    def ref(self) -> Row:
        """Where the section is."""
        path, line, json_path = self.key
        return {
            "target": "manual",
            "manual_id": self.manual_id,
            "path": path,
            "start_line": line,
            "json_path": json_path or None,
            "title": self.title,
        }


class Fused(NamedTuple):
    """What each pass gave to a candidate."""

    candidate: Candidate
    rank: int
    contributions: tuple[Contribution, ...]

    def row(self) -> Row:
        """The row of a candidate's passes."""
        one = self.candidate
        return {
            "candidate_key": "|".join(filter(None, [one.manual_id, *map(str, one.key)])),
            "rank": self.rank,
            "score": round(one.score, DIGITS),
            "ref": one.ref(),
            "contributions": [{**gave._asdict(), "rrf": gave.rrf} for gave in self.contributions],
        }


class Rows(Sequence[Row], Generic[Value]):
    """Rows that are written out one by one, as they are asked for."""

    __slots__ = ("values",)

    def __init__(self, values: Sequence[Value]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Rows, list)) and list(self) == list(other)

    def __hash__(self) -> int:
        raise TypeError("rows have no hash, as lists have none")

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...

    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            return [value.row() for value in self.values[place]]
        return self.values[place].row()

    def heads(self, place: slice) -> list[Row]:
        """The rows as far as their short form goes, which takes half the time."""
        return [
            value.head() if isinstance(value, Candidate) else value.row()
            for value in self.values[place]
        ]

"""Which sections are the best of a manual, whatever it was before.

The engine's scores rest on how long a section is on average, and that counts removed sections until
they are merged away. Nobody can tell the engine another mean, but it tells its own; so a true score
is the engine's times a factor between known bounds. What is above a cut by more than they allow is
in, what is below it is out, and the few between are scored here. What a section is to its engine
is no matter: it goes by a handle that only the engine understands.
"""

from __future__ import annotations

import json
import re
from math import fsum
from typing import TYPE_CHECKING, Any, Protocol

from tebiki.manuals.text.folding import is_japanese
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tebiki.manuals.index.values import SectionQuery, Stored
    from tebiki.manuals.text.tokenizer import Tokens

    Handle = Any
    """What a section is to its engine; nobody else looks into it."""

    Hit = tuple[float, Handle]

K1 = 1.2
B = 0.75
"""The engine's own, for all fields."""

ROUNDED = 2e-5
"""The engine reckons with seven digits, and adds up some dozens of numbers."""

EXACT_LENGTHS = 24
KEPT_BITS = 4
"""Beyond these a length is kept as a number of so many bits, and how often it is doubled."""

BIGRAM_CHARS = 2
MOST_RECKONED = 400
MOST_BY_PLACE = 400
"""Of sections that are as good as each other: more would have to be loaded just for their names."""

MEAN = "avgdl"
"""How the engine's explanation of a score begins to tell of a mean length."""


class Worth(NamedTuple):
    """A token in one of the fields, and how much it counts there.

    `pair` is what stands in a text where the token is one of its bigrams.
    """

    word: str
    pair: str | None
    field: int
    value: float

    @classmethod
    def of(cls, token: str, field: int, value: float) -> Worth:
        """Of any token."""
        is_pair = len(token) == BIGRAM_CHARS and all(map(is_japanese, token))
        return cls(f" {token} ", token if is_pair else None, field, value)

    def times_in(self, tokens: Tokens) -> int:
        """How often the index has it of a text: among the words, and among the bigrams."""
        times = _count(tokens.words, self.word)
        return times + _count(tokens.folded, self.pair) if self.pair else times


class Doubt(NamedTuple):
    """A true score is the engine's times something between these."""

    least: float
    most: float

    @classmethod
    def of(cls, ratios: Iterable[float]) -> Doubt:
        """From the true mean lengths of some fields, each divided by the engine's.

        Whatever a section has, what it is worth in a field changes by less than its ratio.
        """
        every = (1.0, *ratios)
        return cls(min(every) * (1 - ROUNDED), max(every) * (1 + ROUNDED))


def read_mean(explanation: str) -> float:
    """The mean length of a field, from the engine's explanation of the score of one token.

    Raises:
        ValueError: the engine does not tell it.
    """
    nodes = [json.loads(explanation)]
    while nodes:
        node = nodes.pop()
        if node["description"].startswith(MEAN):
            return float(node["value"])
        nodes += node.get("details") or []
    raise ValueError("the engine does not tell how long sections are")


def true_score(stored: Stored, worths: Sequence[Worth], means: Sequence[float]) -> float:
    """What the engine would give a section if no other had ever been there."""
    fields = (stored.body, stored.title, stored.trail, stored.place, stored.said)
    norms = [
        K1 * (1 - B + B * kept_length(length) / mean) if mean else 0.0
        for length, mean in zip(stored.lengths, means, strict=True)
    ]
    found = [(worth, worth.times_in(fields[worth.field])) for worth in worths]
    # In any order of the same numbers: tokens that are as rare as each other make equal sections.
    return fsum(
        worth.value * times * (K1 + 1) / (times + norms[worth.field])
        for worth, times in found
        if times
    )


def _count(text: str, part: str) -> int:
    """How often a text has a part, also where one begins with the end of the one before."""
    times = text.count(part)
    if times and part[0] == part[-1] and part + part[1:] in text:
        return len(re.findall(f"(?={re.escape(part)})", text))
    return times


def kept_length(length: int) -> int:
    """A length as the engine keeps it: in one byte."""
    beyond = length - EXACT_LENGTHS
    shift = max(0, beyond.bit_length() - KEPT_BITS) if beyond > 0 else 0
    return EXACT_LENGTHS + (beyond >> shift << shift)


class Scoring(Protocol):
    """What an engine tells of its scores, and of the sections that it proposes by handles."""

    @property
    def means(self) -> Sequence[float]:
        """The true mean lengths of all fields."""

    def ratio(self, field: str, weights: Mapping[str, float]) -> float:
        """The true mean length of a field divided by the engine's."""

    def worths(self, weights: Mapping[str, float], fields: tuple[str, ...]) -> list[Worth]:
        """What each token is worth in each field that has it, as in an index without history."""

    def load(self, handle: Handle) -> Stored:
        """A section."""

    def place_numbers(self, handles: list[Handle]) -> list[int]:
        """Numbers made of where sections are, without loading them."""


def cut(
    hits: list[Hit], others: float, query: SectionQuery, scoring: Scoring
) -> list[Handle] | None:
    """The best of some sections; of equals at the cut the first by where they are.

    The engine orders equals by when they were added, which is no matter of the files. None when
    one of the others, of which none scores more than so much, may be among the best.
    """
    limit = query.limit
    if len(hits) <= limit and others < 0:
        return [handle for _, handle in hits]
    if len(hits) < limit:
        return None
    doubt = Doubt.of(scoring.ratio(field, query.weights) for field in query.fields)
    lowest = hits[limit - 1][0] * doubt.least / doubt.most
    if lowest <= others:
        return None
    if len(hits) == limit:
        return [handle for _, handle in hits]
    highest = hits[limit][0] * doubt.most / doubt.least
    sure = [handle for score, handle in hits[:limit] if score > highest]
    if len(sure) < limit:
        unsure = [hit for hit in hits[len(sure) :] if hit[0] >= lowest]
        if unsure[0][0] != unsure[-1][0]:
            unsure = _rescore(unsure, scoring.worths(query.weights, query.fields), scoring)
        sure += _decide(unsure, limit - len(sure), scoring)
    return sure


def put_first(
    kept: list[Handle], hits: list[Hit], query: SectionQuery, scoring: Scoring
) -> list[Handle]:
    """What a cut has left, with the `first` so many of it, which are cut in the same way, before.

    Where engines order equals differently, whoever looks at some of them only sees the same.
    """
    if not query.first or len(kept) <= query.first:
        return kept
    are_kept = set(map(id, kept))
    among = [hit for hit in hits if id(hit[1]) in are_kept]
    best = cut(among, -1.0, query._replace(limit=query.first), scoring) or []
    are_best = set(map(id, best))
    return best + [handle for handle in kept if id(handle) not in are_best]


def _rescore(unsure: list[Hit], worths: list[Worth], scoring: Scoring) -> list[Hit]:
    """Sections with their true scores, best first."""
    scores: dict[float, float] = {}
    for score, handle in unsure:
        # What the engine finds equal has the same tokens as often, in texts as long.
        if score not in scores and len(scores) < MOST_RECKONED:
            scores[score] = true_score(scoring.load(handle), worths, scoring.means)
    found = [(scores[score], handle) for score, handle in unsure if score in scores]
    found.sort(key=lambda hit: -hit[0])
    return found


def _decide(unsure: list[Hit], room: int, scoring: Scoring) -> list[Handle]:
    """The best of those at a cut, by their scores and then by where they are."""
    lowest = unsure[room - 1][0]
    above = [handle for score, handle in unsure if score > lowest]
    equal = [handle for score, handle in unsure if score == lowest]
    return above + _in_order(equal, scoring)[: room - len(above)]


def _in_order(equal: list[Handle], scoring: Scoring) -> list[Handle]:
    """Sections that are as good as each other, in an order that depends on nothing else."""
    if len(equal) <= MOST_BY_PLACE:
        return sorted(equal, key=lambda handle: scoring.load(handle).key)
    numbers = scoring.place_numbers(equal)
    return [equal[at] for at in sorted(range(len(equal)), key=numbers.__getitem__)]

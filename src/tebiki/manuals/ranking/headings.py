"""A section's row with the parts of its score, and what its headings and its path add to it.

A question that names a heading asks for its section. Pure functions over values.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from tebiki.manuals.index.values import rarities_of
from tebiki.manuals.ranking.settings import CONSTANTS as C
from tebiki.manuals.text.folding import fold
from tebiki.manuals.text.query import units_of
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tebiki.manuals.index.values import Key, Postings, Stored
    from tebiki.manuals.ranking.plan import Plan, RequiredTerm

SHORTEST_NAMED = 2
FOLDERS_OWN = frozenset(["_index", "index", "readme"])
"""File names that stand for their folder."""


NAME_MARKS = re.compile(r"[\s_・()\[\]「」『』【】-]+")
SMALLEST_NAMED = 1 / 3
"""The share of a file's name; a word of a long title does not name it."""

FEWEST_HELD = 4
MOST_HELD = 0.5
RAMP = 0.25
LEAST_LIFT = 0.15
"""From which square of the share that one sentence holds a name counts less, and how little."""

HALF_ASKED = 0.5
NOTHING = (0.0, 0.0)
MOST_WEIGHED = 4096


class Scored:
    """A section on its way through the ranking: its parts so far, and what it matched.

    Its key and its path are asked for many times, and are at hand. `is_headed` when a token of the
    question stands in its headings or its path, `is_titled` when one stands in its own heading.
    `held` is the share of the question that its best sentence holds, where that was looked at.
    """

    __slots__ = (
        "coverage",
        "held",
        "is_headed",
        "is_titled",
        "key",
        "matched",
        "parts",
        "path",
        "score",
        "signals",
        "stored",
    )

    def __init__(self, stored: Stored, matched: dict[str, int], coverage: float) -> None:
        self.stored = stored
        self.key = stored.key
        self.path = stored.key[0]
        self.is_headed = False
        self.is_titled = False
        self.matched = matched
        self.coverage = coverage
        self.held = 0.0
        self.parts: dict[str, float] = {}
        self.signals = {"exact"}
        self.score = 0.0

    @property
    def order(self) -> tuple[float, Key]:
        """Best first; ties by where they are."""
        return -self.score, self.key

    def add(self, part: str, value: float) -> None:
        """Add a part to the score."""
        if value:
            self.parts[part] = self.parts.get(part, 0.0) + value
            self.score += value


class _Weighed(NamedTuple):
    """A heading in one state of a manual: what each of its tokens weighs there, and all of them."""

    weights: dict[str, float]
    whole: float


_WEIGHED: WeakKeyDictionary[Postings, dict[str, _Weighed]] = WeakKeyDictionary()
"""Headings as the states that are in use weigh them: one find meets those of the last again."""


class HeadingQuery:
    """A question as headings are compared with it; remembers what it has compared."""

    __slots__ = (
        "_held",
        "_postings",
        "_required_by",
        "_weighed",
        "asks_for_required",
        "folded",
        "required",
        "tokens",
    )

    def __init__(self, plan: Plan, terms: tuple[RequiredTerm, ...], postings: Postings) -> None:
        self.folded = plan.question.folded
        self._postings = postings
        self._weighed = _WEIGHED.setdefault(postings, {})
        self.tokens = frozenset(weighed.token for weighed in plan.tokens)
        self.required = frozenset(token for term in terms for token in _tokens(term.text))
        self.asks_for_required = self.required <= self.tokens
        self._held: dict[str, tuple[float, float]] = {}
        self._required_by: dict[str, float] = {}

    def held(self, heading: str) -> tuple[float, float]:
        """How much of a heading the question holds: its weight, and that as a worth."""
        known = self._held.get(heading)
        if known is None:
            known = self._held[heading] = self._compare(heading, self.tokens)
        return known

    def required_by(self, heading: str) -> float:
        """What it is worth that a heading consists of required terms."""
        if self.asks_for_required and self.held(heading) is NOTHING:
            return 0.0
        known = self._required_by.get(heading)
        if known is None:
            known = self._required_by[heading] = self._compare(heading, self.required)[1]
        return known

    def _compare(self, heading: str, with_: frozenset[str]) -> tuple[float, float]:
        """The weight of what is shared, and its worth, which falls with the square of the share.

        So a long heading that shares one word gains little.
        """
        if with_.isdisjoint(_tokens(heading)):  # as most are
            return NOTHING
        weights, whole = self._weighed.get(heading) or self._weigh(heading)
        if not whole:
            return NOTHING
        shared = 0.0
        for token, weight in weights.items():
            if token in with_:
                shared += weight
        return shared, shared * (shared / whole) ** 2

    def _weigh(self, heading: str) -> _Weighed:
        tokens = _tokens(heading)
        rarity = rarities_of(tokens, self._postings)
        weights = {token: rarity[token] * share for token, share in tokens.items()}
        whole = 0.0
        for weight in weights.values():
            whole += weight
        found = _Weighed(weights, whole)
        if len(self._weighed) >= MOST_WEIGHED:
            self._weighed.clear()
        self._weighed[heading] = found
        return found


def weigh(row: Scored, asked: HeadingQuery, terms: tuple[RequiredTerm, ...]) -> None:
    """Add to a score what comes from headings, path and required terms in headings."""
    stored, add = row.stored, row.add
    section = stored.section
    title = section.title
    top = section.trail[0] if section.trail else title
    if row.is_titled:
        weight, worth = asked.held(title)
        if worth:
            add("heading", C.heading * worth)
            if len(stored.title.folded) >= SHORTEST_NAMED and stored.title.folded in asked.folded:
                add("heading_named", C.heading_named * weight)
    if (top != title or row.is_titled) and (above_worth := asked.held(top)[1]):
        add("top_heading", C.top_heading * above_worth)
    file_name = _file_name(section.path)
    if name_worth := asked.held(file_name)[1]:
        add("file_name", C.file_name * name_worth)
    if terms:
        _weigh_terms(row, top, file_name, asked, terms)


def _weigh_terms(
    row: Scored, top: str, file_name: str, asked: HeadingQuery, terms: tuple[RequiredTerm, ...]
) -> None:
    title = row.stored.title.folded
    if row.is_titled or not asked.asks_for_required:
        row.add(
            "terms_are_heading",
            C.terms_are_heading * asked.required_by(row.stored.section.title),
        )
    row.add("terms_are_file_name", C.terms_are_file_name * asked.required_by(file_name))
    above = folded_heading(top)
    for term in terms:
        worth = term.worth / len(terms)
        if term.folded in title:
            row.add("term_in_heading", C.term_in_heading * worth)
        if term.folded in above:
            row.add("term_in_top_heading", C.term_in_top_heading * worth)


@lru_cache(maxsize=16384)
def _tokens(heading: str) -> Mapping[str, float]:
    """A heading's tokens, each with its share of the units that it stands in."""
    found: dict[str, float] = {}
    for unit in units_of(heading):
        every = unit.grams + unit.words
        for token in every:
            found[token] = found.get(token, 0.0) + len(every) ** -C.share_exponent
    return found


def tokens_to_weigh(headings: Iterable[str], plan: Plan) -> Iterator[str]:
    """The tokens of those headings that have something of a question."""
    asked = {weighed.token for weighed in plan.tokens}
    for heading in headings:
        tokens = _tokens(heading)
        if not asked.isdisjoint(tokens):
            yield from tokens


def headings_of(sections: Iterable[Stored]) -> Iterator[str]:
    """What `weigh` compares a question with: headings, those at the top, and names of files."""
    for stored in sections:
        section = stored.section
        yield section.title
        yield from section.trail[:1]
        yield _file_name(section.path)


def is_the_question(row: Scored, asked: HeadingQuery, plan: Plan) -> float:
    """How far a heading is the question itself, from 0 to 1: neither says more than the other.

    Up to half asked, which most are, is told of bare ones alone: for others it makes no difference.
    """
    weight, worth = asked.held(row.stored.section.title)
    if worth <= HALF_ASKED * weight and not row.stored.is_bare:
        return 0.0
    return plan.share_in(row.stored.title.folded) ** 2 * worth / weight if weight else 0.0


def lift_named(
    rows: list[Scored], asked: HeadingQuery, terms: tuple[RequiredTerm, ...], plan: Plan
) -> None:
    """Add what it is worth to be the file, or the page of the topic, that is asked for by name.

    As far as a section has what else is asked for. Rows are sorted, best first.
    """
    best: dict[str, Scored] = {}
    for row in rows:
        best.setdefault(row.path, row)
    names = {path: _file_name(path) for path in best}
    named = {
        path: share
        for path, name in names.items()
        if (share := sum([_share_of_name(term.folded, name) for term in terms]))
    }
    hubs = {_topic(path): row for path, row in best.items()}
    ramp = _ramp(rows, plan)
    worth = C.term_in_file_name * ramp / max(1, len(terms))
    for row in rows if named else ():
        if row.path in named:
            row.add("term_in_file_name", worth * row.coverage * named[row.path] * row.score)
    is_hub = _lift_hubs(hubs, names, asked, C.hub * ramp)
    if named or is_hub:
        rows.sort(key=lambda row: row.order)


def _ramp(rows: list[Scored], plan: Plan) -> float:
    """How much a name counts: the less, the more of a question one sentence holds.

    Whoever asks for a fact that is written somewhere does not ask for the file that is named for
    its subject. A few words stand together in many sentences, which says nothing.
    """
    if len(plan.parts) < FEWEST_HELD or not C.sentence:
        return 1.0
    best = max([row.parts.get("sentence", 0.0) for row in rows], default=0.0)
    held = best / (C.sentence * plan.mass) if plan.mass else 0.0
    return min(1.0, max(LEAST_LIFT, (MOST_HELD - held) / RAMP))


def _lift_hubs(
    best: Mapping[str, Scored], names: Mapping[str, str], asked: HeadingQuery, share: float
) -> bool:
    """Add to the page of a topic a share of the best page below it; tells whether there was one.

    A page below says more words of its topic than the page that leads there; whoever asks for the
    topic by name, and for nothing that a page below is named for, is better led to the first.
    """
    gains: dict[str, float] = {}
    for topic, row in best.items():
        above = topic.rpartition("/")[0]
        hub = best.get(above)
        if hub is None or asked.held(names[row.path])[1]:
            continue
        weight, worth = asked.held(names[hub.path])
        if weight:
            gain = share * hub.coverage * row.score * worth / weight
            gains[above] = max(gains.get(above, 0.0), gain)
    for topic, gain in gains.items():
        best[topic].add("hub", gain)
    return bool(gains)


def forget() -> None:
    """Forget what was made with the constants, for whoever measures with others."""
    _tokens.cache_clear()
    _WEIGHED.clear()


folded_heading = lru_cache(maxsize=8192)(fold)


@lru_cache(maxsize=8192)
def _file_name(path: str) -> str:
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0]
    return folders[-1] if stem.casefold() in FOLDERS_OWN and folders else stem


def _share_of_name(folded: str, file_name: str) -> float:
    """How far a file is named for a term; 0 when it is none of its parts, or too small a one.

    By a root: 約款編 がん特約 is almost as good a name for it as がん特約 alone.
    """
    term, name = _spaced_name(folded), _spaced_name(file_name)
    if term not in name or term.isspace():
        return 0.0
    share = len(term) / len(name)
    return share**0.5 if share >= SMALLEST_NAMED else 0.0


@lru_cache(maxsize=8192)
def _spaced_name(name: str) -> str:
    """A name with one space in place of all that parts it, and around it."""
    return f" {' '.join(filter(None, map(folded_heading, NAME_MARKS.split(name))))} "


@lru_cache(maxsize=8192)
def _topic(path: str) -> str:
    """What a file is about by its path: the folder that it stands for, or itself."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0]
    if stem.casefold() in FOLDERS_OWN:
        return folder
    return f"{folder}/{stem}" if folder else stem

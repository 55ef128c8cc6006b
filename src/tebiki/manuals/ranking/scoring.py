"""The score of a section for a question, part by part.

Pure functions over values; what a part is worth is in `settings`. Gates and order come later.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from tebiki.manuals.ranking import headings
from tebiki.manuals.ranking.headings import Scored
from tebiki.manuals.ranking.settings import CONSTANTS as C
from tebiki.manuals.text.tokenizer import SENTENCES
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tebiki.manuals.index.values import Postings, Stored
    from tebiki.manuals.ranking.plan import Part, Plan, RequiredTerm
    from tebiki.manuals.ranking.settings import FindSettings

NEAR_CHARS = 12
FAR_CHARS = 40
LONG_CHARS = 3000
MOST_PLACES = 8
HUGE_CHARS = 1_000_000
"""A text that takes so long to look through that the time is asked for in between."""

READ_CHARS = 100_000
"""So much of one section is read for phrases and sentences; its words are counted in all of it."""

READ_BEFORE = 1000
NEEDLES_TRIED = 3
CLOSELY_READ = 40
"""So many of the best sections have their text looked at for phrases and neighbours."""

CODE = re.compile(r"(?=.*[a-z])(?=.*[0-9])[a-z0-9]+(?:[-_.][a-z0-9]+)*")


def score_sections(
    stored: Iterable[Stored],
    plan: Plan,
    terms: tuple[RequiredTerm, ...],
    postings: Postings,
    settings: FindSettings,
    *,
    stop: Callable[[], bool] = lambda: False,
) -> list[Scored]:
    """Score sections, best first; texts are not looked at closely any more when `stop` says so."""
    asked = headings.HeadingQuery(plan, terms, postings)
    first = _FirstLook(plan, postings.mean_length, settings, stop)
    rows = [first.at(one) for one in stored]
    for row in rows:
        if not row.matched:
            _note_terms(row, terms)
    rows = [row for row in rows if row.matched]
    names = [term.folded for term in terms]
    for row in rows:
        # Most sections share nothing with the question in their headings and path.
        if row.is_headed or any(name in row.stored.head.folded for name in names):
            headings.weigh(row, asked, terms)
    rows.sort(key=lambda row: row.order)
    look = _CloseLook(plan, settings)
    for row in rows[:CLOSELY_READ]:
        if stop():
            break
        look.at(row)
    for row in rows:
        is_asked = headings.is_the_question(row, asked, plan) if row.is_titled else 0.0
        if row.stored.is_bare:
            row.add("bare_heading", row.score * (C.bare - 1) * (1 - is_asked))
        if is_asked > headings.HALF_ASKED:  # others merely stand in the question
            row.add("heading_asked", C.heading_asked * plan.mass * (2 * is_asked - 1))
    rows.sort(key=lambda row: row.order)
    headings.lift_named(rows, asked, terms, plan)
    return rows


def _note_terms(row: Scored, terms: tuple[RequiredTerm, ...]) -> None:
    """Note the terms of a row that shares no token: they consist of symbols then."""
    row.matched.update({term.folded: 1 for term in terms if term.occurs_in(row.stored)})


class _FirstLook:
    """Base score and coverage, from counts alone: plain code, where a find spends its time."""

    def __init__(
        self, plan: Plan, mean_length: float, settings: FindSettings, stop: Callable[[], bool]
    ) -> None:
        self._tokens = [(one.token, one.wanted, one.is_gram, one.worth) for one in plan.tokens]
        self._parts = [(one.unit.surface, one.tokens, one.total, one.mass) for one in plan.parts]
        self._mass = plan.mass
        self._mean_length = mean_length
        self._whole = settings.lexical_coverage_weight * C.coverage * plan.mass
        self._even = settings.sparse_query_coverage_weight * C.sparse_coverage * plan.mass
        self._stop = stop

    def at(self, stored: Stored) -> Scored:
        """Count the tokens of a question in a section."""
        norm = 1 - C.b + C.b * stored.lengths[0] / self._mean_length
        k1 = C.k1
        body_grams, body_words = stored.body
        head_grams, head_words = stored.head
        counts: dict[str, int] = {}
        base = 0.0
        is_headed = is_titled = False
        is_huge = len(body_words) + len(body_grams) > HUGE_CHARS
        for token, wanted, is_gram, worth in self._tokens:
            if is_huge and self._stop():
                break
            if is_gram:
                count = body_grams.count(wanted)
                is_above = wanted in head_grams
            else:
                count = body_words.count(wanted)
                is_above = wanted in head_words
            if not count and not is_above:
                continue
            often = count / norm
            if is_above:
                is_headed = True
                field = 0 if is_gram else 1
                in_title = stored.title[field].count(wanted)
                is_titled = is_titled or in_title > 0
                often += (
                    C.title * min(2, in_title)
                    + C.trail * min(2, stored.trail[field].count(wanted))
                    + C.place * (wanted in stored.place[field])
                )
            if often:
                counts[token] = count or 1
                base += worth * often * (k1 + 1) / (often + k1)
        row = self._with_coverage(stored, counts, base)
        row.is_headed, row.is_titled = is_headed, is_titled
        return row

    def _with_coverage(self, stored: Stored, counts: dict[str, int], base: float) -> Scored:
        matched: dict[str, int] = {}
        weighed = plain = 0.0
        for surface, tokens, total, mass in self._parts:
            held = 0.0
            least = 0
            for token, idf in tokens:
                if token in counts:
                    held += idf
                    count = counts[token]
                    if not least or count < least:
                        least = count
            if least:
                share = held / total
                weighed += mass * share
                plain += share
                matched[surface] = least
        coverage = weighed / self._mass if self._mass else 0.0
        sparse = plain / max(1, len(self._parts))
        row = Scored(stored, matched, coverage)
        whole, even = self._whole * coverage**2, self._even * sparse**2
        parts = {"base": base, "coverage": whole, "sparse_coverage": even}
        row.parts = parts if whole and even else {name: it for name, it in parts.items() if it}
        row.score = base + whole + even
        return row


class _CloseLook:
    """Phrases, neighbours, sentences, numbers, codes and length, from the text itself."""

    def __init__(self, plan: Plan, settings: FindSettings) -> None:
        self._plan = plan
        self._settings = settings
        self._needles = [(part.needle, part.mass) for part in plan.parts]
        self._neighbours = [
            (one.needle, other.needle, min(one.mass, other.mass))
            for one, other in pairwise(plan.parts)
        ]
        self._phrases = [
            *((text, C.compound * plan.mean) for text in plan.question.phrases),
            *(
                (part.unit.surface, C.long_word * part.mass)
                for part in plan.parts
                if len(part.unit.grams) > 1
            ),
        ]
        self._numbers = [_Number.of(part, plan) for part in plan.parts if _is_number(part)]
        self._codes = [part for part in plan.parts if CODE.fullmatch(part.unit.surface)]

    def at(self, row: Scored) -> None:
        """Add to a score what closer reading shows."""
        whole = row.stored.body.folded
        body = read_part(whole, self._plan.parts)
        found = [both for both in self._needles if both[0] in body]
        self._look_for_phrases(row, body)
        if len(found) > 1:
            self._look_for_neighbours(row, body)
        if found and self._plan.mass:
            self._look_at_sentences(row, body, found)
        for part in self._codes:
            if f" {part.unit.words[-1]} " in row.stored.body.words:
                row.signals.add("code_exact")
                row.add("code_exact", C.code * part.mass)
        if len(whole) > LONG_CHARS:
            too_long = (len(whole) - LONG_CHARS) / LONG_CHARS
            row.add("length_penalty", -self._settings.lexical_length_penalty_weight * too_long)

    def _look_for_phrases(self, row: Scored, body: str) -> None:
        title, trail = row.stored.title.folded, row.stored.trail.folded
        value = 0.0
        for text, worth in self._phrases:
            if text in body or text in title or text in trail:
                value += worth
        if value:
            row.signals.add("phrase")
            row.add("phrase", self._settings.lexical_phrase_weight * value)

    def _look_for_neighbours(self, row: Scored, body: str) -> None:
        """Units that follow each other in the question and in the text."""
        near = far = 0.0
        for first, second, worth in self._neighbours:
            gap = smallest_gap(body, first, second)
            if gap is None or gap > FAR_CHARS:
                continue
            if gap <= NEAR_CHARS:
                near += worth
            else:
                far += worth
        if near or far:
            row.signals.add("proximity")
            row.add("proximity_near", self._settings.lexical_proximity_bonus_near * C.near * near)
            row.add("proximity_far", self._settings.lexical_proximity_bonus_far * C.far * far)

    def _look_at_sentences(self, row: Scored, body: str, found: list[tuple[str, float]]) -> None:
        """The sentence that holds most, and numbers beside something else that is asked for."""
        sentences = SENTENCES[body]
        best = 0.0
        for sentence in sentences:
            held = 0.0
            for needle, mass in found:
                if needle in sentence:
                    held += mass
            best = max(best, held)
        row.held = best / self._plan.mass
        row.add("sentence", C.sentence * best**2 / self._plan.mass)
        value = sum(number.worth for number in self._numbers if number.stands_in(sentences))
        if value:
            row.signals.add("number_context")
            bonus = self._settings.lexical_number_context_bonus
            row.add("number_context", bonus * C.number * value)


class _Number(NamedTuple):
    """A number of the question, and what else is asked for."""

    exact: re.Pattern[str]
    others: tuple[str, ...]
    worth: float

    @classmethod
    def of(cls, part: Part, plan: Plan) -> _Number:
        """What stands together with the number, such as its unit, is no context of it."""
        exact = re.compile(rf"(?<![0-9]){re.escape(part.needle)}(?![0-9])")
        apart = (one.needle for one in plan.parts if one.unit.group != part.unit.group)
        return cls(exact, tuple(apart), min(part.mass, plan.mean))

    def stands_in(self, sentences: tuple[str, ...]) -> bool:
        """Tell whether a sentence has it and something else."""
        holding = [sentence for sentence in sentences if self.exact.search(sentence)]
        return any(other in sentence for sentence in holding for other in self.others)


def _is_number(part: Part) -> bool:
    return part.unit.surface[0].isdigit()


def read_part(text: str, parts: Sequence[Part]) -> str:
    """Of a long text the part that is read: from where it first has what is asked for most."""
    return text[(start := read_from(text, parts)) : start + READ_CHARS]


def read_from(text: str, parts: Sequence[Part]) -> int:
    """Where the part of a text begins that is read; all of a text of usual length is."""
    if len(text) <= READ_CHARS:
        return 0
    for part in sorted(parts, key=lambda part: -part.mass)[:NEEDLES_TRIED]:
        place = text.find(part.needle)
        if place >= 0:
            return max(0, place - READ_BEFORE)
    return 0


def smallest_gap(text: str, first: str, second: str) -> int | None:
    """Characters between one text and the next one after it; None when there is no such pair."""
    best: int | None = None
    start = text.find(first)
    for _ in range(MOST_PLACES):
        if start < 0:
            break
        end = start + len(first)
        after = text.find(second, end)
        if after < 0:
            break
        best = after - end if best is None else min(best, after - end)
        start = text.find(first, start + 1)
    return best

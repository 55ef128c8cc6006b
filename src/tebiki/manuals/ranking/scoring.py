"""The score of a section for a question, part by part.

Pure functions over values; what a part is worth is in `settings`. Gates and order come later.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tebiki.manuals.ranking import headings
from tebiki.manuals.ranking.settings import CONSTANTS as C
from tebiki.manuals.text.sentences import SENTENCES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tebiki.manuals.index.values import Postings, Stored
    from tebiki.manuals.ranking.planning import Part, Plan
    from tebiki.manuals.ranking.settings import FindSettings
    from tebiki.manuals.ranking.terms import RequiredTerm

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


class Scored:
    """A section on its way through the ranking: its parts so far, and what it matched.

    `is_headed` when a token of the question stands in its headings or its path.
    """

    __slots__ = ("coverage", "is_headed", "matched", "parts", "score", "signals", "stored")

    def __init__(
        self, stored: Stored, matched: dict[str, int], coverage: float, parts: dict[str, float]
    ) -> None:
        self.stored = stored
        self.is_headed = False
        self.matched = matched
        self.coverage = coverage
        self.parts = {part: value for part, value in parts.items() if value}
        self.signals = {"exact"}
        self.score = sum(parts.values())

    @property
    def order(self) -> tuple[float, str, int, str]:
        """Best first; ties by where they are."""
        path, line, json_path = self.stored.key
        return -self.score, path, line, json_path

    def add(self, part: str, value: float) -> None:
        """Add a part to the score."""
        if value:
            self.parts[part] = self.parts.get(part, 0.0) + value
            self.score += value


def scored(
    stored: Iterable[Stored],
    plan: Plan,
    terms: tuple[RequiredTerm, ...],
    postings: Postings,
    settings: FindSettings,
    *,
    stop: Callable[[], bool] = lambda: False,
) -> list[Scored]:
    """Score sections, best first; texts are not looked at closely any more when `stop` says so."""
    asked = headings.Asked(plan, terms, postings)
    rows = [_first_look(one, plan, postings.mean_length, settings, stop) for one in stored]
    rows = [row for row in rows if row.matched or _has_a_term(row, terms)]
    for row in rows:
        # Most sections share nothing with the question in their headings and path.
        if row.is_headed or any(term.folded in row.stored.head.folded for term in terms):
            headings.weigh(row.stored, asked, terms, row.add)
    rows.sort(key=lambda row: row.order)
    for row in rows[:CLOSELY_READ]:
        if stop():
            break
        _close_look(row, plan, settings)
    for row in rows:
        if row.stored.is_bare:
            row.add("bare_heading", row.score * (C.bare - 1))
    rows.sort(key=lambda row: row.order)
    return rows


def _has_a_term(row: Scored, terms: tuple[RequiredTerm, ...]) -> bool:
    """Tell whether a row that shares no token has a term, which consists of signs then."""
    row.matched.update({term.folded: 1 for term in terms if term.occurs_in(row.stored)})
    return bool(row.matched)


def _first_look(
    stored: Stored,
    plan: Plan,
    mean_length: float,
    settings: FindSettings,
    stop: Callable[[], bool],
) -> Scored:
    """Base score and coverage, from counts alone."""
    norm = 1 - C.b + C.b * stored.length / mean_length
    k1 = C.k1
    body_grams, body_words = stored.body
    head_grams, head_words = stored.head
    counts: dict[str, int] = {}
    base = 0.0
    is_headed = False
    is_huge = len(body_words) + len(body_grams) > HUGE_CHARS
    for token, wanted, is_gram, _, _, worth in plan.tokens:
        if is_huge and stop():
            break
        if is_gram:
            count = body_grams.count(wanted)
            is_above = wanted in head_grams
            above = _above(stored, wanted, 0) if is_above else 0.0
        else:
            count = body_words.count(wanted)
            is_above = wanted in head_words
            above = _above(stored, wanted, 1) if is_above else 0.0
        is_headed = is_headed or is_above
        if count or above:
            often = count / norm + above
            counts[token] = count or 1
            base += worth * often * (k1 + 1) / (often + k1)
    row = _with_coverage(stored, plan, counts, base, settings)
    row.is_headed = is_headed
    return row


def _above(stored: Stored, wanted: str, field: int) -> float:
    """How often headings and path have a token, weighed."""
    return (
        C.title * min(2, stored.title[field].count(wanted))
        + C.trail * min(2, stored.trail[field].count(wanted))
        + C.place * (wanted in stored.place[field])
    )


def _with_coverage(
    stored: Stored, plan: Plan, counts: dict[str, int], base: float, settings: FindSettings
) -> Scored:
    matched: dict[str, int] = {}
    weighed = plain = 0.0
    count_of = counts.get
    for unit, tokens, total, mass, _ in plan.parts:  # plain loops: where a find spends its time
        held = 0.0
        least = 0
        for token, idf in tokens:
            count = count_of(token)
            if count:
                held += idf
                if not least or count < least:
                    least = count
        if least:
            share = held / total
            weighed += mass * share
            plain += share
            matched[unit.surface] = least
    coverage = weighed / plan.mass if plan.mass else 0.0
    sparse = plain / max(1, len(plan.parts))
    whole = settings.lexical_coverage_weight * C.coverage * plan.mass
    even = settings.sparse_query_coverage_weight * C.sparse_coverage * plan.mass
    return Scored(
        stored,
        matched,
        coverage,
        {"base": base, "coverage": whole * coverage**2, "sparse_coverage": even * sparse**2},
    )


def _close_look(row: Scored, plan: Plan, settings: FindSettings) -> None:
    """Phrases, neighbours, sentences, numbers, codes and length, from the text itself."""
    whole = row.stored.body.folded
    body = read_part(whole, plan.parts)
    found = [part for part in plan.parts if part.needle in body]
    _phrases(row, plan, body, settings)
    _neighbours(row, plan, body, settings)
    if found and plan.mass:
        sentences = SENTENCES[body]
        best = max(_held(sentence, found) for sentence in sentences)
        row.add("sentence", C.sentence * best**2 / plan.mass)
        _numbers(row, plan, sentences, settings)
    _codes(row, plan)
    too_long = max(0.0, (len(whole) - LONG_CHARS) / LONG_CHARS)
    row.add("length_penalty", -settings.lexical_length_penalty_weight * too_long)


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


def _phrases(row: Scored, plan: Plan, body: str, settings: FindSettings) -> None:
    fields = (body, row.stored.title.folded, row.stored.trail.folded)
    value = C.compound * plan.mean * sum(_has(fields, text) for text in plan.question.phrases)
    for part in plan.parts:
        if len(part.unit.grams) > 1 and _has(fields, part.unit.surface):
            value += C.long_word * part.mass
    if value:
        row.signals.add("phrase")
        row.add("phrase", settings.lexical_phrase_weight * value)


def _has(fields: tuple[str, ...], text: str) -> bool:
    return any(text in field for field in fields)


def _neighbours(row: Scored, plan: Plan, body: str, settings: FindSettings) -> None:
    """Units that follow each other in the question and in the text."""
    near = far = 0.0
    for first, second in zip(plan.parts, plan.parts[1:], strict=False):
        gap = smallest_gap(body, first.needle, second.needle)
        if gap is None or gap > FAR_CHARS:
            continue
        worth = min(first.mass, second.mass)
        if gap <= NEAR_CHARS:
            near += worth
        else:
            far += worth
    if near or far:
        row.signals.add("proximity")
    row.add("proximity_near", settings.lexical_proximity_bonus_near * C.near * near)
    row.add("proximity_far", settings.lexical_proximity_bonus_far * C.far * far)


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


def _numbers(row: Scored, plan: Plan, sentences: tuple[str, ...], settings: FindSettings) -> None:
    """A number of the question in the same sentence as something else that is asked for."""
    numbers = [part for part in plan.parts if part.unit.surface[0].isdigit()]
    value = 0.0
    for number in numbers:
        # What stands together with the number, such as its unit, is no context of it.
        others = [part for part in plan.parts if part.unit.group != number.unit.group]
        exact = re.compile(rf"(?<![0-9]){re.escape(number.needle)}(?![0-9])")
        told = [sentence for sentence in sentences if exact.search(sentence)]
        if any(other.needle in sentence for sentence in told for other in others):
            value += min(number.mass, plan.mean)
    if value:
        row.signals.add("number_context")
        row.add("number_context", settings.lexical_number_context_bonus * C.number * value)


def _codes(row: Scored, plan: Plan) -> None:
    for part in plan.parts:
        if (
            CODE.fullmatch(part.unit.surface)
            and f" {part.unit.words[-1]} " in row.stored.body.words
        ):
            row.signals.add("code_exact")
            row.add("code_exact", C.code * part.mass)


def _held(sentence: str, parts: list[Part]) -> float:
    return sum(part.mass for part in parts if part.needle in sentence)

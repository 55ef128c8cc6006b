"""The best sentence of each section found, and how much of the question it holds.

Sentences end at full stops and at line ends, so that a row of a table is one of its own.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from tebiki.manuals.index.values import body_of
from tebiki.manuals.ranking.scoring import READ_CHARS, read_from
from tebiki.manuals.report.disagreement import Statement, is_exception
from tebiki.manuals.text.folding import fold
from tebiki.manuals.text.memo import Memo
from tebiki.manuals.text.sentences import LONGEST_KEPT, MARK, MOST_KEPT, split_sentences
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.manuals.documents.sections import Section
    from tebiki.manuals.ranking.headings import Scored
    from tebiki.manuals.ranking.plan import Plan

SENTENCE_ENDS = re.compile(r"(?<=[。！？!?])|(?<=[.;])\s+|[\n\0]+")
LEADING = " #>*+|-"
TRAILING = " *|"
"""Marks of style around a sentence, and spaces; every other white space is folded into these."""

# Not from inside a run of them: each sign of a long row would be tried as its first.
MARKS = re.compile(
    rf"^[\s{re.escape(LEADING)}]+|(?<![\s{re.escape(TRAILING)}])[\s{re.escape(TRAILING)}]++$"
)
LONGEST_SNIPPET = 240


class Saying(NamedTuple):
    """A sentence of a section, by its folded form, where it was read from and which one it was."""

    section: Section
    folded: str
    start: int
    place: int

    @property
    def text(self) -> str:
        """The sentence as written, cut to a snippet."""
        section = self.section
        body = body_of(section)[self.start : self.start + READ_CHARS]
        said = sentences(body) or [section.title or section.path]
        # Folding can make a sentence end where there was none; then its place is another.
        likely = said[self.place : self.place + 1] + said
        return next((one for one in likely if self.folded in fold(one)), self.folded)[
            :LONGEST_SNIPPET
        ]


class Quote(NamedTuple):
    """A sentence that was looked up already, cut to a snippet."""

    text: str


class Evidence(NamedTuple):
    """The best sentence of a candidate, folded, and what of the question it holds."""

    evidence_id: str
    row: Scored
    folded: str
    place: int
    held: frozenset[str]
    start: int

    @property
    def saying(self) -> Saying:
        """The sentence, to be looked up when it is shown."""
        return Saying(self.row.stored.section, self.folded, self.start, self.place)

    @property
    def text(self) -> str:
        """The sentence as written, cut to a snippet."""
        return self.saying.text

    @property
    def digest(self) -> str:
        """Of the text that is shown."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    @property
    def is_exception(self) -> bool:
        """Tell whether the sentence narrows a rule."""
        return is_exception(self.folded)

    @property
    def statement(self) -> Statement:
        """The sentence below its headings."""
        section = self.row.stored.section
        return Statement(self.folded, section.title, section.trail, section.path)


def evidence_of(place: int, row: Scored, plan: Plan) -> Evidence:
    """Choose the sentence of a section that holds most of the question; the first of equals."""
    section = row.stored.section
    body = body_of(section)
    # Where a needle stands in a text that is too long to be folded, but for width and spaces.
    start = read_from(body.lower(), plan.parts) if len(body) > READ_CHARS else 0
    body = body[start : start + READ_CHARS]
    said = FOLDED[body] or (fold(section.title or section.path),)
    needles = [(part.needle, part.mass) for part in plan.parts]
    masses = [sum([mass for needle, mass in needles if needle in one]) for one in said]
    best = masses.index(max(masses))
    held = frozenset(part.unit.surface for part in plan.parts if part.needle in said[best])
    return Evidence(f"ev:{place}", row, said[best], best, held, start)


def sentences(text: str) -> list[str]:
    """The sentences of a text as written, without the marks around them."""
    found = (MARKS.sub("", part) for part in SENTENCE_ENDS.split(text))
    return [part for part in found if part]


def _folded_sentences(body: str) -> tuple[str, ...]:
    """Folded in one go, which is quicker than one by one; a mark keeps the place of a line end."""
    found = (
        part.lstrip(LEADING).rstrip(TRAILING)
        for part in split_sentences(fold(body.replace("\n", MARK)))
    )
    return tuple(filter(None, found))


FOLDED = Memo(_folded_sentences, most=MOST_KEPT, longest=LONGEST_KEPT)
"""The sentences of a text as written, folded, without the marks around them."""

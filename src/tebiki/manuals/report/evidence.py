"""What a section says about a question: its words, and its best sentence.

Sentences end at full stops and at line ends, so that a row of a table is one of its own. Whether
two of them disagree is told in `disagreement`.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from tebiki.manuals.documents.page_marks import page_of
from tebiki.manuals.index.values import body_of
from tebiki.manuals.ranking.scoring import READ_CHARS, read_from
from tebiki.manuals.report.disagreement import Statement, is_exception
from tebiki.manuals.text.folding import fold
from tebiki.manuals.text.tokenizer import FOLDED_SENTENCES, LEADING, MARK, TRAILING
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tebiki.manuals.documents.sections import Section
    from tebiki.manuals.index.values import Stored
    from tebiki.manuals.ranking.headings import Scored
    from tebiki.manuals.ranking.plan import Part, Plan
    from tebiki.manuals.text.query import Unit

MOST_CHARACTERS = 64
"""Of words that stand there in parts: each character of them is one more look through the text."""


class Matches:
    """Tells what sections have of one question."""

    def __init__(self, plan: Plan) -> None:
        self._parts = {part.unit.surface: part for part in plan.parts}

    def of(self, row: Scored) -> dict[str, int]:
        """What a section has, and how often: parts of the question, or pieces of a part."""
        if len(row.stored.body.folded) > READ_CHARS:
            return row.matched  # as it is scored: to look for each takes longer than the answer may
        found: dict[str, int] = {}
        characters = MOST_CHARACTERS
        for surface, times in row.matched.items():
            part = self._parts.get(surface)
            if part is None or _has(row.stored, part):
                found[surface] = times
            elif characters > 0:
                for piece, count in _pieces(row.stored, part.unit, surface[:characters]):
                    found.setdefault(piece, count)
                characters -= len(surface)
        return found or row.matched


def _has(stored: Stored, part: Part) -> bool:
    """Tell whether a part stands there as a whole; of a name or a code the joined form does."""
    unit = part.unit
    if unit.grams:
        return part.needle in stored.body.folded or part.needle in stored.head.folded
    return _times_word(stored, unit.words[0 if unit.surface.isdigit() else -1]) > 0


def _pieces(stored: Stored, unit: Unit, surface: str) -> Iterator[tuple[str, int]]:
    """Those parts of a name that a section has, or the longest pieces of a Japanese word."""
    if not unit.grams:
        yield from ((word, times) for word in unit.words if (times := _times_word(stored, word)))
        return
    start = 0
    while start < len(surface) - 1:
        end = start + 1
        while end < len(surface) and _times(stored, surface[start : end + 1]):
            end += 1
        if end - start > 1:
            piece = surface[start:end]
            yield piece, _times(stored, piece)
        start = end


def _times(stored: Stored, text: str) -> int:
    """How often a section has a text; once if only its headings have it."""
    return stored.body.folded.count(text) or int(text in stored.head.folded)


def _times_word(stored: Stored, word: str) -> int:
    wanted = f" {word} "
    return stored.body.words.count(wanted) or int(wanted in stored.head.words)


ENDS = "。！？!?"
ENDS_BEFORE_A_SPACE = ".;"
ODD_SPACES = re.compile(r"[^\S \n]")
"""White space other than spaces and line ends, which a text has seldom."""

SPACES = (
    " \t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""All white space there is."""

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

    @property
    def page(self) -> str:
        """The page of the original on which it stands, if that is known."""
        return page_of(self.section, self.text) if self.section.page else ""


class Quote(NamedTuple):
    """A sentence that was looked up already, cut to a snippet, and its page."""

    text: str
    page: str = ""


class Evidence(NamedTuple):
    """The best sentence of a candidate, folded, and what of the question it holds.

    `also` are the places of other sentences that hold a good part of it, the best first.
    """

    evidence_id: str
    row: Scored
    folded: str
    place: int
    held: frozenset[str]
    start: int
    also: tuple[tuple[int, str], ...] = ()

    @property
    def saying(self) -> Saying:
        """The sentence, to be looked up when it is shown."""
        return Saying(self.row.stored.section, self.folded, self.start, self.place)

    @property
    def text(self) -> str:
        """The sentence as written, cut to a snippet."""
        return self.saying.text

    @property
    def page(self) -> str:
        """The page of the original on which it stands, if that is known."""
        return self.saying.page

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


ALSO_HELD = 0.25
MOST_ALSO = 8
"""A sentence that holds a quarter of what the best one does may be what another file denies."""


def evidence_of(rows: Sequence[Scored], plan: Plan, first: int = 1) -> tuple[Evidence, ...]:
    """Of each section the sentence that holds most of the question, numbered from `first` on."""
    bodies = [body_of(row.stored.section) for row in rows]
    # Where a needle stands in a text that is too long to be folded, but for width and spaces.
    starts = [
        read_from(body.lower(), plan.parts) if len(body) > READ_CHARS else 0 for body in bodies
    ]
    parts = [body[at : at + READ_CHARS] for body, at in zip(bodies, starts, strict=True)]
    said = [FOLDED_SENTENCES[part] for part in parts]
    read = zip(rows, said, starts, strict=True)
    return tuple(_choose(place, *each, plan) for place, each in enumerate(read, first))


def _choose(place: int, row: Scored, said: tuple[str, ...], start: int, plan: Plan) -> Evidence:
    """The sentence of a section that holds most of the question; the first of equals."""
    section = row.stored.section
    said = said or (fold(section.title or section.path),)
    needles = [(part.needle, part.mass) for part in plan.parts]
    masses = [sum([mass for needle, mass in needles if needle in one]) for one in said]
    most = max(masses)
    best = masses.index(most)
    enough = ALSO_HELD * most
    also = [at for at, mass in enumerate(masses) if mass >= enough and at != best] if most else []
    if len(also) > MOST_ALSO:
        also = sorted(also, key=lambda at: -masses[at])[:MOST_ALSO]
    others = tuple((at, said[at]) for at in also)
    return Evidence(f"ev:{place}", row, said[best], best, held_by(plan, said[best]), start, others)


def held_by(plan: Plan, folded: str) -> frozenset[str]:
    """What of a question a sentence holds."""
    return frozenset(part.unit.surface for part in plan.parts if part.needle in folded)


def sentences(text: str) -> list[str]:
    """The sentences of a text as written, without the marks around them.

    By plain replacing: a pattern that looks back would try every place of a long text.
    """
    spaces = {" ", *ODD_SPACES.findall(text)}
    for end in ENDS:
        text = text.replace(end, end + MARK)
    for end in ENDS_BEFORE_A_SPACE:
        for space in spaces:
            text = text.replace(end + space, end + MARK)
    parts = text.replace("\n", MARK).split(MARK)
    found = (part.lstrip(SPACES + LEADING).rstrip(SPACES + TRAILING) for part in parts)
    return [part for part in found if part]

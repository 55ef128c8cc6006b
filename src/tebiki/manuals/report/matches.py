"""What of a question a section has, as its row tells it: no word that does not stand there.

Sections are found and scored by tokens, which are less than words: 京都と東京 has both bigrams of
東京都. Whoever reads a row takes its words for what they say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.ranking.scoring import READ_CHARS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.manuals.index.values import Stored
    from tebiki.manuals.ranking.headings import Scored
    from tebiki.manuals.ranking.plan import Part, Plan
    from tebiki.manuals.text.query import Unit

MOST_SIGNS = 64
"""Of words that stand there in parts: each sign of them is one more look through the text."""


class Matches:
    """Tells what sections have of one question."""

    def __init__(self, plan: Plan) -> None:
        self._parts = {part.unit.surface: part for part in plan.parts}

    def of(self, row: Scored) -> dict[str, int]:
        """What a section has, and how often: parts of the question, or pieces of a part."""
        if len(row.stored.body.folded) > READ_CHARS:
            return row.matched  # as it is scored: to look for each takes longer than the answer may
        told: dict[str, int] = {}
        signs = MOST_SIGNS
        for surface, times in row.matched.items():
            part = self._parts.get(surface)
            if part is None or _has(row.stored, part):
                told[surface] = times
            elif signs > 0:
                for piece, found in _pieces(row.stored, part.unit, surface[:signs]):
                    told.setdefault(piece, found)
                signs -= len(surface)
        return told or row.matched


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

"""What of a question a section has, as its row tells it: no word that does not stand there.

Sections are found and scored by tokens, which are less than words: 京都と東京 has both bigrams of
東京都. Whoever reads a row takes its words for what they say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.ranking.scoring import HUGE_CHARS

if TYPE_CHECKING:
    from tebiki.manuals.index.values import Stored
    from tebiki.manuals.ranking.planning import Part, Plan
    from tebiki.manuals.ranking.row import Scored


class Matches:
    """Tells what sections have of one question."""

    def __init__(self, plan: Plan) -> None:
        self._parts = {part.unit.surface: part for part in plan.parts}

    def of(self, row: Scored) -> dict[str, int]:
        """What a section has, and how often: parts of the question, or the tokens of a part."""
        told: dict[str, int] = {}
        for surface, times in row.matched.items():
            part = self._parts.get(surface)
            if part is None or _has(row.stored, part):
                told[surface] = times
            else:
                told |= {
                    token: found
                    for token in (*part.unit.grams, *part.unit.words)
                    if token not in told and (found := _times(row.stored, part, token))
                }
        return told or row.matched


def _has(stored: Stored, part: Part) -> bool:
    """Tell whether a part stands there as a whole; of a name or a code the joined form does."""
    unit = part.unit
    if len(stored.body.folded) > HUGE_CHARS:
        return True  # to look for it would take longer than the answer may
    if unit.grams:
        return part.needle in stored.body.folded or part.needle in stored.head.folded
    return _times(stored, part, unit.words[0 if unit.surface.isdigit() else -1]) > 0


def _times(stored: Stored, part: Part, token: str) -> int:
    """How often a section has a token of a part; once if only its headings have it."""
    if token in part.unit.grams:
        return stored.body.folded.count(token) or int(token in stored.head.folded)
    wanted = f" {token} "
    return stored.body.words.count(wanted) or int(wanted in stored.head.words)

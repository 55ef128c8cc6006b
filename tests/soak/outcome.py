"""What a part of the soak did and what went wrong, and the table of all parts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_SHOWN = 10


@dataclass(slots=True)
class Outcome:
    """One part: counts of what was done, and a line for each thing that was wrong."""

    name: str
    done: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def expect(self, is_right: bool, words: str) -> None:
        """Note something that is not as it should be."""
        if not is_right:
            self.wrong.append(words[:500])


def table(outcomes: Iterable[Outcome]) -> str:
    """All parts for a person: what was done, how much of it, and what went wrong."""
    lines = []
    for outcome in outcomes:
        lines.append(f"{outcome.name:<10} {'FAILED' if outcome.wrong else 'ok'}")
        lines += [f"{'':<10} {count:>9} {what}" for what, count in outcome.done.items()]
        lines += [f"{'':<10} wrong: {words}" for words in outcome.wrong[:MOST_SHOWN]]
        if len(outcome.wrong) > MOST_SHOWN:
            lines.append(f"{'':<10} and {len(outcome.wrong) - MOST_SHOWN} more")
    return "\n".join(lines) + "\n"

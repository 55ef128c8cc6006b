"""A section on its way through the ranking, and the parts of its score so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tebiki.manuals.index.values import Key, Stored


class Scored:
    """A section on its way through the ranking: its parts so far, and what it matched.

    Its key and its path are asked for many times, and are at hand. `is_headed` when a token of the
    question stands in its headings or its path, `is_titled` when one stands in its own heading.
    """

    __slots__ = (
        "coverage",
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

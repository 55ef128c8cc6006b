"""What a look at one thing gives: how it is, in words, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from tebiki.values.keys import clean_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.values.phrases import Phrase


class FindingLevel(Enum):
    """How something is."""

    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `advice` tells what to do next, `facts` are for programs."""

    area: str
    verdict: FindingLevel
    words: str
    advice: str = ""
    facts: dict[str, Any] = field(default_factory=dict)

    def without_secrets(self, clean: Callable[[str], str]) -> Finding:
        """The same with every text cleaned."""
        facts = clean_value(self.facts, clean)
        return Finding(self.area, self.verdict, clean(self.words), clean(self.advice), facts)

    def as_json(self) -> dict[str, Any]:
        """Give the finding as a program reads it."""
        shown: dict[str, Any] = {
            "area": self.area,
            "verdict": self.verdict.value,
            "words": self.words,
        }
        shown |= {"advice": self.advice} if self.advice else {}
        return shown | ({"facts": self.facts} if self.facts else {})


def good(area: str, words: Phrase, **facts: Any) -> Finding:
    """Tell of something that is as it should be."""
    return Finding(area, FindingLevel.OK, words, facts=facts)


def doubtful(area: str, words: Phrase, advice: Phrase, **facts: Any) -> Finding:
    """Tell of something that works, but not as well as it could."""
    return Finding(area, FindingLevel.WARNING, words, advice, facts)


def wrong(area: str, words: Phrase, advice: Phrase, **facts: Any) -> Finding:
    """Tell of something that does not work."""
    return Finding(area, FindingLevel.FAULT, words, advice, facts)

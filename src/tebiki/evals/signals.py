"""What each signal of the ranking is worth on a set: the same questions with it switched off.

Those that a setting weighs: whoever learns that one costs more than it gains can act on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.evals.measures import MEASURES
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.evals.measures import Values

TOLD = ("hit", "mrr", "page_mrr", "section_mrr")
"""Measures that a signal is told by; programs get every one of the ranking."""

UNTOLD = frozenset(["p50_ms", "p95_ms"])
"""A single run says nothing of what a signal costs."""


class Signal(NamedTuple):
    """A signal, the setting that weighs it, and the value that switches it off."""

    name: str
    key: str
    off: float | bool


SIGNALS = (
    Signal("covering the question", "manuals.find.lexical_coverage_weight", 0.0),
    Signal("covering it word by word", "manuals.find.sparse_query_coverage_weight", 0.0),
    Signal("phrases", "manuals.find.lexical_phrase_weight", 0.0),
    Signal("numbers in context", "manuals.find.lexical_number_context_bonus", 0.0),
    Signal("words side by side", "manuals.find.lexical_proximity_bonus_near", 0.0),
    Signal("words in one passage", "manuals.find.lexical_proximity_bonus_far", 0.0),
    Signal("shortness", "manuals.find.lexical_length_penalty_weight", 0.0),
    Signal("links", "manuals.find.link_weight", 0.0),
    Signal("headings and paths alone", "manuals.find.file_prescan_enabled", False),
    Signal("exploration", "manuals.find.exploration_enabled", False),
    Signal("sub-questions", "manuals.find.query_decomp_enabled", False),
)


class SignalWorth(NamedTuple):
    """What a set gains by a signal, measure by measure, and the questions it moved up and down."""

    signal: Signal
    gains: Values
    better: int
    worse: int

    @property
    def order(self) -> tuple[float, str]:
        """What gains most comes first."""
        return -(self.gains["ndcg"] or 0.0), self.signal.name

    def as_json(self) -> dict[str, Any]:
        """Give it for a program."""
        kept = [measure.name for measure in MEASURES if measure.name not in UNTOLD]
        return {
            "signal": self.signal.name,
            "setting": self.signal.key,
            "gains": {name: self.gains[name] for name in kept},
            "better": self.better,
            "worse": self.worse,
        }

"""What the ledger adds up to, by tool, by model and by day. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from tebiki.budget.paid_calls import OUTCOMES, PaidCall, day_of
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

GROUPS: dict[str, Callable[[PaidCall], str]] = {
    "tool": lambda call: call.tool,
    "model": lambda call: call.model,
    "day": lambda call: day_of(call.time),
}
"""By what calls can be put together."""


class Sums(NamedTuple):
    """Calls added up; `unknown` are those without a known cost, which may be `held_usd` more."""

    calls: int
    outcomes: dict[str, int]
    input: int
    output: int
    reasoning: int
    cached: int
    searches: int
    cost_usd: float
    unknown: int
    held_usd: float

    @property
    def not_ok(self) -> int:
        """Calls that gave no answer."""
        return self.calls - self.outcomes["ok"]

    def as_json(self) -> dict[str, Any]:
        """Give the sums as a program reads them."""
        return {
            "calls": self.calls,
            **self.outcomes,
            "input_tokens": self.input,
            "output_tokens": self.output,
            "reasoning_tokens": self.reasoning,
            "cached_tokens": self.cached,
            "searches": self.searches,
            "estimated_cost_usd": self.cost_usd,
            "calls_of_unknown_cost": self.unknown,
            "presumed_cost_of_those_usd": self.held_usd,
        }


def add_up(calls: Iterable[PaidCall]) -> Sums:
    """Add calls up."""
    listed = list(calls)
    ended = Counter(call.outcome for call in listed)
    unknown = [call for call in listed if call.cost_usd is None]
    return Sums(
        calls=len(listed),
        outcomes={outcome: ended[outcome] for outcome in OUTCOMES},
        input=sum(call.spent.input for call in listed),
        output=sum(call.spent.output for call in listed),
        reasoning=sum(call.spent.reasoning for call in listed),
        cached=sum(call.spent.cached for call in listed),
        searches=sum(call.spent.searches for call in listed),
        cost_usd=round(sum(call.cost_usd or 0.0 for call in listed), 6),
        unknown=len(unknown),
        held_usd=round(sum(call.held_usd for call in unknown), 6),
    )


def group(calls: Iterable[PaidCall], by: str) -> dict[str, Sums]:
    """Add calls up by tool or model, the dearest first, or by day, the earliest first."""
    name_of = GROUPS[by]
    together: dict[str, list[PaidCall]] = {}
    for call in calls:
        together.setdefault(name_of(call), []).append(call)
    sums = {name: add_up(listed) for name, listed in together.items()}
    if by == "day":
        return dict(sorted(sums.items()))
    return dict(sorted(sums.items(), key=lambda row: (-row[1].cost_usd, -row[1].calls, row[0])))

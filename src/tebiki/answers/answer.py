"""A finished answer as a value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tebiki.answers.citations import Citation
    from tebiki.responses.client import Exchange


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer and what it took."""

    text: str
    used_search: bool
    citations: tuple[Citation, ...]
    model: str
    exchange: Exchange

    @property
    def is_whole(self) -> bool:
        """Tell whether it was ended by the model and not cut off: only then it may be kept."""
        return self.exchange.reply.status == "completed"


def give_again(answer: Answer) -> Answer:
    """An answer given once more, which costs nothing."""
    exchange = answer.exchange
    cost = None if exchange.cost_usd is None else 0.0
    remarks = {**exchange.remarks, "cached": True}
    return replace(answer, exchange=replace(exchange, cost_usd=cost, remarks=remarks))

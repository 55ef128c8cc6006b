"""Who pays for a call, where several clients share one server: asked beside the user's own caps.

The engines do not know their callers; whoever runs a call says who pays for what it does meanwhile.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator


class ClientBudget(Protocol):
    """What one client may spend."""

    @property
    def priced_by(self) -> str | None:
        """The setting that needs to know what a model costs, if one is set."""

    def begin(self, call_id: str, held_usd: float) -> None:
        """Let a call begin that is presumed to cost so much.

        Raises:
            OverBudget: it may not; then nothing is held.
        """

    def end(self, call_id: str, usd: float) -> None:
        """Note what a call that began has come to."""


_IN_CHARGE: ContextVar[ClientBudget | None] = ContextVar("budget", default=None)


@contextmanager
def charge_calls_to(budget: ClientBudget | None) -> Iterator[None]:
    """Let a budget pay for every call that is made within; None: nobody asks."""
    before = _IN_CHARGE.set(budget)
    try:
        yield
    finally:
        _IN_CHARGE.reset(before)


def budget_in_charge() -> ClientBudget | None:
    """Whoever pays for what runs now."""
    return _IN_CHARGE.get()

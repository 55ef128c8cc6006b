"""Who pays for a call, where several clients share one server: asked beside the user's own caps.

The engines do not know their callers; whoever runs a call says who pays for what it does meanwhile.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator


class Purse(Protocol):
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


_PURSE: ContextVar[Purse | None] = ContextVar("purse", default=None)


@contextmanager
def paid_by(purse: Purse | None) -> Iterator[None]:
    """Let a purse pay for every call that is made within; None: nobody asks."""
    before = _PURSE.set(purse)
    try:
        yield
    finally:
        _PURSE.reset(before)


def purse_in_charge() -> Purse | None:
    """Whoever pays for what runs now."""
    return _PURSE.get()

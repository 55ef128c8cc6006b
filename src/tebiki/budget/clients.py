"""What one client of a shared server may do: calls in a minute, calls at once, money in a day.

Calls are counted in the store, so all workers count together; money and paid calls are counted by
the ledger. A running call is a lease that is renewed while its worker lives: what a worker that
died was running is free again soon after.

The engines do not know their callers; whoever runs a call says whose caps pay for what it does.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from tebiki.budget.caps import ClientCaps
from tebiki.budget.paid_calls import LONGEST_NAME
from tebiki.errors import TooManyCalls
from tebiki.named_tuples import NamedTuple
from tebiki.state.leases import LEASE_SECONDS, LeasesInUse
from tebiki.state.looped import LoopedStore
from tebiki.state.store import Lease

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tebiki.state.store import StateStore

MINUTE = 60

_IN_CHARGE: ContextVar[ClientCaps | None] = ContextVar("client caps", default=None)


class Allowance(NamedTuple):
    """What each client may do."""

    calls_per_minute: int
    concurrent_calls: int
    daily_usd: float | None = None
    daily_calls: int = 0
    unread: str | None = None
    """What is wrong with a limit on money that somebody set."""


class ClientLimits:
    """Counts the calls of every client; only used in the loop's own thread."""

    def __init__(
        self, allowance: Allowance, store: StateStore, *, new_id: Callable[[], str]
    ) -> None:
        self._allowance = allowance
        self._store = LoopedStore(store)
        self._new_id = new_id
        self.running = LeasesInUse(store, beside=self._store.do)

    async def count(self, client: str) -> float:
        """Count one call of a client, whatever becomes of it; gives how many this minute has."""
        if not self._allowance.calls_per_minute:
            return 0
        return await self._store.count("calls", client, MINUTE)

    @asynccontextmanager
    async def call(self, client: str, number: float = 0) -> AsyncIterator[None]:
        """Let one call of a client run, at that client's expense; `number` as counted.

        Raises:
            TooManyCalls: it has made too many, or too many are running.
        """
        if number > self._allowance.calls_per_minute:
            raise TooManyCalls(
                f"this client has made {self._allowance.calls_per_minute} calls in this minute; "
                "wait for the next one"
            )
        lease = Lease("running", client, self._new_id())
        most = self._allowance.concurrent_calls
        if await self._store.lease(lease, most, LEASE_SECONDS) is None:
            raise TooManyCalls(
                f"{most} calls of this client are already running; wait for some to finish"
            )
        self.running.begin(lease)
        charge = _IN_CHARGE.set(caps_of(client, self._allowance))
        is_cancelled = False
        try:
            yield
        except (asyncio.CancelledError, GeneratorExit):
            is_cancelled = True
            raise
        finally:
            _IN_CHARGE.reset(charge)
            self.running.end(lease)
            if is_cancelled:
                # Who is cancelled can wait for nothing more.
                self._store.release_soon(lease)
            else:
                await self._store.release(lease)


def caps_of(client: str, allowance: Allowance) -> ClientCaps | None:
    """The caps of a client; none where nothing is limited."""
    daily_usd, daily_calls, unread = (
        allowance.daily_usd,
        allowance.daily_calls,
        allowance.unread,
    )
    if daily_usd is None and not daily_calls and unread is None:
        return None
    return ClientCaps(ledger_name(client), daily_usd, daily_calls, unread)


def caps_in_charge() -> ClientCaps | None:
    """Whose caps pay for what runs now."""
    return _IN_CHARGE.get()


def ledger_name(client: str) -> str:
    """A client as the ledger may name it: whatever an issuer of tokens calls it, safe to print."""
    if client and len(client) <= LONGEST_NAME and client.isprintable():
        return client
    import hashlib  # for odd names alone

    return hashlib.sha256(client.encode("utf-8", "surrogatepass")).hexdigest()

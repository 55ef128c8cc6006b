"""Identical questions of one client to several workers: asked once, by one of them.

A whole answer stands in the store that the workers share, for as long as it is kept. Whoever asks
the API holds a lease meanwhile; the others look whether it has ended. A worker that dies lets go of
its lease soon after, and whoever waited asks in its place.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tebiki.answers.answer import Answer, give_again
from tebiki.answers.citations import Citation
from tebiki.responses.client import Exchange
from tebiki.responses.replies import Reply, Usage
from tebiki.state.leases import LeasesInUse
from tebiki.state.looped import LoopedStore
from tebiki.state.store import Lease, Shelf

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tebiki.responses.replies import Json
    from tebiki.state.store import StateStore

MOST_OF_ONE_CLIENT = 20
"""Answers; what comes on top replaces the oldest."""

LONGEST_KEPT = 1_000_000
"""Signs of an answer's text; a longer one is given, and not kept."""

LEASE_SECONDS = 10.0
RENEW_SECONDS = 3.0
"""How long others wait for a worker that died, and how often a living one says it lives."""

LOOK_SECONDS = 0.1
"""Between two looks at what another worker is doing."""


class AnswersOfWorkers:
    """What the workers of one server have answered; only used in the loop's own thread."""

    def __init__(
        self,
        store: StateStore,
        seconds: float,
        *,
        patience_seconds: float,
        monotonic: Callable[[], float],
        new_id: Callable[[], str],
        debug: Callable[[str], None],
    ) -> None:
        """`patience_seconds`: how long another worker's call is waited for before asking too."""
        self._store = LoopedStore(store)
        self._leases = LeasesInUse(
            store, LEASE_SECONDS, beside=self._store.do, renew_seconds=RENEW_SECONDS
        )
        self._shelf: Shelf[Answer | None] = Shelf(
            "answers", MOST_OF_ONE_CLIENT, seconds, pack=pack, unpack=unpack
        )
        self._patience_seconds = patience_seconds
        self._monotonic = monotonic
        self._new_id = new_id
        self._debug = debug

    async def answer(self, client: str, key: str, make: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer to a question: kept, on its way in another worker, or made now."""
        lease, has_told = Lease("answering", key, self._new_id()), False
        until = self._monotonic() + self._patience_seconds
        while True:
            kept = await self._store.get(self._shelf, client, key)
            if kept is not None:
                return give_again(kept)
            if await self._store.lease(lease, 1, LEASE_SECONDS) is not None:
                return await self._answer_first(lease, client, make)
            if self._monotonic() >= until:
                return await self._make(client, key, make)
            if not has_told:
                has_told = True
                self._debug("an identical question is on its way in another worker")
            await asyncio.sleep(LOOK_SECONDS)

    async def _answer_first(
        self, lease: Lease, client: str, make: Callable[[], Awaitable[Answer]]
    ) -> Answer:
        """Make an answer while the lease is ours, unless it was made just before."""
        self._leases.begin(lease)
        try:
            kept = await self._store.get(self._shelf, client, lease.owner)
            if kept is not None:
                return give_again(kept)
            return await self._make(client, lease.owner, make)
        finally:
            self._leases.end(lease)
            # Not waited for: whoever is cancelled can wait for nothing more.
            self._store.release_soon(lease)

    async def _make(self, client: str, key: str, make: Callable[[], Awaitable[Answer]]) -> Answer:
        answer = await make()
        if answer.is_whole and len(answer.text) <= LONGEST_KEPT:
            to_keep: Answer | None = answer
            # Kept before the lease is let go of: who takes it next finds the answer.
            await self._store.put(self._shelf, client, key, to_keep)
        return answer


def pack(answer: Answer | None) -> Json | None:
    """An answer as the store holds it: what a client gets of it, and no more of the reply."""
    if answer is None:
        return None
    exchange, reply = answer.exchange, answer.exchange.reply
    usage = reply.usage
    return {
        "text": answer.text,
        "used_search": answer.used_search,
        "citations": [[one.url, one.title, one.published_at] for one in answer.citations],
        "model": answer.model,
        "id": reply.id,
        "answered_by": reply.model,
        "tokens": [usage.input, usage.output, usage.cached, usage.reasoning],
        "searches": reply.searches_run,
        "opened": list(reply.opened_pages),
        "attempts": exchange.attempts,
        "elapsed_ms": exchange.elapsed_ms,
        "cost_usd": exchange.cost_usd,
        "remarks": exchange.remarks,
    }


def unpack(kept: Any) -> Answer | None:
    """The answer again; None for what another release has written otherwise."""
    try:
        reply = Reply(
            id=kept["id"],
            model=kept["answered_by"],
            status="completed",
            incomplete_reason=None,
            failure_message=None,
            failure_code=None,
            text=kept["text"],
            citations=(),
            searches=tuple(
                {"action": {"type": "open_page", "url": address}} for address in kept["opened"]
            ),
            usage=Usage(*kept["tokens"]),
            billed_searches=kept["searches"],
        )
        exchange = Exchange(
            reply, kept["attempts"], kept["elapsed_ms"], kept["cost_usd"], dict(kept["remarks"])
        )
        cited = tuple(Citation(*one) for one in kept["citations"])
        return Answer(kept["text"], kept["used_search"], cited, kept["model"], exchange)
    except (KeyError, TypeError, ValueError):
        return None

"""A store as an event loop may ask it: one that can wait is asked in threads of its own.

A store in memory answers at once and is asked directly; a thread would take longer than it.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.state.store import Kept, Lease, Shelf, StateStore

Given = TypeVar("Given")

THREADS = 8
"""Calls that wait for the store at once; each is there for a millisecond."""


class LoopedStore:
    """What limits and answers ask of a store, without holding up the loop."""

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._threads = ThreadPoolExecutor(THREADS, "state") if store.waits else None

    async def _ask(self, wanted: Callable[[], Given]) -> Given:
        if self._threads is None:
            return wanted()
        return await asyncio.wrap_future(self._threads.submit(wanted))

    async def put(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> None:
        """Keep a thing."""
        await self._ask(lambda: self._store.put(shelf, owner, key, value))

    async def get(self, shelf: Shelf[Kept], owner: str, key: str) -> Kept | None:
        """Give a thing that is still kept for that owner."""
        return await self._ask(lambda: self._store.get(shelf, owner, key))

    async def count(self, name: str, owner: str, seconds: int) -> float:
        """Count one more."""
        return await self._ask(lambda: self._store.count(name, owner, seconds))

    async def lease(self, lease: Lease, most: float, seconds: float) -> float | None:
        """Take something; it is given back where whoever asked has gone before the answer."""
        if self._threads is None:
            return self._store.lease(lease, most, seconds)
        asked = self._threads.submit(self._store.lease, lease, most, seconds)
        try:
            return await asyncio.wrap_future(asked)
        except asyncio.CancelledError:
            if not asked.cancel():
                asked.add_done_callback(lambda _: self.release_soon(lease))
            raise

    async def release(self, lease: Lease) -> None:
        """Give something back, and wait until that is done."""
        if self._threads is None:
            self._store.release(lease)
        else:
            asked = self._threads.submit(self._store.release, lease)
            # Who is cancelled meanwhile does not take back what is waiting for a thread.
            await asyncio.shield(asyncio.wrap_future(asked))

    def release_soon(self, lease: Lease) -> None:
        """Give something back without waiting: also who was cancelled can do that."""
        self.do(lambda: self._store.release(lease))

    def do(self, work: Callable[[], object]) -> None:
        """Do something that waits for the store, without waiting for it."""
        if self._threads is None:
            work()
        else:
            self._threads.submit(work)

"""Identical questions of one client: answered once for a while, and once for those who wait.

Kept in the memory of this process. An answer that is partial, or was none, is not kept.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tebiki.answers.answer import Answer

MOST_KEPT = 200
"""Answers; what comes on top replaces the oldest."""


class KeptAnswer(NamedTuple):
    """An answer, and until when it may be given again."""

    answer: Answer
    until: float


class SharedAnswers:
    """Answers by what was asked; only used in the loop's own thread."""

    def __init__(self, seconds: float, monotonic: Callable[[], float]) -> None:
        self._seconds = seconds
        self._monotonic = monotonic
        self._kept: dict[str, KeptAnswer] = {}
        self._running: dict[str, asyncio.Task[Answer]] = {}
        self._waiting: dict[asyncio.Task[Answer], int] = {}

    async def answer(self, key: str, make: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer to what has this key: kept, on its way, or made now."""
        kept = self._kept.get(key)
        if kept is not None and self._monotonic() < kept.until:
            return _again(kept.answer)
        task = self._running.get(key)
        is_shared = task is not None
        if task is None:
            task = asyncio.ensure_future(self._make(key, make))
            self._running[key] = task
        answer = await self._wait(task)
        return _again(answer) if is_shared else answer

    async def _wait(self, task: asyncio.Task[Answer]) -> Answer:
        """Wait for an answer; it is called off when the last one who waits leaves."""
        self._waiting[task] = self._waiting.get(task, 0) + 1
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if self._waiting[task] == 1:
                task.cancel()
                await asyncio.wait({task})
            raise
        finally:
            self._waiting[task] -= 1
            if not self._waiting[task]:
                del self._waiting[task]

    async def _make(self, key: str, make: Callable[[], Awaitable[Answer]]) -> Answer:
        try:
            answer = await make()
        finally:
            self._running.pop(key, None)
        if answer.exchange.reply.status == "completed":
            self._kept.pop(key, None)
            while len(self._kept) >= MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = KeptAnswer(answer, self._monotonic() + self._seconds)
        return answer


def _again(answer: Answer) -> Answer:
    """An answer given once more, which costs nothing."""
    exchange = answer.exchange
    cost = None if exchange.cost_usd is None else 0.0
    remarks = {**exchange.remarks, "cached": True}
    return replace(answer, exchange=replace(exchange, cost_usd=cost, remarks=remarks))

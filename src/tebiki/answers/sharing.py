"""Identical questions of one client: answered once for a while, and once for those who wait.

Kept in the memory of this process. An answer that is partial, or was none, is not kept.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple
from tebiki.values.callers import Caller, calling, current_caller

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tebiki.answers.answer import Answer

MOST_KEPT = 200
"""Answers; what comes on top replaces the oldest."""


class KeptAnswer(NamedTuple):
    """An answer, and until when it may be given again."""

    answer: Answer
    until: float


class SharedAnswer:
    """An answer on its way, and those who wait for it; what becomes of it is for the last one."""

    def __init__(self, make: Callable[[], Awaitable[Answer]]) -> None:
        self._waiting: list[Caller] = []
        first = current_caller()
        joint = Caller(first.name, self._is_called_off, self._is_gone)
        with calling(joint):
            self.task = asyncio.ensure_future(make())

    async def wait(self) -> Answer:
        """Wait for the answer; it ends when the last one who waits leaves."""
        caller = current_caller()
        self._waiting.append(caller)
        try:
            answer = await asyncio.shield(self.task)
        except asyncio.CancelledError:
            if len(self._waiting) == 1:
                self.task.cancel()
                await asyncio.wait({self.task})
            self._waiting.remove(caller)
            raise
        return answer

    @property
    def is_left(self) -> bool:
        """Whether it was called off, and is nobody's to join."""
        return self.task.cancelling() > 0 or self.task.cancelled()

    def _is_called_off(self) -> bool:
        return bool(self._waiting) and self._waiting[-1].is_called_off()

    async def _is_gone(self) -> bool:
        return all([await one.is_gone() for one in self._waiting])


class SharedAnswers:
    """Answers by what was asked; only used in the loop's own thread."""

    def __init__(self, seconds: float, monotonic: Callable[[], float]) -> None:
        self._seconds = seconds
        self._monotonic = monotonic
        self._kept: dict[str, KeptAnswer] = {}
        self._running: dict[str, SharedAnswer] = {}

    async def answer(self, key: str, make: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer to what has this key: kept, on its way, or made now."""
        kept = self._kept.get(key)
        if kept is not None and self._monotonic() < kept.until:
            return _again(kept.answer)
        running = self._running.get(key)
        if running is not None and not running.is_left:
            return _again(await running.wait())
        begun = SharedAnswer(lambda: self._make(key, make))
        self._running[key] = begun
        begun.task.add_done_callback(lambda _task: self._end(key, begun))
        return await begun.wait()

    async def _make(self, key: str, make: Callable[[], Awaitable[Answer]]) -> Answer:
        answer = await make()
        if answer.exchange.reply.status == "completed":
            self._kept.pop(key, None)
            while len(self._kept) >= MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = KeptAnswer(answer, self._monotonic() + self._seconds)
        return answer

    def _end(self, key: str, ended: SharedAnswer) -> None:
        if self._running.get(key) is ended:
            del self._running[key]


def _again(answer: Answer) -> Answer:
    """An answer given once more, which costs nothing."""
    exchange = answer.exchange
    cost = None if exchange.cost_usd is None else 0.0
    remarks = {**exchange.remarks, "cached": True}
    return replace(answer, exchange=replace(exchange, cost_usd=cost, remarks=remarks))

"""Identical questions of one client: answered once for a while, and once for those who wait.

Kept in the memory of this process, or where all workers of a server find it (`workers`). An answer
that is partial, or was none, is not kept.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tebiki.answers.answer import give_again
from tebiki.named_tuples import NamedTuple
from tebiki.values.callers import Caller, calling, current_caller

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tebiki.answers.answer import Answer
    from tebiki.answers.workers import AnswersOfWorkers

MOST_KEPT = 200
"""Answers; what comes on top replaces the oldest."""


class WholeRequest(NamedTuple):
    """What was asked, by names that tell nothing of it: whose it is, and the whole request."""

    client: str
    key: str


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

    def __init__(
        self,
        seconds: float,
        monotonic: Callable[[], float],
        debug: Callable[[str], None],
        workers: AnswersOfWorkers | None = None,
    ) -> None:
        """`workers`: what keeps the answers of all workers of this server, instead of this one."""
        self._debug = debug
        self._seconds = seconds
        self._monotonic = monotonic
        self._workers = workers
        self._kept: dict[str, KeptAnswer] = {}
        self._running: dict[str, SharedAnswer] = {}

    async def answer(self, question: WholeRequest, make: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer to a question: kept, on its way, or made now."""
        key = question.key
        kept = self._kept.get(key)
        if kept is not None and self._monotonic() < kept.until:
            return give_again(kept.answer)
        running = self._running.get(key)
        if running is not None and not running.is_left:
            self._debug("an identical question is on its way: waiting for its answer")
            return give_again(await running.wait())
        begun = SharedAnswer(lambda: self._make(question, make))
        self._running[key] = begun
        begun.task.add_done_callback(lambda _task: self._end(key, begun))
        return await begun.wait()

    async def _make(self, question: WholeRequest, make: Callable[[], Awaitable[Answer]]) -> Answer:
        if self._workers is not None:
            return await self._workers.answer(question.client, question.key, make)
        answer = await make()
        if answer.is_whole:
            self._kept.pop(question.key, None)
            while len(self._kept) >= MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[question.key] = KeptAnswer(answer, self._monotonic() + self._seconds)
        return answer

    def _end(self, key: str, ended: SharedAnswer) -> None:
        if self._running.get(key) is ended:
            del self._running[key]

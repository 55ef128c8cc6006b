"""Threads in which file tools do their work: nobody who waits for the network waits for a disk.

Without asyncio, which takes longer to import than a first call may take. Started when needed and
kept; they end with the process, and so does what was called off and has not noticed yet.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections import deque
from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    Step = Callable[[], Callable[[], None] | None]

Done = TypeVar("Done")

MOST_THREADS = 32
"""Of one kind; a waiting writer costs one, and hosts do not have more calls running."""

MOST_QUICK = 1
"""Steps that may be at work at once while each of them is new: the more threads want the
interpreter, the more of it goes into taking turns. A cached find took 1.3 ms of CPU with 32, and
0.9 with one beside the loop."""

QUICK_SECONDS = 0.005
"""A step that has taken longer is waiting for something, and keeps nobody from beginning."""

SWITCH_INTERVAL_SECONDS = 0.0005
"""How long one thread may keep another waiting: halves the slowest pings, costs no throughput."""


def share_the_interpreter() -> None:
    """Let several threads want the interpreter: a ping must not wait the usual 5 ms for it."""
    sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)


class Threads:
    """Threads of one kind of work.

    Rules:
     1. A step does its work and may give back how to answer; the answer is made by the same thread.
     2. A thread is free once the work is done, before it answers: whoever has read an answer can
        ask again at once, and finds the thread that gave it instead of making another one.
     3. So a step may wait, for a disk or a lock, but an answer must not: the next step may be
        waiting behind it. Handing one to a channel or to an event loop never blocks.
     4. While steps wait to begin, a free thread watches for when the next one may.
    """

    def __init__(self, kind: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._kind = kind
        self._clock = clock
        self._changed = threading.Condition()
        self._waiting: deque[Step] = deque()  # `queue` takes a millisecond to import
        self._begun: dict[int, float] = {}
        """When each thread that is at work began, in that order."""
        self._threads = 0
        self._is_watched = False

    def start(self, step: Step) -> None:
        """Do a step, and then its answer, as soon as it may begin.

        Raises:
            RuntimeError: there is no thread, and none can be made; the step is not done then.
        """
        with self._changed:
            self._have_one_free()
            self._waiting.append(step)
            self._changed.notify()

    def _have_one_free(self) -> None:
        """Make a thread if all are at work, unless there are enough; only with the lock."""
        if len(self._begun) < self._threads or self._threads == MOST_THREADS:
            return
        name = f"{self._kind}-{self._threads + 1}"
        try:
            threading.Thread(target=self._work, name=name, daemon=True).start()
        except RuntimeError:  # the system has no more of them
            if not self._threads:
                raise
        else:
            self._threads += 1

    def _work(self) -> None:
        share_the_interpreter()
        try:
            while True:
                self._do(self._next())  # a call of its own: no result is kept while waiting
        finally:  # something raised, which none should: another thread takes this one's place
            with self._changed:
                self._threads -= 1
                if self._waiting:
                    self._have_one_free()
                    self._changed.notify()

    def _next(self) -> Step:
        """Wait for a step, and until it may begin; then it is this thread's."""
        with self._changed:
            while not self._waiting or (seconds := self._seconds_until_next()) > 0:
                if self._waiting and not self._is_watched:
                    self._is_watched = True
                    self._changed.wait(seconds)
                    self._is_watched = False
                else:
                    self._changed.wait()
            self._begun[threading.get_ident()] = self._clock()
            step = self._waiting.popleft()
            if self._waiting and not self._is_watched:
                self._have_one_free()
                self._changed.notify()
            return step

    def _seconds_until_next(self) -> float:
        """How long until one step more may begin; only with the lock."""
        if len(self._begun) < MOST_QUICK:
            return 0
        oldest_that_counts = list(self._begun.values())[-MOST_QUICK]
        return oldest_that_counts + QUICK_SECONDS - self._clock()

    def _do(self, step: Step) -> None:
        try:
            answer = step()
        finally:
            with self._changed:
                del self._begun[threading.get_ident()]
        if answer is not None:
            answer()


threads_of = cache(Threads)
"""The threads of a kind of work, the same ones for everybody who asks."""


class ThreadJob:
    """Work that was handed to a thread, and whether it is still wanted."""

    __slots__ = ("cancel", "is_called_off")

    def __init__(self) -> None:
        cancelled = threading.Event()
        self.cancel = cancelled.set
        """Ask it to end; the work looks now and then."""
        self.is_called_off = cancelled.is_set
        """Tell whether nobody waits for it any more."""


def begin_in_thread(
    threads: Threads, work: Callable[[ThreadJob], Done], finish: Callable[[Done], None]
) -> ThreadJob:
    """Do work that raises nothing in a thread, and have it finished there; it may be called off."""
    job = ThreadJob()
    threads.start(lambda: None if job.is_called_off() else partial(finish, work(job)))
    return job


async def run_in_thread(threads: Threads, work: Callable[[ThreadJob], Done]) -> Done:
    """Do the same for a coroutine; once that is cancelled it is called off, or not even begun."""
    import asyncio  # whoever awaits has it

    loop = asyncio.get_running_loop()
    done: asyncio.Future[Done] = loop.create_future()
    job = ThreadJob()

    def settle(result: Done) -> None:
        if not done.cancelled():
            done.set_result(result)

    def tell(result: Done) -> None:
        with contextlib.suppress(RuntimeError):  # a loop that was closed meanwhile
            loop.call_soon_threadsafe(settle, result)

    def step() -> Callable[[], None] | None:
        return None if done.cancelled() else partial(tell, work(job))

    threads.start(step)
    try:
        return await done
    finally:
        job.cancel()

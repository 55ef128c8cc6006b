"""Threads for file tools: as many as are needed, never more than allowed, whatever a step does."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest

from tebiki.server.threads import MOST_QUICK, MOST_THREADS, ThreadJob, Threads, run_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE_SECONDS = 30


def made_for(kind: str) -> int:
    """How many threads there are of a kind."""
    return sum(thread.name.startswith(f"{kind}-") for thread in threading.enumerate())


def test_steps_run_beside_each_other() -> None:
    """Each of them may wait for all the others, up to the bound."""
    threads = Threads("test")
    together = threading.Barrier(MOST_THREADS)
    done = [threading.Event() for _ in range(MOST_THREADS)]

    def step(number: int) -> None:
        together.wait(PATIENCE_SECONDS)
        done[number].set()

    for number in range(MOST_THREADS):
        threads.start(lambda number=number: step(number))  # type: ignore[misc]

    assert all(event.wait(PATIENCE_SECONDS) for event in done)


def test_more_steps_than_threads_are_all_done() -> None:
    """What finds no thread waits for one, and no further thread is made."""
    threads = Threads("crowd")
    go_on, begun, all_done = threading.Event(), threading.Semaphore(0), threading.Semaphore(0)

    def step() -> None:
        begun.release()
        go_on.wait(PATIENCE_SECONDS)
        all_done.release()

    for _ in range(3 * MOST_THREADS):
        threads.start(step)
    all_at_work = all(begun.acquire(timeout=PATIENCE_SECONDS) for _ in range(MOST_THREADS))
    made = made_for("crowd")
    go_on.set()

    assert all_at_work
    assert made == MOST_THREADS
    assert all(all_done.acquire(timeout=PATIENCE_SECONDS) for _ in range(3 * MOST_THREADS))


def test_quick_steps_share_few_threads() -> None:
    """While none has taken long, no more are at work than help; one more looks after the rest."""
    threads = Threads("quick", clock=lambda: 0.0)
    go_on, all_done = threading.Event(), threading.Semaphore(0)

    def step() -> None:
        go_on.wait(PATIENCE_SECONDS)
        all_done.release()

    for _ in range(MOST_THREADS):
        threads.start(step)
    go_on.set()

    assert all(all_done.acquire(timeout=PATIENCE_SECONDS) for _ in range(MOST_THREADS))
    assert made_for("quick") <= MOST_QUICK + 1


def test_steps_that_wait_hold_up_no_other() -> None:
    """However many have begun and wait, the next one begins by itself."""
    threads, go_on, done = Threads("held"), threading.Event(), threading.Event()

    def wait() -> None:
        go_on.wait(PATIENCE_SECONDS)

    for _ in range(MOST_THREADS - 1):
        threads.start(wait)
    threads.start(done.set)

    assert done.wait(PATIENCE_SECONDS)
    go_on.set()


def test_whoever_reads_an_answer_finds_the_thread_that_gave_it() -> None:
    """It is free before it answers: no second thread is made for calls one after the other."""
    threads, steps, last_answer = Threads("again"), [], threading.Event()

    def step() -> Callable[[], None]:
        steps.append("done")
        return ask_again if len(steps) < MOST_THREADS else last_answer.set

    def ask_again() -> None:
        threads.start(step)

    ask_again()

    assert last_answer.wait(PATIENCE_SECONDS)
    assert len(steps) == MOST_THREADS
    assert made_for("again") == 1


@pytest.mark.parametrize("in_answer", [False, True], ids=["step", "answer"])
def test_a_step_that_raises_costs_no_other_one(
    monkeypatch: pytest.MonkeyPatch, *, in_answer: bool
) -> None:
    """Its thread ends, and another one takes its place."""
    threads, told, done = Threads("broken"), threading.Semaphore(0), threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda _failure: told.release())

    def broken() -> None:
        raise ValueError("a step that raises")

    for _ in range(2 * MOST_THREADS):
        threads.start((lambda: broken) if in_answer else broken)
    threads.start(done.set)

    assert done.wait(PATIENCE_SECONDS)
    assert all(told.acquire(timeout=PATIENCE_SECONDS) for _ in range(2 * MOST_THREADS))


def test_a_crowd_and_then_broken_steps_leave_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many steps had to wait before."""
    threads, told, done = Threads("crowded"), threading.Semaphore(0), threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda _failure: told.release())

    def broken() -> None:
        raise ValueError("a step that raises")

    for _ in range(4 * MOST_THREADS):
        threads.start(lambda: None)
    for _ in range(MOST_THREADS):
        threads.start(broken)
        assert told.acquire(timeout=PATIENCE_SECONDS)
    threads.start(done.set)

    assert done.wait(PATIENCE_SECONDS)


def test_a_step_that_no_thread_can_do_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not done later either; the next one finds a thread again."""
    threads, done = Threads("none"), []
    with monkeypatch.context() as system:
        system.setattr(threading.Thread, "start", no_thread)
        with pytest.raises(RuntimeError):
            threads.start(lambda: done.append("refused"))
    ended = threading.Event()
    threads.start(ended.set)

    assert ended.wait(PATIENCE_SECONDS)
    assert not done


def no_thread(_thread: threading.Thread) -> None:
    """What a system does that has no more threads."""
    raise RuntimeError("can't start new thread")


def test_a_coroutine_awaits_work_in_a_thread() -> None:
    """And the loop goes on meanwhile."""

    async def run() -> tuple[str, str]:
        here = threading.current_thread().name
        return here, await run_in_thread(
            Threads("aside"), lambda _job: threading.current_thread().name
        )

    here, there = asyncio.run(run())

    assert there.startswith("aside-")
    assert here != there


def test_a_coroutine_that_asks_again_finds_the_same_thread() -> None:
    """The thread is free before the loop hears of its result."""
    threads = Threads("same")

    async def run() -> list[int]:
        return [await run_in_thread(threads, lambda _job: 1) for _ in range(10 * MOST_THREADS)]

    assert sum(asyncio.run(run())) == 10 * MOST_THREADS
    assert made_for("same") == 1


def test_a_cancelled_coroutine_begins_no_work() -> None:
    """What waited for a thread is not done any more, and what runs is not waited for."""
    threads = Threads("cancelled")
    go_on, begun, done = threading.Event(), threading.Semaphore(0), []

    def busy() -> None:
        begun.release()
        go_on.wait(PATIENCE_SECONDS)

    async def run() -> None:
        for _ in range(MOST_THREADS):
            threads.start(busy)
        waiting = asyncio.ensure_future(run_in_thread(threads, lambda _job: done.append("late")))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(run())
    go_on.set()
    last = threading.Event()
    threads.start(last.set)

    assert last.wait(PATIENCE_SECONDS)
    assert not done


def test_an_errand_is_called_off_for_good() -> None:
    """The work asks, whenever it likes."""
    job = ThreadJob()
    before = job.is_called_off()
    job.cancel()

    assert (before, job.is_called_off()) == (False, True)

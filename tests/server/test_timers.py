"""The timer thread: in the order of what is due, and nothing that was cancelled."""

from __future__ import annotations

import queue
import threading

import pytest

from tebiki.server.timers import TimerThread

PATIENCE_SECONDS = 30


def test_what_is_due_first_is_done_first() -> None:
    """Also when it was asked for last, while the thread waits for another one."""
    timers, heard = TimerThread(), queue.SimpleQueue[str]()
    timers.call_later(0.2, lambda: heard.put("later"))
    timers.call_later(0.0, lambda: heard.put("now"))

    assert [heard.get(timeout=PATIENCE_SECONDS) for _ in range(2)] == ["now", "later"]


def test_what_is_cancelled_is_not_done() -> None:
    """Those around it are."""
    timers, heard = TimerThread(), queue.SimpleQueue[str]()
    cancelled = timers.call_later(0.01, lambda: heard.put("cancelled"))
    cancelled.cancel()
    timers.call_later(0.02, lambda: heard.put("kept"))

    assert heard.get(timeout=PATIENCE_SECONDS) == "kept"
    assert heard.empty()


def test_an_action_may_ask_for_the_next_one() -> None:
    """As a heartbeat does."""
    timers, heard = TimerThread(), queue.SimpleQueue[int]()

    def beat(number: int) -> None:
        heard.put(number)
        if number < 3:
            timers.call_later(0.0, lambda: beat(number + 1))

    timers.call_later(0.0, lambda: beat(1))

    assert [heard.get(timeout=PATIENCE_SECONDS) for _ in range(3)] == [1, 2, 3]


def test_an_action_that_raises_costs_no_other_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that wait are done in time."""
    timers, heard = TimerThread(), queue.SimpleQueue[str]()
    monkeypatch.setattr(threading, "excepthook", lambda _failure: heard.put("raised"))

    def broken() -> None:
        raise ValueError("an action that raises")

    def add_both() -> None:
        timers.call_later(0.0, broken)
        timers.call_later(0.001, lambda: heard.put("kept"))

    # From the timers' own thread: neither is done before both wait, however busy the machine is.
    timers.call_later(0.0, add_both)

    assert [heard.get(timeout=PATIENCE_SECONDS) for _ in range(2)] == ["raised", "kept"]


def test_a_thread_that_could_not_start_is_started_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the next timer that is asked for."""
    timers, heard = TimerThread(), queue.SimpleQueue[str]()

    def no_thread(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as system:
        system.setattr(threading.Thread, "start", no_thread)
        with pytest.raises(RuntimeError):
            timers.call_later(0.0, lambda: heard.put("refused"))
    timers.call_later(0.0, lambda: heard.put("done"))

    assert heard.get(timeout=PATIENCE_SECONDS) == "done"
    assert heard.empty()

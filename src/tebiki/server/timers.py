"""Alarms for calls, wherever they run: one thread for all of them, started with the first.

An event loop has timers of its own, which only its own thread may set.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

NEVER = float("inf")


class Cancellable(Protocol):
    """What can be called off."""

    def cancel(self) -> None:
        """Call it off."""


class Timers(Protocol):
    """A clock and its alarms."""

    def time(self) -> float:
        """Seconds that only grow."""

    def call_later(self, delay: float, action: Callable[[], None]) -> Cancellable:
        """Do something after so many seconds; it is to be short, and to raise nothing."""


class Timer:
    """Something to do at a time, unless it is cancelled before."""

    __slots__ = ("_thread", "action", "due")

    def __init__(self, thread: TimerThread, due: float, action: Callable[[], None]) -> None:
        self._thread = thread
        self.due = due
        self.action = action

    def cancel(self) -> None:
        """Do not do it; if it is being done, that goes on."""
        self._thread.drop(self)


class TimerThread:
    """Timers for any thread, in one thread of their own."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: set[Timer] = set()
        self._wakes_at = NEVER
        self._is_running = False

    def time(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()

    def call_later(self, delay: float, action: Callable[[], None]) -> Timer:
        """Do something after so many seconds."""
        timer = Timer(self, self.time() + delay, action)
        with self._changed:
            self._see_to_the_thread()
            self._waiting.add(timer)
            if timer.due < self._wakes_at:
                self._changed.notify()
        return timer

    def _see_to_the_thread(self) -> None:
        """Start the thread, if it is not running; only while the lock is held."""
        if not self._is_running:
            threading.Thread(target=self._run, name="timers", daemon=True).start()
            self._is_running = True

    def drop(self, timer: Timer) -> None:
        """Forget a timer."""
        with self._changed:
            self._waiting.discard(timer)

    def _run(self) -> None:
        try:
            while True:
                self._next().action()
        finally:  # an action raised, which none should: the other timers are still to be done
            with self._changed:
                self._is_running = False
                if self._waiting:
                    self._see_to_the_thread()

    def _next(self) -> Timer:
        """Wait for the timer that is due first; there are as many as calls, which is few."""
        with self._changed:
            while True:
                first = min(self._waiting, key=lambda timer: timer.due, default=None)
                self._wakes_at = NEVER if first is None else first.due
                wait = self._wakes_at - self.time()
                if first is not None and wait <= 0:
                    self._waiting.remove(first)
                    return first
                self._changed.wait(None if first is None else wait)


TIMERS = TimerThread()
"""The timers of this process."""

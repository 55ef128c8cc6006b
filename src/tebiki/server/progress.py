"""Progress of one call: short messages, not too many, and never silence while a client waits.

Without a token from the client nothing is sent and nothing is measured.
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple
from tebiki.server.timers import TIMERS
from tebiki.values.phrases import phrase

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.server.timers import Cancellable, Timers

FEWEST_SECONDS_BETWEEN = 0.25
"""A person cannot read faster, and a host redraws for each."""

HEARTBEAT_SECONDS = 4.0
"""Silence is at most twice this: below the ten seconds after which a client may think us dead."""

NOTHING_SAID_YET = phrase("working")
"""Repeated by the heartbeat of a call that has reported nothing."""

LONGEST_MESSAGE = 120
"""Characters of one message: what a status line shows."""


class ProgressReport(NamedTuple):
    """What a call is doing; `done` of `total` where that can be counted."""

    message: str
    done: int | None = None
    total: int | None = None


class ProgressNotice(NamedTuple):
    """A report as the client hears it: the number rises each time, as the protocol asks."""

    progress: float
    total: int | None
    message: str


class Progress:
    """Reports what a call is doing, from any thread."""

    def __init__(
        self, emit: Callable[[ProgressNotice], None] | None, timers: Timers | None = None
    ) -> None:
        self._emit = emit
        self._timers = timers or TIMERS
        self._lock = threading.RLock()
        self._is_running = False
        self._sent: float | None = None
        self._pending: ProgressReport | None = None
        self._latest = ProgressReport("")
        self._last_sent = float("-inf")
        self._started = 0.0
        self._timer: Cancellable | None = None
        self._heartbeat: Cancellable | None = None
        self._say: Callable[[str], str] = str

    @property
    def wanted(self) -> bool:
        """Tell whether the client asked for progress."""
        return self._emit is not None

    def speak(self, say: Callable[[str], str]) -> None:
        """Let everything be said in another language from now on."""
        self._say = say

    def begin(self) -> None:
        """Start reporting; from now on the client hears something every few seconds."""
        if self.wanted:
            with self._lock:
                self._is_running = True
                self._started = self._timers.time()
                self._heartbeat = self._timers.call_later(HEARTBEAT_SECONDS, self._beat)

    def end(self) -> None:
        """Stop reporting for good."""
        with self._lock:
            self._is_running = False
            for timer in (self._timer, self._heartbeat):
                if timer is not None:
                    timer.cancel()

    def report(self, message: str, done: int | None = None, total: int | None = None) -> None:
        """Say what is happening now; a message overtaken within a moment is not sent."""
        if not self._is_running:
            return
        report = ProgressReport(_short(self._say(message)), done, total)
        with self._lock:
            if report == self._latest:
                # Said already; the heartbeat repeats it with the time it takes.
                return
            self._latest = self._pending = report
            wait = self._last_sent + FEWEST_SECONDS_BETWEEN - self._timers.time()
            if wait <= 0:
                self._send_pending()
            elif self._timer is None:
                self._timer = self._timers.call_later(wait, self._send_pending)

    def _beat(self) -> None:
        with self._lock:
            if not self._is_running:
                return
            if self._timers.time() - self._last_sent >= HEARTBEAT_SECONDS:
                elapsed = round(self._timers.time() - self._started)
                words = f"{self._latest.message or self._say(NOTHING_SAID_YET)} ({elapsed} s)"
                self._pending = self._latest._replace(message=words)
                self._send_pending()
            self._heartbeat = self._timers.call_later(HEARTBEAT_SECONDS, self._beat)

    def _send_pending(self) -> None:
        with self._lock:
            self._timer = None
            if self._pending is None or self._emit is None or not self._is_running:
                return
            report, self._pending = self._pending, None
            self._last_sent = self._timers.time()
            self._sent = _after(self._sent, report.done)
            # What comes after the last of all, such as the search itself, is not counted.
            is_within = report.total is not None and self._sent <= report.total
            self._emit(
                ProgressNotice(self._sent, report.total if is_within else None, report.message)
            )


def _after(sent: float | None, done: int | None) -> float:
    """The next number: what is done, or a little more than the last one where that is no more."""
    if sent is None:
        return 1 if done is None else done
    if done is None:
        return math.floor(sent) + 1
    return done if done > sent else (sent + math.floor(sent) + 1) / 2


def _short(message: str) -> str:
    """One line, fit for a status bar; what came from the web stays harmless."""
    line = " ".join("".join(c if c.isprintable() else " " for c in message).split())
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"

"""Progress by a clock that is wound by hand: not too often, and never silent for long."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.server.progress import FEWEST_SECONDS_BETWEEN, Progress, ProgressNotice

if TYPE_CHECKING:
    from collections.abc import Callable


class Timer:
    """Something to do at a time."""

    def __init__(self, due: float, action: Callable[[], None]) -> None:
        self.due = due
        self.action = action
        self.is_cancelled = False

    def cancel(self) -> None:
        """Do not do it."""
        self.is_cancelled = True


class Clockwork:
    """The clock and the timers of an event loop; time passes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0
        self._timers: list[Timer] = []

    def time(self) -> float:
        """Seconds since it was made."""
        return self.now

    def call_later(self, delay: float, action: Callable[[], None]) -> Timer:
        """Note something for later."""
        self._timers.append(Timer(self.now + delay, action))
        return self._timers[-1]

    def run_until(self, then: float) -> None:
        """Let time pass, and do what is due."""
        while due := [timer for timer in self._timers if timer.due <= then]:
            timer = min(due, key=lambda one: one.due)
            self._timers.remove(timer)
            self.now = max(self.now, timer.due)
            if not timer.is_cancelled:
                timer.action()
        self.now = then


def sent(moments: list[float], end: float) -> list[tuple[float, int, str]]:
    """When what is sent, if something new is reported at each of these moments."""
    clockwork: Any = Clockwork()
    heard: list[tuple[float, int, str]] = []
    progress = Progress(
        lambda told: heard.append((clockwork.now, int(told.progress), told.message)), clockwork
    )
    progress.begin()
    for number, moment in enumerate(moments):
        clockwork.run_until(moment)
        progress.report(f"step {number}")
    clockwork.run_until(end)
    progress.end()
    clockwork.run_until(end + 60)
    return heard


@pytest.mark.requirement("wire:progress:throttled")
def test_what_is_overtaken_within_a_moment_is_not_sent() -> None:
    """The first and the last of a burst are."""
    heard = sent([0.0, 0.05, 0.1], end=1.0)

    assert heard == [(0.0, 1, "step 0"), (FEWEST_SECONDS_BETWEEN, 2, "step 2")]


@pytest.mark.requirement("wire:progress:heartbeat")
@given(st.lists(st.floats(0.0, 40.0), min_size=1, max_size=30).map(sorted))
def test_silence_is_shorter_than_ten_seconds(moments: list[float]) -> None:
    """Whenever something is reported; numbers rise, messages keep their distance, and end."""
    heard = sent(moments, end=60.0)

    times = [moment for moment, _, _ in heard]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert times[0] <= 10
    assert max(gaps) <= 10
    assert 60 - times[-1] <= 10
    assert min(gaps) >= FEWEST_SECONDS_BETWEEN - 1e-9
    assert [count for _, count, _ in heard] == list(range(1, len(heard) + 1))


@pytest.mark.requirement("wire:progress:heartbeat")
def test_a_call_that_says_nothing_is_heard_to_work() -> None:
    """As most file tools are: they only take long when the disk does."""
    assert [words for _, _, words in sent([], end=9.0)] == ["working (4 s)", "working (8 s)"]


@pytest.mark.requirement("wire:progress:index")
@given(st.lists(st.tuples(st.floats(0.0, 40.0), st.integers(0, 20)), min_size=1, max_size=30))
def test_what_is_counted_is_told_as_done_of_all(reported: list[tuple[float, int]]) -> None:
    """Whatever is counted, the number rises, and is never above the total that stands beside it."""
    clockwork: Any = Clockwork()
    heard: list[ProgressNotice] = []
    progress = Progress(heard.append, clockwork)
    progress.begin()
    for moment, done in sorted(reported):
        clockwork.run_until(max(moment, clockwork.now))
        progress.report(f"step {done}", done, 20)
    clockwork.run_until(clockwork.now + 20)
    progress.end()

    numbers = [told.progress for told in heard]
    assert all(later > earlier for earlier, later in pairwise(numbers))
    assert all(told.total is None or told.progress <= told.total == 20 for told in heard)


@pytest.mark.requirement("wire:progress:index")
def test_each_file_that_is_done_counts() -> None:
    """While nothing more is done the number rises by less than one."""
    clockwork: Any = Clockwork()
    heard: list[ProgressNotice] = []
    progress = Progress(heard.append, clockwork)
    progress.begin()
    for done in (0, 7, 7, 20):
        progress.report(f"{done} of 20", done, 20)
        clockwork.run_until(clockwork.now + 5)
    progress.end()

    assert [(told.progress, told.total) for told in heard] == [
        (0, 20),
        (0.5, 20),
        (7, 20),
        (7.5, 20),
        (20, 20),
        (20.5, None),
    ]

"""A shared store that is away, from the point of view of one server."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.state.degrading import PAUSE_SECONDS, DegradingStore
from tebiki.state.memory import MemoryStateStore
from tebiki.state.store import Lease, Shelf, StateAway, StateStore
from tests.state.clocks import Clock

if TYPE_CHECKING:
    from collections.abc import Callable

SHELF: Shelf[Any] = Shelf("things", most=50, seconds=1000)


class Switched(MemoryStateStore):
    """A store on another machine: there or away as a test has it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.is_away = False
        self.is_full = False
        self.asked = 0

    def try_out(self) -> None:
        """Be there, or not."""
        self._answer()
        self._take()

    def _take(self) -> None:
        if self.is_full:
            raise StateAway("full")

    def _answer(self) -> None:
        self.asked += 1
        if self.is_away:
            raise StateAway("no route")

    def put(self, *given: Any) -> None:
        """As that of memory, unless it is away; so with the others."""
        self._answer()
        self._take()
        super().put(*given)

    def get(self, *given: Any) -> Any:
        """Look."""
        self._answer()
        return super().get(*given)

    def count(self, *given: Any) -> float:
        """Count."""
        self._answer()
        return super().count(*given)

    def lease(self, *given: Any) -> float | None:
        """Take."""
        self._answer()
        return super().lease(*given)

    def release(self, lease: Lease) -> None:
        """Give back."""
        self._answer()
        super().release(lease)


class Stage:
    """One server with its shared store."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.remote = Switched(self.clock)
        self.said: list[str] = []
        self.store = DegradingStore(self.remote, self.clock, self.clock, self.said.append)

    def wait(self) -> None:
        """Let the time go by for which a store that is away is left alone."""
        self.clock.now += PAUSE_SECONDS


@pytest.fixture(name="stage")
def _stage() -> Stage:
    return Stage()


def wait_for_threads() -> None:
    """Let what is handed over beside the calls arrive."""
    for thread in threading.enumerate():
        if thread.name == "state":
            thread.join()


def test_a_store_that_is_away_is_asked_once_a_second(stage: Stage) -> None:
    """Nobody waits for it again and again, and everybody is served meanwhile."""
    stage.remote.is_away = True

    counts = [stage.store.count("calls", "a", 10_000) for _ in range(5)]

    assert counts == [1, 2, 3, 4, 5]
    assert stage.remote.asked == 1
    stage.wait()
    stage.store.count("calls", "a", 10_000)
    assert stage.remote.asked == 2


def test_what_it_missed_is_handed_over(stage: Stage) -> None:
    """Others find it as soon as the store is back; meanwhile its own server does."""
    stage.store.put(SHELF, "a", "before", 1)
    stage.remote.is_away = True
    stage.store.put(SHELF, "a", "k", 2)
    stage.store.put(SHELF, "a", "before", 3)
    assert stage.store.get(SHELF, "a", "k") == 2
    stage.remote.is_away = False
    stage.wait()

    assert stage.store.get(SHELF, "a", "k") == 2
    wait_for_threads()

    assert MemoryStateStore.get(stage.remote, SHELF, "a", "k") == 2
    assert MemoryStateStore.get(stage.remote, SHELF, "a", "before") == 3
    assert stage.store.look() is None


def test_going_and_coming_back_are_said_once(stage: Stage) -> None:
    """However many calls there were."""
    stage.remote.is_away = True
    for _ in range(5):
        stage.store.put(SHELF, "a", "k", 1)
        stage.wait()
    assert stage.store.look() == "no route"
    stage.remote.is_away = False
    for _ in range(5):
        stage.wait()
        stage.store.get(SHELF, "a", "k")

    assert [line.split(" (")[0] for line in stage.said] == [
        "state: degraded",
        "state: shared again",
    ]


def test_what_must_not_be_guessed_is_told_that_nobody_knows(stage: Stage) -> None:
    """At once: a second one does not even ask."""
    stage.remote.is_away = True

    def ask(store: StateStore) -> float:
        return store.count("usd", "a", 10_000, 1)

    with pytest.raises(StateAway) as first:
        stage.store.strictly(ask)
    with pytest.raises(StateAway) as second:
        stage.store.strictly(ask)

    assert (first.value.never_sent, second.value.never_sent) == (False, True)
    stage.remote.is_away = False
    stage.wait()
    assert stage.store.strictly(ask) == 1


def test_a_lease_taken_while_it_was_away_is_given_back_after(stage: Stage) -> None:
    """And one taken before is free again there."""
    before, during = Lease("running", "a", "1"), Lease("running", "a", "2")
    stage.store.lease(before, 1, 1000)
    stage.remote.is_away = True
    assert stage.store.lease(during, 1, 1000) == 0
    assert stage.store.lease(Lease("running", "a", "3"), 1, 1000) is None
    stage.remote.is_away = False
    stage.wait()

    stage.store.release(before)
    stage.store.release(during)

    assert stage.store.lease(Lease("running", "a", "4"), 1, 1000) == 0


def test_a_store_that_can_only_be_read_is_away_until_it_can_be_written(stage: Stage) -> None:
    """It is said once, and not taken back by whoever reads."""
    stage.remote.is_full = True
    stage.store.put(SHELF, "a", "k", 1)
    for _ in range(3):
        stage.wait()
        assert stage.store.get(SHELF, "a", "k") == 1
        assert stage.store.look() == "full"
    stage.remote.is_full = False
    stage.wait()

    assert stage.store.look() is None
    assert [line.partition(" (")[0] for line in stage.said] == [
        "state: degraded",
        "state: shared again",
    ]

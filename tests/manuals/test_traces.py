"""Traces: the newest, for a while, by ids that nobody has twice."""

from __future__ import annotations

import itertools

import pytest

from tebiki.errors import NotFound
from tebiki.manuals.client_memory import ClientMemory, Trace
from tebiki.state.memory import MemoryStateStore
from tests.manuals import usual

TRACE = Trace("m", {})


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        """The time it was set to."""
        return self.now


def test_a_trace_is_found_until_its_time_is_up() -> None:
    """Asking does not make it last longer."""
    clock = Clock()
    traces = ClientMemory(
        usual.TRACES._replace(ttl_seconds=10), MemoryStateStore(clock), lambda: "id"
    )
    identifier = traces.keep(TRACE)
    clock.now = 9.9
    assert traces.find(identifier) is TRACE

    clock.now = 10

    with pytest.raises(NotFound) as refusal:
        traces.find(identifier)
    assert refusal.value.details == {"trace_id": "id"}


def test_only_the_newest_are_kept() -> None:
    """The oldest goes first."""
    numbers = itertools.count()
    traces = ClientMemory(
        usual.TRACES._replace(max_keep=2), MemoryStateStore(Clock()), lambda: str(next(numbers))
    )
    for _ in range(3):
        traces.keep(TRACE)

    assert traces.find("2") is traces.find("1")
    with pytest.raises(NotFound):
        traces.find("0")


def test_no_id_is_given_twice() -> None:
    """Whatever the source of ids says."""
    ids = iter(["a", "a", "a", "b"])
    traces = ClientMemory(usual.TRACES, MemoryStateStore(Clock()), lambda: next(ids))

    assert [traces.keep(TRACE), traces.keep(TRACE)] == ["a", "b"]


def test_an_unknown_trace_is_not_found() -> None:
    """As if it had expired."""
    with pytest.raises(NotFound):
        ClientMemory(usual.TRACES, MemoryStateStore(Clock()), lambda: "id").find("other")


def test_one_clients_traces_are_nobody_elses() -> None:
    """Not even with the right id; and ids are still given once."""
    ids = iter(["a", "a", "b"])
    traces = ClientMemory(
        usual.TRACES._replace(max_keep=1), MemoryStateStore(Clock()), lambda: next(ids)
    )
    mine, others = traces.of("alice"), traces.of("bob")

    assert [mine.keep(TRACE), others.keep(TRACE)] == ["a", "b"]

    assert mine.find("a") is TRACE
    for stranger in (others, traces):
        with pytest.raises(NotFound):
            stranger.find("a")

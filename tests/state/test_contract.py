"""Every store keeps the same promises; whatever happens, they give the same answers."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.state.memory import MemoryStateStore
from tebiki.state.shared import SharedStore
from tebiki.state.store import OWNERS_WORTH, Lease, Shelf
from tests.state.clocks import Clock
from tests.state.conftest import empty_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.state.store import StateStore
    from tests.cluster.engines import RedisServer

SHELF: Shelf[Any] = Shelf("things", most=2, seconds=10)
USED: Shelf[Any] = Shelf("used", most=2, seconds=10, by_use=True)


def test_a_thing_is_its_owners_alone(store: StateStore) -> None:
    """The right key is not enough."""
    store.put(SHELF, "alice", "k", {"a": [1]})

    assert store.get(SHELF, "alice", "k") == {"a": [1]}
    assert store.get(SHELF, "bob", "k") is None
    assert store.get(SHELF, "%", "k") is None
    assert store.get(USED, "alice", "k") is None


def test_a_thing_goes_when_its_time_is_up(store: StateStore, clock: Clock) -> None:
    """Reading it does not make it last longer."""
    store.put(USED, "alice", "k", 1)
    clock.now += 9.9
    assert store.get(USED, "alice", "k") == 1

    clock.now += 0.1

    assert store.get(USED, "alice", "k") is None


def test_a_thing_may_have_no_end(store: StateStore, clock: Clock) -> None:
    """Neither a hundred years nor another thing on its shelf takes it away."""
    shelf = SHELF._replace(seconds=math.inf)
    store.put(shelf, "alice", "k", 1)

    clock.now += 100 * 365 * 86_400
    store.put(shelf, "bob", "k", 2)

    assert store.get(shelf, "alice", "k") == 1


def test_an_owner_has_room_for_so_many(store: StateStore) -> None:
    """The oldest goes first, and nobody else's."""
    store.put(SHELF, "bob", "his", 0)
    for key in ("a", "b", "c"):
        store.put(SHELF, "alice", key, key)
        store.get(SHELF, "alice", "a")

    assert [store.get(SHELF, "alice", key) for key in "abc"] == [None, "b", "c"]
    assert store.get(SHELF, "bob", "his") == 0


def test_what_is_used_stays(store: StateStore) -> None:
    """Where the shelf says so."""
    store.put(USED, "", "a", 1)
    store.put(USED, "", "b", 2)
    store.get(USED, "", "a")
    store.put(USED, "", "c", 3)

    assert [store.get(USED, "", key) for key in "abc"] == [1, None, 3]


def test_many_owners_have_room_for_so_many_together(store: StateStore) -> None:
    """Nobody fills the memory by being many."""
    for number in range(2 * OWNERS_WORTH + 5):
        store.put(SHELF, f"owner {number}", "k", number)

    kept = [store.get(SHELF, f"owner {n}", "k") for n in range(2 * OWNERS_WORTH + 5)]
    assert kept[:5] == [None] * 5
    assert kept[5:] == list(range(5, 2 * OWNERS_WORTH + 5))


def test_a_key_is_given_once(store: StateStore) -> None:
    """Whoever has it."""
    assert store.add(SHELF, "alice", "k", 1)
    assert not store.add(SHELF, "bob", "k", 2)
    assert store.get(SHELF, "bob", "k") is None
    assert store.get(SHELF, "alice", "k") == 1


def test_events_are_counted_for_a_stretch_of_time(store: StateStore, clock: Clock) -> None:
    """Each owner's apart; then from one again."""
    assert [store.count("calls", "alice", 60) for _ in range(3)] == [1, 2, 3]
    assert store.count("calls", "bob", 60) == 1
    assert store.count("other", "alice", 60) == 1

    clock.now += 60

    assert store.count("calls", "alice", 60) == 1


def test_sums_of_any_size_and_stretches_of_any_length(store: StateStore, clock: Clock) -> None:
    """A minute that ends takes nothing from the day; asking adds nothing."""
    store.count("spent", "alice", 86_400, 0.25)
    store.count("calls", "alice", 60)
    clock.now += 60
    store.count("calls", "bob", 60)

    assert store.count("spent", "alice", 86_400, 0.5) == 0.75
    assert store.count("spent", "alice", 86_400, 0) == 0.75
    assert store.count("spent", "bob", 86_400, 0) == 0
    clock.now += 86_400
    assert store.count("spent", "alice", 86_400, 0) == 0


def test_a_lease_is_taken_while_there_is_room(store: StateStore) -> None:
    """Each owner's and each name's apart; what is given back is free again."""
    one, two, three = (Lease("running", "alice", key) for key in "abc")

    assert [store.lease(lease, 2, 10) for lease in (one, two, three)] == [0, 1, None]
    assert store.lease(Lease("running", "bob", "a"), 2, 10) == 0
    assert store.lease(Lease("held", "alice", "a", 0.5), 2, 10) == 0
    store.release(one)
    store.release(one)
    assert store.lease(three, 2, 10) == 1
    assert store.lease(one, 2, 10) is None


def test_leases_of_different_weight(store: StateStore) -> None:
    """There is room until the sum is reached; the last may go beyond it, and none grows later."""
    assert store.lease(Lease("held", "a", "1", 0.75), 1, 10) == 0
    store.renew([Lease("held", "a", "1", 5)], 10)
    assert store.lease(Lease("held", "a", "2", 0.75), 1, 10) == 0.75
    assert store.lease(Lease("held", "a", "3", 0.75), 1, 10) is None


def test_a_lease_that_is_not_renewed_ends(store: StateStore, clock: Clock) -> None:
    """Its taker has died; one that is over cannot be renewed."""
    kept, left = Lease("running", "a", "kept"), Lease("running", "a", "left")
    store.lease(kept, 2, 10)
    store.lease(left, 2, 10)
    clock.now += 9
    store.renew([kept], 10)
    clock.now += 1

    assert store.lease(Lease("running", "a", "new"), 2, 1) == 1
    store.renew([left], 10)
    clock.now += 1
    assert store.lease(Lease("running", "a", "newer"), 2, 1) == 1


def test_many_threads_lose_no_count(store: StateStore) -> None:
    """Each event is one more."""
    threads = [
        threading.Thread(target=lambda: [store.count("calls", "a", 60) for _ in range(20)])
        for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert store.count("calls", "a", 60) == 101


def test_a_clock_set_back_by_years_keeps_nothing_for_years(store: StateStore, clock: Clock) -> None:
    """A second back is nothing; what seems to come from far ahead is gone."""
    clock.now = 1e9
    store.put(SHELF, "alice", "k", 1)
    clock.now -= 1
    assert store.get(SHELF, "alice", "k") == 1

    clock.now = 100.0

    assert store.get(SHELF, "alice", "k") is None
    store.put(SHELF, "alice", "k", 2)
    assert store.get(SHELF, "alice", "k") == 2
    assert [store.count("calls", "alice", 60) for _ in range(2)] == [1, 2]
    clock.now = 1e9
    assert store.count("calls", "alice", 60) == 1
    assert store.get(SHELF, "alice", "k") is None


def test_a_shelf_is_cleared_for_every_owner_and_no_other_is(store: StateStore) -> None:
    """Whoever asks for a thing of it finds none."""
    for owner in ("a", "b"):
        store.put(SHELF, owner, "key", owner)
        store.put(USED, owner, "key", owner)

    store.clear(SHELF.name)

    assert [store.get(SHELF, owner, "key") for owner in ("a", "b")] == [None, None]
    assert [store.get(USED, owner, "key") for owner in ("a", "b")] == ["a", "b"]


NAMES = st.sampled_from(["a", "b", "c"])
SHELVES = st.sampled_from([SHELF, USED])
Step = tuple[str, Shelf[Any], str, str, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put", "add", "get", "count", "ask", "lease", "renew", "release", "wait"]),
        SHELVES,
        NAMES,
        NAMES,
        st.integers(0, 6),
    ),
    max_size=40,
)


@pytest.mark.requirement("http:state:one-interface")
@given(STEPS)
def test_both_stores_of_one_machine_answer_alike(steps: list[Step]) -> None:
    """Any order of anything."""
    clock = Clock()
    memory, shared = MemoryStateStore(clock), SharedStore(":memory:", clock)

    for step in steps:
        if step[0] == "wait":
            clock.now += step[4]
        assert _done(memory, step) == _done(shared, step)

    shared.close()


@given(STEPS)
def test_a_store_on_another_machine_answers_alike(
    redis_server: RedisServer, steps: list[Step]
) -> None:
    """Any order of anything, by what the server's own scripts do."""
    clock = Clock()
    # The server lives on from example to example: each begins by emptying it.
    memory, remote = MemoryStateStore(clock), empty_store(redis_server, clock)

    for step in steps:
        if step[0] == "wait":
            clock.now += step[4]
        assert _done(memory, step) == _done(remote, step)

    remote.close()


def test_a_key_is_free_again_when_its_thing_is_gone(store: StateStore, clock: Clock) -> None:
    """Whether or not anybody has looked since."""
    store.add(SHELF, "alice", "k", 1)
    clock.now += 10

    assert store.add(SHELF, "bob", "k", 2)
    assert not store.add(SHELF, "alice", "k", 3)


def _done(store: StateStore, step: Step) -> Any:
    kind, shelf, owner, key, number = step
    actions: dict[str, Callable[[], Any]] = {
        "put": lambda: store.put(shelf, owner, key, number),
        "add": lambda: store.add(shelf, owner, key, number),
        "get": lambda: store.get(shelf, owner, key),
        "count": lambda: store.count(key, owner, 5, number),
        "ask": lambda: store.count(key, owner, 5, 0),
        "lease": lambda: store.lease(Lease("l", owner, key, number), 5, 3),
        "renew": lambda: store.renew([Lease("l", owner, key, number)], 3),
        "release": lambda: store.release(Lease("l", owner, key)),
        "wait": lambda: None,
    }
    return actions[kind]()

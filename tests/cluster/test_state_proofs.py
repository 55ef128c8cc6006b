"""What one Redis promises to many processes: counts, leases and keys are exact."""

from __future__ import annotations

import multiprocessing
import os
import time
from typing import TYPE_CHECKING, Any

import pytest
from redis import Redis

from tebiki.state.redis_store import PREFIX, RedisAddress, RedisStore
from tebiki.state.store import Lease, Shelf, StateAway

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

from tests.cluster.engines import RedisServer

PROCESSES = 8
PATIENCE_SECONDS = 30.0
SHELF: Shelf[Any] = Shelf("proof", most=2000, seconds=600)


def store_at(port: int, **given: Any) -> RedisStore:
    """A store of one process."""
    return RedisStore(RedisAddress("127.0.0.1", port, **{"seconds": PATIENCE_SECONDS, **given}))


def in_processes(work: Callable[[int, int], Any], port: int) -> list[Any]:
    """What eight processes get that do the same at once."""
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        return pool.starmap(work, [(port, number) for number in range(PROCESSES)])


def take_leases(port: int, number: int) -> int:
    """Take ten leases of sixteen that there are, and keep them."""
    store = store_at(port)
    leases = [Lease("proof", "owner", f"{number}-{key}") for key in range(10)]
    return sum(store.lease(lease, 16, 600) is not None for lease in leases)


def cycle_leases(port: int, number: int) -> tuple[int, int]:
    """Take and give back; tell how often one was granted and how often more were out than may."""
    store = store_at(port)
    granted = violated = 0
    for turn in range(2000):
        lease = Lease("cycle", "owner", f"{number}-{turn}")
        taken = store.lease(lease, 4, 600)
        if taken is not None:
            granted += 1
            violated += taken >= 4
            store.release(lease)
    return granted, violated


def count_up(port: int, _number: int) -> list[float]:
    """Count a thousand times."""
    store = store_at(port)
    return [store.count("proof", "owner", 86_400 * 365) for _ in range(1000)]


def win_keys(port: int, number: int) -> list[int]:
    """Try to have a thousand keys; tell which."""
    store = store_at(port)
    return [key for key in range(1000) if store.add(SHELF, str(number), str(key), number)]


def test_of_eighty_leases_sixteen_are_granted(redis_server: RedisServer) -> None:
    """Whoever asks first."""
    assert sum(in_processes(take_leases, redis_server.port)) == 16


def test_sixteen_thousand_leases_come_and_go_without_one_too_many(
    redis_server: RedisServer,
) -> None:
    """Never more out than may be, and none is left."""
    outcomes = in_processes(cycle_leases, redis_server.port)

    assert sum(violated for _, violated in outcomes) == 0
    assert sum(granted for granted, _ in outcomes) > 4000
    assert store_at(redis_server.port).lease(Lease("cycle", "owner", "last"), 4, 1) == 0


def test_counts_are_exact(redis_server: RedisServer) -> None:
    """Every number is given once, and none is left out."""
    counts = [number for given in in_processes(count_up, redis_server.port) for number in given]

    assert sorted(counts) == list(range(1, 8001))


def test_a_thousand_contested_keys_have_a_thousand_winners(redis_server: RedisServer) -> None:
    """Each one process, which finds its own there."""
    won = in_processes(win_keys, redis_server.port)

    assert sorted(key for keys in won for key in keys) == list(range(1000))
    store = store_at(redis_server.port)
    assert all(
        store.get(SHELF, str(n), str(key)) == n for n, keys in enumerate(won) for key in keys
    )


def test_a_server_that_has_forgotten_the_scripts_is_taught_them_again(
    redis_server: RedisServer,
) -> None:
    """As after a restart; nothing is counted twice."""
    store = store_at(redis_server.port)
    store.count("c", "a", 86_400)
    with Redis(port=redis_server.port) as server:
        server.script_flush()

    assert store.count("c", "a", 86_400) == 2
    store.renew([Lease("l", "a", "1")], 10)


def test_a_hung_server_is_waited_for_once_and_not_for_long(redis_server: RedisServer) -> None:
    """A tenth of a second, not the seconds of the client's own retries; it counts once or never."""
    store = store_at(redis_server.port, seconds=0.1)
    assert store.count("c", "a", 86_400) == 1
    redis_server.pause()
    begun = time.monotonic()

    with pytest.raises(StateAway):
        store.count("c", "a", 86_400)

    # Far from the 3.8 s of retries, and room for a busy machine.
    assert time.monotonic() - begun < 2
    redis_server.resume()
    patient = store_at(redis_server.port)
    assert patient.count("c", "a", 86_400) in {2, 3}


def test_a_user_bound_to_our_prefix_is_enough(tmp_path: Path) -> None:
    """And one that may not write there is told so; the password comes by itself."""
    password = os.urandom(8).hex()
    commands = "+@read +@write +@scripting +@connection +time"
    users = tmp_path / "users.acl"
    users.write_text(
        f"user default off\nuser tebiki on >{password} ~{PREFIX}:* {commands}\n"
        f"user other on >{password} ~else:* {commands}\n"
    )
    with RedisServer(tmp_path, "--aclfile", str(users)) as server:
        store = store_at(server.port, user="tebiki", password=password)
        store.put(SHELF, "a", "k", 1)
        store.try_out()
        store.clear(SHELF.name)
        other = store_at(server.port, user="other", password=password)
        wrong = store_at(server.port, user="tebiki", password="not the password")

        for refused in (other, wrong):
            with pytest.raises(StateAway) as told:
                refused.put(SHELF, "a", "k", 1)
            assert password not in str(told.value)
        assert store.get(SHELF, "a", "k") is None


def test_what_is_kept_names_nobody_and_ends_by_itself(redis_server: RedisServer) -> None:
    """Owners and keys are hashes, and every key has a time to live."""
    store = store_at(redis_server.port)
    endless: Shelf[Any] = SHELF._replace(name="endless", seconds=float("inf"))
    for shelf in (SHELF, endless):
        store.put(shelf, "alice@example.com", "trace-of-hers", {"text": "kept"})
    store.count("calls", "alice@example.com", 60)
    store.lease(Lease("running", "alice@example.com", "call"), 2, 30)

    with Redis(port=redis_server.port, decode_responses=True) as server:
        keys = [str(key) for key in server.scan_iter("*")]
        lives = [server.pttl(key) for key in keys]

    assert keys
    assert all(key.startswith(f"{PREFIX}:") for key in keys)
    assert not any("alice" in key or "trace-of-hers" in key for key in keys)
    assert min(int(str(life)) for life in lives) > 0

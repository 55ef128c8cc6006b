"""The stores that keep one contract; that of several machines where there is a server for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tebiki.state.memory import MemoryStateStore
from tebiki.state.redis_store import RedisAddress, RedisStore
from tebiki.state.shared import SharedStore
from tests.cluster.engines import RedisServer
from tests.cluster.releases import program
from tests.state.clocks import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tebiki.state.store import StateStore

PATIENCE_SECONDS = 30.0
"""What is tested here is what the server answers, not how soon."""


@pytest.fixture(name="clock")
def _clock() -> Clock:
    return Clock()


@pytest.fixture(name="redis_server", scope="session")
def _redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One server for all tests of this folder; each empties it first."""
    if program("redis-server") is None:
        pytest.skip("neither redis-server nor valkey-server is installed")
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


def empty_store(server: RedisServer, clock: Clock) -> RedisStore:
    """An empty store on a server, by a clock of the test's own."""
    address = RedisAddress("127.0.0.1", server.port, seconds=PATIENCE_SECONDS)
    store = RedisStore(address, clock)
    store._redis.flushall()
    return store


@pytest.fixture(name="store", params=["memory", "shared", "redis"])
def _store(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[StateStore]:
    if request.param == "memory":
        yield MemoryStateStore(clock)
    elif request.param == "redis":
        remote = empty_store(request.getfixturevalue("redis_server"), clock)
        yield remote
        remote.close()
    else:
        store = SharedStore(str(tmp_path / "state.db"), clock)
        yield store
        store.close()

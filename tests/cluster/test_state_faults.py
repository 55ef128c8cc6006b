"""Redis killed, hung or cut off while two servers share it: clients are served all the same."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Any

from tests.cluster.proxies import Line
from tests.cluster.servers import FIND, PATIENT, Client, Servers, state_config
from tests.support.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from simulator import Simulator
    from tests.cluster.engines import RedisServer

SHARED = {"status": "ready", "state": "shared"}
DEGRADED = {"status": "ready", "state": "degraded"}
CUT_SECONDS = 30.0
BUSY = ", timeout_ms: 1000"
"""For one that is cut off: a busy machine is not taken for that, and no call waits for long."""

UNLIMITED = "http: {calls_per_minute: 0}\n"


def until(seen: Callable[[], Any], wanted: Any, patience: float = PATIENCE_SECONDS) -> Any:
    """Ask until something is so; gives what was seen last."""
    end = time.monotonic() + patience
    while (last := seen()) != wanted and time.monotonic() < end:
        pass
    return last


def found_again(client: Client) -> bool:
    """Whether a client that has listed gets a find, and the find's rows."""
    client.call("manual_ls", {})
    trace = client.call("manual_find", FIND).get("trace_id", "")
    return bool(client.call("manual_hits", {"trace_id": trace}).get("total") == 2)


def test_redis_is_killed_and_comes_back(redis_server: RedisServer, tmp_path: Path) -> None:
    """Each server goes on by itself and says so; what it kept meanwhile is everybody's after."""
    with Servers(tmp_path, state_config(redis_server.port, PATIENT) + UNLIMITED) as servers:
        one, other = (Client(port) for port in servers.ports)
        assert found_again(one)
        redis_server.kill()

        assert all(found_again(client) for client in (one, other) for _ in range(20))
        trace = one.call("manual_find", FIND)["trace_id"]
        degraded = [until(client.readiness, DEGRADED) for client in (one, other)]
        redis_server.start()
        shared = [until(client.readiness, SHARED) for client in (one, other)]

        def total() -> Any:
            return other.call("manual_hits", {"trace_id": trace}).get("total")

        assert degraded == [DEGRADED] * 2
        assert shared == [SHARED] * 2
        assert until(total, 2) == 2
        logs = [server.stderr for server in servers.each]

    assert [log.count("state: degraded (") for log in logs] == [1, 1]
    assert [log.count("state: shared again") for log in logs] == [1, 1]


def test_redis_hangs(redis_server: RedisServer, tmp_path: Path) -> None:
    """A call waits for it once, for a tenth of a second; the next do not."""
    with Servers(tmp_path, state_config(redis_server.port) + UNLIMITED) as servers:
        one, other = (Client(port) for port in servers.ports)
        assert found_again(one)
        assert found_again(other)
        redis_server.pause()
        begun = time.monotonic()

        served = [found_again(client) for client in (one, other) for _ in range(10)]
        took = time.monotonic() - begun
        redis_server.resume()

        assert all(served)
        # Sixty calls; with retries each would have waited for four seconds.
        assert took < 30
        assert [until(client.readiness, SHARED) for client in (one, other)] == [SHARED] * 2
        assert found_again(one)


def test_the_line_to_redis_is_cut_for_half_a_minute(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    """One of two servers is cut off: it serves by itself, the other as ever, and it recovers."""
    with (
        Line(redis_server.port) as line,
        Servers(tmp_path, state_config(line.port, BUSY) + UNLIMITED, count=1) as near,
        Servers(
            tmp_path / "far", state_config(redis_server.port, PATIENT) + UNLIMITED, count=1
        ) as far,
    ):
        cut_off, well = Client(near.ports[0]), Client(far.ports[0])
        assert found_again(cut_off)
        line.cut()
        end = time.monotonic() + CUT_SECONDS
        served = []
        while time.monotonic() < end:
            served += [found_again(cut_off), found_again(well)]
        states = [cut_off.readiness(), well.readiness()]
        line.mend()

        assert all(served)
        assert len(served) > 20
        assert states == [DEGRADED, SHARED]
        assert until(cut_off.readiness, SHARED) == SHARED
        trace = cut_off.call("manual_find", FIND)["trace_id"]
        assert well.call("manual_hits", {"trace_id": trace})["total"] == 2


def test_a_server_is_killed_during_calls(
    redis_server: RedisServer, simulator: Simulator, tmp_path: Path
) -> None:
    """Its client's places are free again after half a minute, at the other server too."""
    config = (
        state_config(redis_server.port, PATIENT)
        + "http: {concurrent_calls: 2, calls_per_minute: 0}\n"
    )
    env = {"OPENAI_BASE_URL": simulator.base_url}
    with Servers(tmp_path, config, clients=["a"], env=env) as servers:
        killed, living = servers.each
        talk = killed.talk(token="a", modern=True)
        for number in (1, 2):
            talk.begin_call(number, "answer_quick", {"query": "simulate: hang"})
        simulator.wait_for_requests(2, PATIENCE_SECONDS)
        client = Client(living.port, "a")
        refused = client.call("manual_ls", {})
        os.killpg(killed.process.pid, signal.SIGKILL)

        def is_served() -> bool:
            return "already running" not in str(client.call("manual_ls", {}))

        assert "already running" in str(refused)
        assert until(is_served, wanted=True, patience=60) is True

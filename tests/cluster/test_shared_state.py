"""Two servers that share their state: the same client meets either, and cannot tell."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from tests.cluster.proxies import Balancer
from tests.cluster.servers import FIND, PATIENT, Client, Servers, state_config
from tests.support.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator
    from tests.cluster.engines import RedisServer

CLIENTS = 200
FIND_REF = {"manual_id": "lamp", "path": "a.md", "start_line": 3}
READ = ("read", "scan_fallback")
"""Who asks for a section again reads on, whichever server was asked first."""


def test_two_hundred_clients_over_two_servers(redis_server: RedisServer, tmp_path: Path) -> None:
    """Eleven calls each: no error, and nobody's trace or place in a text is anybody else's."""
    names = [f"client-{number:03}" for number in range(CLIENTS)]
    config = state_config(redis_server.port, PATIENT)
    with (
        Servers(tmp_path, config, clients=names) as servers,
        Balancer(*servers.ports) as balancer,
        ThreadPoolExecutor(CLIENTS) as pool,
    ):
        begun = threading.Barrier(CLIENTS)
        traces: dict[str, str] = {}

        def work(number: int) -> list[str]:
            client = Client(balancer.port, names[number])
            begun.wait()
            wrong: list[str] = []
            client.call("manual_ls", {})
            for mode in READ:
                wrong += _faults(client, traces, names[number], names[number - 1])
                read = client.call("manual_read", {"ref": FIND_REF})
                if read.get("applied", {}).get("mode") != mode:
                    wrong.append(f"{names[number]} read: {read}")
            return wrong

        faults = [fault for wrong in pool.map(work, range(CLIENTS)) for fault in wrong]
        served = [server.stderr.count(" tool=") for server in servers.each]

    assert faults == []
    assert min(served) > CLIENTS * 10 // 3, served


def _faults(client: Client, traces: dict[str, str], name: str, neighbour: str) -> list[str]:
    """Four calls, and what was wrong about them."""
    found = client.call("manual_find", FIND)
    if "trace_id" not in found:
        return [f"{name}: {found}"]
    traces[name] = found["trace_id"]
    wrong = []
    for _ in range(2):
        hits = client.call("manual_hits", {"trace_id": found["trace_id"]})
        if hits.get("total") != 2:
            wrong.append(f"{name}: own trace: {hits}")
    foreign = client.call("manual_hits", {"trace_id": traces.get(neighbour, "unknown-trace")})
    if foreign.get("code") != "not_found":
        wrong.append(f"{name} sees a trace of {neighbour}: {foreign}")
    return wrong


def test_limits_are_exact_over_two_servers(
    redis_server: RedisServer, simulator: Simulator, tmp_path: Path
) -> None:
    """Of 60 calls at once 16 run; of 40 paid calls 15 are sent."""
    config = state_config(redis_server.port, PATIENT) + "http: {concurrent_calls: 16}\n"
    env = {"OPENAI_BASE_URL": simulator.base_url}
    with (
        Servers(tmp_path, config, clients=["a"], env=env) as servers,
        Balancer(*servers.ports) as balancer,
        ThreadPoolExecutor(60) as pool,
    ):
        client = Client(balancer.port, "a")
        asked = [
            pool.submit(client.call, "answer_quick", {"query": "simulate: slow ms=4000"})
            for _ in range(60)
        ]
        simulator.wait_for_requests(16, PATIENCE_SECONDS)
        told = [str(one.result()) for one in asked]

    assert sum("already running" in words for words in told) == 44
    assert len(simulator.requests) == 16


def test_paid_calls_are_counted_by_all_servers(
    redis_server: RedisServer, simulator: Simulator, tmp_path: Path
) -> None:
    """Exactly as many are sent as one client may make; while nobody can count, none is."""
    config = state_config(redis_server.port, PATIENT)
    config += "http: {daily_calls: 15, concurrent_calls: 100}\n"
    env = {"OPENAI_BASE_URL": simulator.base_url}
    with (
        Servers(tmp_path, config, clients=["a", "b"], env=env) as servers,
        Balancer(*servers.ports) as balancer,
        ThreadPoolExecutor(20) as pool,
    ):
        client = Client(balancer.port, "a")
        told = [str(one) for one in pool.map(lambda _: _paid(client), range(40))]
        sent = len(simulator.requests)
        redis_server.kill()
        refused = str(_paid(Client(balancer.port, "b")))
        free = Client(balancer.port, "b").call("manual_ls", {})
        redis_server.start()

    assert sent == 15
    assert sum("daily budget is reached" in words for words in told) == 25
    assert "cannot be reached" in refused
    assert len(simulator.requests) == 15
    assert "manuals" in str(free)


@pytest.mark.requirement("answers:cache:workers")
def test_an_identical_question_is_asked_by_one_server(
    redis_server: RedisServer, simulator: Simulator, tmp_path: Path
) -> None:
    """On its way and afterwards, for one client alone; while nothing is shared each asks."""
    config = state_config(redis_server.port, PATIENT) + "answers: {cache_seconds: 600}\n"
    env = {"OPENAI_BASE_URL": simulator.base_url}
    question = {"query": "simulate: slow ms=700"}
    with (
        Servers(tmp_path, config, clients=["a", "b"], env=env) as servers,
        ThreadPoolExecutor(8) as pool,
    ):
        clients = [Client(port, "a") for port in servers.ports]
        begun = [pool.submit(each.call, "answer", question) for each in clients * 4]
        answers = [one.result()["answer"] for one in begun]
        answers += [each.call("answer", question)["answer"] for each in clients]
        asked = [len(simulator.requests)]
        Client(servers.ports[1], "b").call("answer", question)
        asked.append(len(simulator.requests))
        redis_server.kill()
        alone = [each.call("answer", {"query": "weather"})["answer"] for each in clients]
        redis_server.start()

    assert asked == [1, 2]
    assert len(set(answers)) == 1
    assert all(alone)


def _paid(client: Client) -> Any:
    return client.call("answer_quick", {"query": "What is it?"})


@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "modern"])
def test_a_client_of_either_era_may_meet_any_server(
    redis_server: RedisServer, tmp_path: Path, modern: bool
) -> None:
    """There are no sessions that one server has and the other has not."""
    with Servers(tmp_path, state_config(redis_server.port)) as servers:
        one, other = (server.talk(modern=modern) for server in servers.each)

        one.call(1, "manual_ls", {})
        trace = other.call(2, "manual_find", FIND)["result"]["structuredContent"]["trace_id"]
        hits = one.call(3, "manual_hits", {"trace_id": trace})["result"]["structuredContent"]

    assert one.session is None
    assert hits["total"] == 2

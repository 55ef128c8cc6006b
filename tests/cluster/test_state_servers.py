"""Redis as it is met in the field: by password and TLS, full, a copy, a cluster, tampered with."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from redis import Redis

from tebiki.state.redis_store import PREFIX, RedisAddress, RedisStore
from tebiki.state.store import Lease, Shelf, StateAway
from tests.cluster.certificates import make_certificates
from tests.cluster.engines import RedisServer, free_port
from tests.cluster.servers import FIND, PATIENT, Client, Servers, state_config
from tests.cluster.teams import until
from tests.support.command import run_command

if TYPE_CHECKING:
    from collections.abc import Iterator

SHELF: Shelf[Any] = Shelf("field", most=20, seconds=600)
PASSWORD_VARIABLE = "TEBIKI_STATE_PASSWORD"
DEGRADED = {"status": "ready", "state": "degraded"}
SHARED = {"status": "ready", "state": "shared"}
SLOTS = 16_384
USER = f"~{PREFIX}:* +@read +@write +@scripting +@connection +time +cluster|slots +command".split()
"""What docs/cluster.md gives a user of a cluster."""


def trace_of(client: Client) -> str:
    """The trace of a find."""
    client.call("manual_ls", {})
    return str(client.call("manual_find", FIND)["trace_id"])


def is_shared(one: Client, other: Client) -> bool:
    """Whether what one server found can be read at another."""
    trace = trace_of(one)
    return bool(other.call("manual_hits", {"trace_id": trace}).get("total") == 2)


def test_a_password_and_tls_are_all_that_it_takes(tmp_path: Path) -> None:
    """By the variable and the file that the settings name; the password is nowhere else."""
    password = os.urandom(12).hex()
    certificates = make_certificates(tmp_path)
    with RedisServer(tmp_path, "--requirepass", password, certificates=certificates) as server:
        ca = certificates / "ca.pem"
        config = (
            f"state: {{url: '{server.url}', password_env: {PASSWORD_VARIABLE}, "
            f"tls_ca: '{ca}'{PATIENT}}}\n"
        )
        env = {PASSWORD_VARIABLE: password}
        with Servers(tmp_path, config, env=env) as servers:
            one, other = (Client(port) for port in servers.ports)
            assert is_shared(one, other)
            assert one.readiness() == SHARED
            server.kill()
            until(lambda: one.readiness() == DEGRADED)
            server.start()
            until(lambda: one.readiness() == SHARED)
            shown = run_command(
                tmp_path, "config", "show", "--config", str(tmp_path / "server-0" / "config.yaml"),
                env=env, face="tebiki",
            )  # fmt: skip
            told = [one.stderr for one in servers.each] + [shown.stdout, shown.stderr]

        assert not any(password in text for text in told)


def test_a_certificate_of_somebody_else_is_not_believed(tmp_path: Path) -> None:
    """Neither one that nobody we trust has signed, nor one of another name."""
    (tmp_path / "theirs").mkdir()
    (tmp_path / "ours").mkdir()
    (tmp_path / "named").mkdir()
    theirs, ours = make_certificates(tmp_path / "theirs"), make_certificates(tmp_path / "ours")
    named = make_certificates(tmp_path / "named", "other.example")
    for server_has, trusted in ((theirs, ours), (named, named)):
        with RedisServer(tmp_path, certificates=server_has) as server:
            address = RedisAddress(
                "localhost", server.port, tls=True, certificates=str(trusted / "ca.pem"), seconds=5
            )
            with pytest.raises(StateAway, match=r"(?i)certificate"):
                RedisStore(address).try_out()


def test_a_full_redis_is_one_that_is_away(redis_server: RedisServer, tmp_path: Path) -> None:
    """Clients are served, it is said once, and what they got is shared once there is room."""
    with (
        Servers(tmp_path, state_config(redis_server.port, PATIENT)) as servers,
        Redis(port=redis_server.port) as direct,
    ):
        one, other = (Client(port) for port in servers.ports)
        assert is_shared(one, other)
        direct.config_set("maxmemory-policy", "noeviction")
        direct.config_set("maxmemory", 1)

        traces = [trace_of(one) for _ in range(3)]
        own = [one.call("manual_hits", {"trace_id": trace})["total"] for trace in traces]
        states = [one.readiness() for _ in range(3)]
        direct.config_set("maxmemory", 0)
        until(lambda: one.readiness() == SHARED)
        until(lambda: other.call("manual_hits", {"trace_id": traces[0]}).get("total") == 2)
        said = servers.each[0].stderr

    assert own == [2] * 3
    assert states == [DEGRADED] * 3
    assert said.count("state: degraded (") == said.count("state: shared again") == 1


def test_a_copy_that_takes_no_writes_is_one_that_is_away(tmp_path: Path) -> None:
    """Until it becomes the one that does."""
    with (
        RedisServer(tmp_path) as source,
        RedisServer(tmp_path, "--replicaof", f"127.0.0.1 {source.port}") as copy,
        Servers(tmp_path, state_config(copy.port, PATIENT)) as servers,
        Redis(port=copy.port) as direct,
    ):
        one, other = (Client(port) for port in servers.ports)
        until(lambda: one.readiness() == DEGRADED)
        assert trace_of(one)
        assert [one.readiness() for _ in range(3)] == [DEGRADED] * 3

        direct.replicaof("NO", "ONE")
        until(lambda: one.readiness() == SHARED and other.readiness() == SHARED)

        assert is_shared(one, other)
        assert servers.each[0].stderr.count("state: shared again") <= 1


@pytest.fixture(name="redis_cluster")
def _redis_cluster(tmp_path: Path) -> Iterator[list[RedisServer]]:
    """Three nodes that have a third of the slots each."""
    with ExitStack() as stack:
        servers = []
        for number in range(3):
            folder = tmp_path / f"node-{number}"
            folder.mkdir()
            settings = ("--cluster-enabled", "yes", "--cluster-port", str(free_port()))
            servers.append(stack.enter_context(RedisServer(folder, *settings)))
        nodes = [stack.enter_context(Redis(port=server.port)) for server in servers]
        for number, node in enumerate(nodes):
            first, end = SLOTS * number // 3, SLOTS * (number + 1) // 3
            node.execute_command("CLUSTER", "ADDSLOTSRANGE", first, end - 1)
            bus = node.config_get("cluster-port")["cluster-port"]
            nodes[0].execute_command("CLUSTER", "MEET", "127.0.0.1", servers[number].port, bus)
        for node in nodes:
            until(lambda node=node: node.cluster("info")["cluster_state"] == "ok")  # type: ignore[misc]
        yield servers


def test_a_cluster_is_asked_wherever_its_keys_are(
    redis_cluster: list[RedisServer], tmp_path: Path
) -> None:
    """Whichever node the settings name: counts are exact, leases end, and what is kept is found."""
    password = os.urandom(12).hex()
    for server in redis_cluster:
        with Redis(port=server.port) as direct:
            direct.execute_command("ACL", "SETUSER", "tebiki", "on", f">{password}", *USER)
    stores = [
        RedisStore(
            RedisAddress("127.0.0.1", server.port, user="tebiki", password=password, seconds=10)
        )
        for server in redis_cluster
    ]
    for number in range(12):
        owner = f"client-{number}"
        counted = [store.count("calls", owner, 86_400 * 365) for store in stores]
        leases = [
            store.lease(Lease("run", owner, str(at)), 2, 60) for at, store in enumerate(stores)
        ]
        assert counted == [1, 2, 3]
        assert leases == [0, 1, None]
        stores[1].renew([Lease("run", owner, str(at)) for at in range(2)], 60)
        stores[2].release(Lease("run", owner, "0"))
        assert stores[0].lease(Lease("run", owner, "new"), 2, 60) == 1
        stores[0].put(SHELF, owner, "k", number)
        assert stores[2].get(SHELF, owner, "k") == number
    for store in stores:
        store.close()

    with Servers(tmp_path, state_config(redis_cluster[0].port, PATIENT)) as servers:
        one, other = (Client(port) for port in servers.ports)
        assert is_shared(one, other)
        assert one.readiness() == SHARED


@pytest.mark.parametrize(
    "planted",
    [b"", b"\xff\xfe", b"{", b"[" * 100_000, b"null", b"[]", b"17", b'"x"', b'{"hits": 5}', b"{}"],
)
def test_what_others_have_planted_harms_nobody(
    redis_server: RedisServer, tmp_path: Path, planted: bytes
) -> None:
    """Whoever can write to our keys can lose what clients have found, and break nothing else."""
    with (
        Servers(tmp_path, state_config(redis_server.port, PATIENT), count=1) as servers,
        Redis(port=redis_server.port) as direct,
    ):
        client = Client(servers.ports[0])
        trace = trace_of(client)
        for key in direct.scan_iter(f"{PREFIX}:t:*"):
            for place in direct.hkeys(key):
                direct.hset(key, place, planted)

        told = client.call("manual_hits", {"trace_id": trace})
        again = trace_of(client)
        hits = client.call("manual_hits", {"trace_id": again})
        said = servers.each[0].stderr

    assert told.get("code") in {"invalid_arguments", "not_found", "conflict"}, told
    assert hits["total"] == 2
    assert "Traceback" not in said


def test_keys_of_other_kinds_than_ours_degrade_and_no_more(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    """A server with its keys overwritten goes on by itself."""
    with (
        Servers(tmp_path, state_config(redis_server.port, PATIENT), count=1) as servers,
        Redis(port=redis_server.port) as direct,
    ):
        client = Client(servers.ports[0])
        assert trace_of(client)
        for key in list(direct.scan_iter(f"{PREFIX}:*")):
            direct.set(key, "overwritten")

        trace = trace_of(client)
        assert client.call("manual_hits", {"trace_id": trace})["total"] == 2
        direct.flushall()
        until(lambda: client.readiness() == SHARED)

    assert "Traceback" not in servers.each[0].stderr


def test_the_example_of_a_store_is_one(tmp_path: Path) -> None:
    """With the flags of its unit, and the user that is written there."""
    folder = Path(__file__).parents[2] / "examples" / "cluster"
    password = os.urandom(12).hex()
    users = tmp_path / "users.acl"
    users.write_text((folder / "users.acl.example").read_text().replace("PASSWORD", password))
    unit = (folder / "valkey.service").read_text()
    (line,) = [line for line in unit.splitlines() if line.startswith("ExecStart=")]
    flags = line.partition(" --port 6379 ")[2]
    flags = flags.replace("/var/lib/tebiki-state", str(tmp_path))
    flags = flags.replace("/etc/tebiki-state/users.acl", str(users))

    with RedisServer(tmp_path, *flags.split()) as server:
        address = RedisAddress(
            "127.0.0.1", server.port, user="tebiki", password=password, seconds=5
        )
        store = RedisStore(address)
        store.try_out()
        store.put(SHELF, "a", "k", 1)
        store.renew([Lease("run", "a", "k")], 5)
        store.clear(SHELF.name)
        store.close()

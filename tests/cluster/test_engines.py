"""The engines come up, fail as they are told to, and come back."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cluster.engines import RedisServer, SearchNodes

SHARED = {"settings": {"number_of_shards": 1, "number_of_replicas": 2}}


def test_three_nodes_are_one_cluster_and_survive_a_kill(nodes: SearchNodes) -> None:
    """A killed node is missed, and what it held is there again once it is back."""
    nodes[0].ask("/kept", SHARED, "PUT")
    nodes[0].ask("/kept/_doc/1?refresh=true", {"word": "手引き"}, "PUT")
    nodes.wait_until_green()
    killed = nodes.manager

    killed.kill()
    found = nodes.manager.ask("/kept/_search")
    killed.start()
    nodes.wait_until_green()

    assert nodes.manager is not killed
    assert found["hits"]["hits"][0]["_source"] == {"word": "手引き"}
    assert killed.ask("/kept/_count")["count"] == 1
    nodes[0].ask("/kept", method="DELETE")


def test_a_paused_redis_holds_its_connections_and_answers_nothing(
    redis_server: RedisServer,
) -> None:
    """As one that hangs; resumed, it answers what was asked."""
    with socket.create_connection(("127.0.0.1", redis_server.port), timeout=0.2) as connection:
        redis_server.pause()
        connection.sendall(b"PING\r\n")
        with pytest.raises(TimeoutError):
            connection.recv(64)
        redis_server.resume()
        connection.settimeout(30)

        assert connection.recv(64) == b"+PONG\r\n"

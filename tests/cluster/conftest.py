"""The engines that the tests of this folder share; without `make cluster` none of them is run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.cluster.engines import RedisServer, SearchNodes

if TYPE_CHECKING:
    from collections.abc import Iterator

# They take minutes, Java and Maven: `make test` does without.
collect_ignore_glob = [] if os.environ.get("TEBIKI_CLUSTER") else ["test_*.py"]


@pytest.fixture(name="nodes", scope="session")
def _nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchNodes]:
    """Three OpenSearch nodes for the whole run; a test that breaks one puts it right again."""
    with SearchNodes(tmp_path_factory.mktemp("search")) as nodes:
        yield nodes


@pytest.fixture(name="redis_server")
def _redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A Redis for one test: it is up in no time, and empty."""
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server

"""The promises of an index store, kept by the one on OpenSearch, in one shard and in three."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.index.opensearch.client import Cluster
from tebiki.manuals.index.opensearch.leading import Lead
from tebiki.manuals.index.opensearch.state_document import StateDocuments
from tebiki.manuals.index.opensearch.store import PublishedStore
from tests.cluster.teams import remote_settings
from tests.manuals.index_contract import IndexContract, begun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.manuals.index.protocols import Store
    from tests.cluster.engines import SearchNodes


class TestSharedStore(IndexContract):
    """An index on three real nodes."""

    @pytest.fixture(name="store", params=[1, 3])
    def _store(self, request: pytest.FixtureRequest, nodes: SearchNodes) -> Iterator[Store]:
        prefix = f"contract-{secrets.token_hex(4)}"
        settings = remote_settings(nodes.urls, prefix, shards=request.param, timeout_seconds=30.0)
        cluster = Cluster(settings)
        documents = StateDocuments(cluster)
        with Lead(documents, "m") as lead:
            yield begun(PublishedStore(cluster, documents, "m", lead))
        for name in cluster.ask("GET", f"/{prefix}-*"):
            cluster.ask("DELETE", f"/{name}", seconds=30)

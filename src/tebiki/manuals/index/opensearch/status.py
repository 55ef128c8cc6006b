"""How a cluster and the manuals published there are, for people; nothing is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.manuals.index.opensearch.client import Incomplete, NotThere
from tebiki.manuals.index.opensearch.state_document import StateDocuments
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tebiki.manuals.index.opensearch.client import Cluster
    from tebiki.manuals.index.opensearch.state_document import ManualState


class ClusterHealth(NamedTuple):
    """What OpenSearch says of itself."""

    status: str
    nodes: int
    version: str


class PublishedManual(NamedTuple):
    """A manual as it is published; `state` is None where it never was."""

    manual_id: str
    state: ManualState | None
    shards: tuple[int, int] = (0, 0)

    @property
    def is_behind(self) -> bool:
        """Tell whether the index does not have what was published last."""
        return self.state is not None and not self.state.is_at_head

    @property
    def is_whole(self) -> bool:
        """Tell whether every copy of every shard is there."""
        active, every = self.shards
        return bool(every) and active == every

    def row(self) -> dict[str, Any]:
        """What is told of it."""
        state = self.state
        if state is None:
            return {"manual_id": self.manual_id, "published": False}
        return {
            "manual_id": self.manual_id,
            "published": True,
            "revision": state.revision.label if state.revision else None,
            "head": state.head.label if state.head else None,
            "behind": self.is_behind,
            "generation": state.gen,
            "leader": state.writing,
            "files": state.files,
            "sections": state.sections,
            "index": state.index_name,
            "shards": {"active": self.shards[0], "of": self.shards[1]},
        }


def health_of(cluster: Cluster) -> ClusterHealth:
    """Ask how the cluster is.

    Raises:
        Damaged: nobody answers, or questions may not be as long as they get.
    """
    cluster.check()
    told = cluster.ask("GET", "/")
    health = cluster.ask("GET", "/_cluster/health")
    return ClusterHealth(
        str(health["status"]), int(health["number_of_nodes"]), str(told["version"]["number"])
    )


def look_at(cluster: Cluster, manual_ids: Iterable[str]) -> list[PublishedManual]:
    """Ask how some manuals are.

    Raises:
        Damaged: nobody answers.
    """
    documents = StateDocuments(cluster)
    return [_manual(cluster, one, documents.read(one)) for one in manual_ids]


def _manual(cluster: Cluster, manual_id: str, state: ManualState | None) -> PublishedManual:
    if state is None or not state.index_name:
        return PublishedManual(manual_id, state)
    try:
        # First: of an index that is not there the cluster's health waits for half a minute.
        cluster.ask("GET", f"/{state.index_name}/_settings")
        health = cluster.ask("GET", f"/_cluster/health/{state.index_name}")
    except (NotThere, Incomplete):
        return PublishedManual(manual_id, state)
    active = int(health["active_shards"])
    missing = int(health["unassigned_shards"]) + int(health["initializing_shards"])
    return PublishedManual(manual_id, state, (active, active + missing))

"""The index that a team's servers share: whether it answers, and has what was published last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.doctor.findings import doubtful, good, wrong
from tebiki.manuals.index.failures import Damaged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.doctor.findings import Finding
    from tebiki.manuals.index.opensearch.client import OpenSearchSettings
    from tebiki.manuals.index.opensearch.status import PublishedManual

AREA = "cluster"
STATUS = "tebiki cluster status"


def shared_index(settings: OpenSearchSettings, manual_ids: list[str]) -> Iterator[Finding]:
    """Tell how the cluster is, and each manual that is published there."""
    from tebiki.manuals.index.opensearch.client import Cluster
    from tebiki.manuals.index.opensearch.status import health_of, look_at

    cluster = Cluster(settings)
    try:
        health = health_of(cluster)
        manuals = look_at(cluster, manual_ids)
    except Damaged as error:
        advice = "servers answer from their own copies, and not completely; check its nodes"
        yield wrong(AREA, str(error), advice)
        return
    words = f"OpenSearch {health.version} is {health.status}, with {health.nodes} nodes"
    if health.status == "green":
        yield good(AREA, words, **health._asdict())
    else:
        advice = f"a copy of some shard is missing; {STATUS} tells of which"
        yield doubtful(AREA, words, advice, **health._asdict())
    yield from map(_finding, manuals)


def _finding(one: PublishedManual) -> Finding:
    facts = one.row()
    if one.state is None or one.state.revision is None:
        advice = f"tebiki manuals publish {one.manual_id}"
        return doubtful(AREA, f"{one.manual_id} was never published", advice, **facts)
    if not one.shards[1]:
        advice = f"tebiki manuals publish {one.manual_id}"
        return wrong(AREA, f"the index of {one.manual_id} is missing", advice, **facts)
    if one.is_behind:
        words = f"the index of {one.manual_id} does not have what was published last"
        return doubtful(AREA, words, f"tebiki manuals publish {one.manual_id}", **facts)
    return good(AREA, f"{one.manual_id} is published at {one.state.revision.label}", **facts)

"""What several servers share: whether their state and their index answer, and are whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.doctor.findings import doubtful, good, wrong
from tebiki.errors import TebikiError
from tebiki.manuals.index.failures import Damaged
from tebiki.state.store import StateAway

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.config.sources import Loaded
    from tebiki.doctor.findings import Finding
    from tebiki.manuals.index.opensearch.client import OpenSearchSettings
    from tebiki.manuals.index.opensearch.status import PublishedManual

STATE = "state"
INDEX = "cluster"
STATUS = "tebiki cluster status"


def state(loaded: Loaded) -> Finding:
    """Whether the server that `state.url` names answers this user."""
    from tebiki.app.shared_state import remote_store, start_warning  # the client of Redis

    url = loaded.settings.text("state.url")
    try:
        store = remote_store(loaded)
    except TebikiError as refused:
        return wrong(STATE, str(refused), "correct it: no HTTP server starts with it")
    try:
        store.try_out()
    except StateAway as away:
        return wrong(
            STATE,
            f"{url} does not answer: {away}",
            "servers go on by themselves and refuse paid calls that have a limit",
        )
    finally:
        store.close()
    warning = start_warning(loaded)
    if warning is not None:
        return doubtful(STATE, f"{url} answers", warning)
    return good(STATE, f"{url} answers")


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
        yield wrong(INDEX, str(error), advice)
        return
    words = f"OpenSearch {health.version} is {health.status}, with {health.nodes} nodes"
    if health.status == "green":
        yield good(INDEX, words, **health._asdict())
    else:
        advice = f"a copy of some shard is missing; {STATUS} tells of which"
        yield doubtful(INDEX, words, advice, **health._asdict())
    yield from map(_finding, manuals)


def _finding(one: PublishedManual) -> Finding:
    facts = one.row()
    if one.state is None or one.state.revision is None:
        advice = f"tebiki manuals publish {one.manual_id}"
        return doubtful(INDEX, f"{one.manual_id} was never published", advice, **facts)
    if not one.shards[1]:
        advice = f"tebiki manuals publish {one.manual_id}"
        return wrong(INDEX, f"the index of {one.manual_id} is missing", advice, **facts)
    if one.is_behind:
        words = f"the index of {one.manual_id} does not have what was published last"
        return doubtful(INDEX, words, f"tebiki manuals publish {one.manual_id}", **facts)
    return good(INDEX, f"{one.manual_id} is published at {one.state.revision.label}", **facts)

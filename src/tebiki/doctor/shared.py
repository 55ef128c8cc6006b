"""What several servers share: whether their state and their index answer, and are whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.doctor.findings import doubtful, good, wrong
from tebiki.errors import TebikiError
from tebiki.manuals.index.failures import Damaged
from tebiki.state.store import StateAway
from tebiki.values.phrases import as_is, phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.config.sources import Loaded
    from tebiki.doctor.findings import Finding
    from tebiki.manuals.index.opensearch.client import OpenSearchSettings
    from tebiki.manuals.index.opensearch.status import PublishedManual

STATE = "state"
INDEX = "cluster"


def state(loaded: Loaded) -> Finding:
    """Whether the server that `state.url` names answers this user."""
    from tebiki.app.shared_state import remote_store, start_warning  # the client of Redis

    url = loaded.settings.text("state.url")
    try:
        store = remote_store(loaded)
    except TebikiError as refused:
        return wrong(STATE, as_is(refused), phrase("correct it: no HTTP server starts with it"))
    try:
        store.try_out()
    except StateAway as away:
        return wrong(
            STATE,
            phrase("{url} does not answer: {problem}", url=url, problem=away),
            phrase("servers go on by themselves and refuse paid calls that have a limit"),
        )
    finally:
        store.close()
    warning = start_warning(loaded)
    if warning is not None:
        return doubtful(STATE, phrase("{url} answers", url=url), as_is(warning))
    return good(STATE, phrase("{url} answers", url=url))


def shared_index(settings: OpenSearchSettings, manual_ids: list[str]) -> Iterator[Finding]:
    """Tell how the cluster is, and each manual that is published there."""
    from tebiki.manuals.index.opensearch.client import Cluster
    from tebiki.manuals.index.opensearch.status import health_of, look_at

    cluster = Cluster(settings)
    try:
        health = health_of(cluster)
        manuals = look_at(cluster, manual_ids)
    except Damaged as error:
        advice = phrase("servers answer from their own copies, and not completely; check its nodes")
        yield wrong(INDEX, as_is(error), advice)
        return
    words = phrase(
        "OpenSearch {version} is {status}, with {nodes} nodes",
        version=health.version,
        status=health.status,
        nodes=health.nodes,
    )
    if health.status == "green":
        yield good(INDEX, words, **health._asdict())
    else:
        advice = phrase("a copy of some shard is missing; tebiki cluster status tells of which")
        yield doubtful(INDEX, words, advice, **health._asdict())
    yield from map(_finding, manuals)


def _finding(one: PublishedManual) -> Finding:
    facts = one.row()
    advice = as_is(f"tebiki manuals publish {one.manual_id}")
    if one.state is None or one.state.revision is None:
        words = phrase("{manual} was never published", manual=one.manual_id)
        return doubtful(INDEX, words, advice, **facts)
    if not one.shards[1]:
        words = phrase("the index of {manual} is missing", manual=one.manual_id)
        return wrong(INDEX, words, advice, **facts)
    if one.is_behind:
        words = phrase(
            "the index of {manual} does not have what was published last", manual=one.manual_id
        )
        return doubtful(INDEX, words, advice, **facts)
    label = one.state.revision.label
    words = phrase("{manual} is published at {label}", manual=one.manual_id, label=label)
    return good(INDEX, words, **facts)

"""What it takes to publish a manual, and to find in it: nothing is sent or asked for twice."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.index.opensearch.client import Cluster
from tebiki.manuals.index.opensearch.reading import SharedReading
from tests.cluster.teams import MANUAL, Publisher, Team, remote_settings, words_of
from tests.manuals.index_contract import generated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cluster.engines import SearchNodes

SHORT, LONG = 150, 60
"""Files of each kind: those that come first fill more than one request."""

MOST_ROUND_TRIPS = 3
"""One after the other: what is counted, the sections, and what their headings weigh."""


@pytest.fixture(name="team")
def _team(nodes: SearchNodes, tmp_path: Path) -> Iterator[Team]:
    """A server, and nothing published."""
    prefix = f"build-{secrets.token_hex(4)}"
    team = Team(tmp_path, remote_settings(nodes.urls, prefix, timeout_seconds=20.0))
    yield team
    for name in team.cluster.ask("GET", f"/{prefix}-*"):
        team.cluster.ask("DELETE", f"/{name}", seconds=30)


def test_sections_that_come_late_may_be_longer(team: Team) -> None:
    """How long sections are is known at the end, and nothing is written twice for it."""
    words = "printer network alpha beta gamma delta "
    short = {f"a{at:03}.md": f"# Short {at}\n" + f"{words}\n" * 100 for at in range(SHORT)}
    long = {f"b{at:03}.md": f"# Long {at}\n" + f"{words} cable {at}\n" * 300 for at in range(LONG)}
    team.write({**short, **long})

    done = team.publish()

    postings = team.server._finder.index_of(MANUAL).refresh(lambda: False).postings
    assert isinstance(postings, SharedReading)
    assert (done.changed, done.is_rebuilt) == (SHORT + LONG, False)
    body, title, *_ = postings.means
    assert done.state.means[:2] == pytest.approx((body, title), rel=0.01)
    for question in ("printer network", "cable 17", "gamma delta"):
        found = team.find(question)
        assert found.complete
        assert words_of(found) == words_of(team.find_here(question))


def test_a_find_asks_a_few_times_and_never_for_one_section_alone(team: Team) -> None:
    """Whatever it is going to need comes in one answer, and its proof is asked for beside.

    These are words that the manual has: others are looked for among those like them.
    """
    team.write(generated(11, 60))
    team.publish()
    team.find("cable")  # reads the state, which those that follow know
    for question in ("printer network", "alpha beta 申請", "設定 期限", "gamma delta network"):
        before, beside = Cluster.all_round_trips, Cluster.all_beside
        found = team.find(question)
        asked = Cluster.all_round_trips - before
        proofs = Cluster.all_beside - beside

        assert found.complete
        assert proofs == 1
        assert 0 < asked - proofs <= MOST_ROUND_TRIPS
        assert words_of(found) == words_of(team.find_here(question))


def test_a_node_that_is_lost_while_an_index_is_built_costs_a_second_build(
    team: Team, nodes: SearchNodes
) -> None:
    """What is being built has one copy; whoever publishes begins again, and nobody has to ask."""
    team.write(generated(9, 60))
    publisher = Publisher(team)
    publisher.wait_until_it_writes()
    pattern = f"/_cat/shards/{team.settings.prefix}-m-*?format=json"
    (shard,) = nodes.manager.ask(pattern)
    lost = next(node for node in nodes if node.name == shard["node"])

    lost.kill()
    last_words = publisher.end()
    lost.start()
    nodes.wait_until_green()

    assert last_words == "published"
    for question in ("printer network", "alpha beta 申請"):
        found = team.find(question)
        assert found.complete
        assert words_of(found) == words_of(team.find_here(question))

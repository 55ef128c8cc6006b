"""What is called complete is the newest, whoever answers; and nobody undoes what others publish."""

from __future__ import annotations

import secrets
import threading
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tebiki.manuals.index.engine import FORMAT
from tebiki.manuals.index.opensearch.layout import index_name, key_of_manual
from tebiki.manuals.index.opensearch.leading import Lead
from tebiki.manuals.index.opensearch.state_document import ManualState, StateDocuments
from tests.cluster.proxies import ProofFirst
from tests.cluster.teams import (
    LEASE_SECONDS,
    MANUAL,
    Publisher,
    Team,
    remote_settings,
    until,
    words_of,
)
from tests.manuals.index_contract import generated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cluster.engines import SearchNodes

QUESTION = "printer network"
FILES = 20


@pytest.fixture(name="team")
def _team(nodes: SearchNodes, tmp_path: Path) -> Iterator[Team]:
    """A manual that is published, with a copy of its index on every node."""
    prefix = f"newest-{secrets.token_hex(4)}"
    team = Team(tmp_path, remote_settings(nodes.urls, prefix, replicas=2, timeout_seconds=3.0))
    team.write(generated(3, FILES))
    team.publish("first")
    nodes.wait_until_green()
    yield team
    nodes.wait_until_green()
    for name in team.cluster.ask("GET", f"/{prefix}-*"):
        team.cluster.ask("DELETE", f"/{name}", seconds=30)


def another(team: Team, folder: Path, **settings: object) -> Team:
    """Another server, whose copy is the same."""
    other = Team(folder, team.settings._replace(**settings))  # type: ignore[arg-type]
    other.write(team.texts())
    return other


def after_repairs() -> None:
    """Wait for whatever a server does to put an index right."""
    for thread in threading.enumerate():
        if thread.name == "tebiki-repair":
            thread.join()


def newest(team: Team) -> ManualState:
    """What is published."""
    (row,) = team.status()
    assert row.state is not None
    return row.state


def test_a_node_that_lost_the_others_calls_nothing_complete(
    team: Team, nodes: SearchNodes, tmp_path: Path
) -> None:
    """It slept while others published, and now they cannot tell it so."""
    asleep = next(node for node in nodes if node is not nodes.manager)
    others = [node for node in nodes if node is not asleep]
    stranger = another(team, tmp_path / "b", addresses=(asleep.url,), timeout_seconds=1.0)
    team.settings = team.settings._replace(addresses=tuple(node.url for node in others))
    publishing = another(team, tmp_path / "c", timeout_seconds=10.0)
    asleep.pause()
    publishing.write({"f1.md": "# printer network\nThe printer is on another network now.\n"})
    until(lambda: publishing.publishes("second"))
    for node in others:
        node.pause()
    asleep.resume()

    answers = [stranger.find(QUESTION) for _ in range(12)]
    for node in others:
        node.resume()
    nodes.wait_until_green()

    assert [found.complete for found in answers] == [False] * 12
    expected = words_of(publishing.find_here(QUESTION))
    until(lambda: words_of(stranger.find(QUESTION)) == expected)


def test_the_newest_state_is_asked_for_beside_the_search(
    team: Team, nodes: SearchNodes, tmp_path: Path
) -> None:
    """A find does not wait for one after the other."""
    with ProofFirst(urlsplit(nodes.urls[0]).port or 0) as line:
        other = another(team, tmp_path / "b", addresses=(line.url,))
        assert other.check(QUESTION, other.find_here(QUESTION))


def test_servers_do_not_publish_again_what_is_whole(team: Team, tmp_path: Path) -> None:
    """Each hears that it was published anew, and leaves it at that."""
    servers = [team, another(team, tmp_path / "b"), another(team, tmp_path / "c")]
    for server in servers:
        assert server.find(QUESTION).complete
    for server in servers:
        server.write({"f1.md": "# printer network\nA second printer.\n"})
    team.publish("second")
    published = newest(team)

    for server in servers:
        assert server.check(QUESTION, server.find_here(QUESTION))
    after_repairs()

    assert newest(team).gen == published.gen
    assert [server.said for server in servers] == [[]] * 3


def test_a_state_that_was_lost_can_be_published_anew(team: Team) -> None:
    """Servers that have seen the old one take the new one, though its numbers begin again."""
    for label in ("second", "third"):
        team.write({"f1.md": f"# printer network\nThe {label} printer.\n"})
        team.publish(label)
        assert team.check(QUESTION, team.find_here(QUESTION))
    lost = newest(team)
    team.cluster.ask("DELETE", f"/{team.settings.prefix}-state", seconds=30)
    unknown = team.find(QUESTION)

    team.write({"f1.md": "# printer network\nThe printer after the loss.\n"})
    team.publish("anew")
    until(lambda: team.check(QUESTION, team.find_here(QUESTION)))

    assert (unknown.complete, unknown.failure_reason) == (False, "index_behind")
    assert newest(team).gen > lost.gen
    indexes = [
        name for name in team.cluster.ask("GET", f"/{team.settings.prefix}-*") if "-m-" in name
    ]
    assert indexes == [newest(team).index_name]


def test_a_state_that_was_restored_is_the_newest(team: Team) -> None:
    """Somebody put an older one back, index and all; nobody has to start a server anew."""
    documents = StateDocuments(team.cluster)
    old = newest(team)
    kept = documents.read_parts(MANUAL, old)
    team.write({"f1.md": "# printer network\nA printer too many.\n"})
    before = newest(team)
    before_words = words_of(team.find(QUESTION))
    with Lead(documents, MANUAL, lease_seconds=LEASE_SECONDS) as lead:
        documents.write_parts(MANUAL, before.gen + 1, kept)
        lead.change(lambda now: now._replace(gen=before.gen + 1))
    assert words_of(team.find(QUESTION)) == before_words

    with Lead(documents, MANUAL, lease_seconds=LEASE_SECONDS) as lead:
        lead.change(lambda now: now._replace(gen=before.gen))

    until(lambda: team.find(QUESTION).complete)
    assert words_of(team.find(QUESTION)) == before_words
    assert newest(team).gen == before.gen


def test_an_index_of_another_release_is_left_alone(team: Team) -> None:
    """It is not read, and no server that only reads builds its own in place of it."""
    documents = StateDocuments(team.cluster)
    before = newest(team)
    manifest, beside = documents.read_parts(MANUAL, before)
    assert manifest[0] == FORMAT
    other = index_name(team.settings.prefix, key_of_manual(MANUAL), "1")
    other = other.replace(f"-f{FORMAT}-", f"-f{FORMAT + 1}-")
    with Lead(documents, MANUAL, lease_seconds=LEASE_SECONDS) as lead:
        parts = documents.write_parts(MANUAL, before.gen + 1, [[FORMAT + 1, *manifest[1:]], beside])
        lead.change(lambda now: now._replace(gen=before.gen + 1, index_name=other, parts=parts))
    theirs = newest(team)

    found = [team.find(QUESTION) for _ in range(3)]
    after_repairs()

    assert {(one.complete, one.failure_reason) for one in found} == {(False, "index_behind")}
    assert newest(team) == theirs
    assert any("another form" in line for line in team.said)
    team.publish("ours")
    until(lambda: team.check(QUESTION, team.find_here(QUESTION)))


def test_an_index_that_is_deleted_while_it_is_written_does_not_come_again_as_another(
    team: Team,
) -> None:
    """OpenSearch makes an index for whatever is written to it, of fields that nobody has chosen."""
    team.write(generated(4, FILES))
    publisher = Publisher(team)
    publisher.wait_until_it_writes()
    index = newest(team).index_name
    team.cluster.ask("DELETE", f"/{index}", seconds=30)

    publisher.end()
    team.publish("after")

    until(lambda: team.check(QUESTION, team.find_here(QUESTION)))
    state = newest(team)
    fields = team.cluster.ask("GET", f"/{state.index_name}/_mapping")[state.index_name]["mappings"]
    assert fields["dynamic"] == "strict"


def test_two_who_publish_at_once_do_so_one_after_the_other(team: Team, tmp_path: Path) -> None:
    """Neither is lost, whoever comes second is the newest, and nobody sees a mixture."""
    other = another(team, tmp_path / "b")
    team.write({"f1.md": "# printer network\nOne printer.\n"})
    other.write({"f2.md": "# printer network\nAnother printer.\n"})
    both = [team, other]
    gen = newest(team).gen
    threads = [
        threading.Thread(target=until, args=(lambda one=one, at=at: one.publishes(f"r{at}"),))
        for at, one in enumerate(both)
    ]
    first = words_of(team.find(QUESTION))
    possible = {first, *(words_of(one.find_here(QUESTION)) for one in both)}

    for thread in threads:
        thread.start()
    seen = set()
    while any(thread.is_alive() for thread in threads):
        found = team.find(QUESTION)
        if found.complete:
            seen.add(words_of(found))
    for thread in threads:
        thread.join()

    assert seen <= possible
    state = newest(team)
    assert state.gen == gen + 2
    assert state.head is not None
    last = both[int(state.head.label[1:])]
    until(lambda: team.find(QUESTION).complete)
    assert words_of(team.find(QUESTION)) == words_of(last.find_here(QUESTION))


def test_an_older_revision_can_be_published_again(team: Team) -> None:
    """Going back is a publication like any other."""
    first = words_of(team.find(QUESTION))
    older = team.texts()
    team.write({"f1.md": "# printer network\nA mistake.\n", "more.md": "# printer\nAnother.\n"})
    team.publish("mistake")
    assert words_of(team.find(QUESTION)) != first

    team.write({**older, "more.md": None})
    team.publish("first")

    assert words_of(team.find(QUESTION)) == first


def test_whoever_publishes_may_die_after_each_request(team: Team) -> None:
    """Finds are of the revision before or of the next, and the next publication ends well."""
    for step in range(200):
        old = words_of(team.find(QUESTION))
        team.write({"f1.md": f"# printer network\nThe printer of step {step}.\n"})
        new = words_of(team.find_here(QUESTION))
        publisher = Publisher(team, dies_after=step)
        last_words = publisher.end()
        for _ in range(2):
            found = team.find(QUESTION)
            assert not found.complete or words_of(found) in {old, new}, step
        if last_words == "published":
            break
    after_repairs()

    assert step > 12
    until(lambda: team.check(QUESTION, team.find_here(QUESTION)))

"""What becomes of finds when something breaks: nothing untrue is called complete, and it heals.

Each test breaks something real on three real nodes and puts it right again. Answers are held
against those of the engine at hand over the revision that was published last.
"""

from __future__ import annotations

import secrets
import signal
import time
from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.index.failures import Damaged
from tests.cluster.cutting import CutWires
from tests.cluster.teams import MANUAL, Publisher, Team, remote_settings, until, words_of
from tests.manuals.index_contract import generated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cluster.engines import SearchNodes

QUESTIONS = ("printer network", "alpha beta 申請", "設定 期限", "gamma delta")
WATERMARKS = "cluster.routing.allocation.disk.watermark"
LEVELS = ("low", "high", "flood_stage")
CREATION = "cluster.blocks.create_index"
CUT_SECONDS = 30


@pytest.fixture(name="team")
def _team(nodes: SearchNodes, tmp_path: Path) -> Iterator[Team]:
    """A manual of 60 files, published, with two copies of its index."""
    prefix = f"fault-{secrets.token_hex(4)}"
    team = Team(tmp_path, remote_settings(nodes.urls, prefix, replicas=2, timeout_seconds=3.0))
    team.write(generated(5, 60))
    team.publish("first")
    nodes.wait_until_green()
    yield team
    nodes.wait_until_green()
    for name in team.cluster.ask("GET", f"/{prefix}-*"):
        team.cluster.ask("DELETE", f"/{name}", seconds=30)


def ask_all(team: Team) -> list[bool]:
    """Ask every question, and hold the answers against this machine's copy."""
    return [team.check(question, team.find_here(question)) for question in QUESTIONS]


def assert_complete(team: Team) -> None:
    """Every answer is complete, or it is told what the server said of it."""
    assert all(ask_all(team)), team.said


def test_a_killed_node_changes_no_answer(team: Team, nodes: SearchNodes) -> None:
    """Another node has a copy, and is asked instead."""
    assert_complete(team)
    killed = next(node for node in nodes if node is not nodes.manager)

    killed.kill()
    ask_all(team)
    until(lambda: all(ask_all(team)))

    killed.start()
    nodes.wait_until_green()
    assert_complete(team)


def test_the_end_of_the_cluster_manager_changes_no_answer(team: Team, nodes: SearchNodes) -> None:
    """Another node is elected; meanwhile nothing untrue is said."""
    killed = nodes.manager

    killed.kill()
    ask_all(team)
    until(lambda: all(ask_all(team)))

    killed.start()
    nodes.wait_until_green()
    assert_complete(team)


@pytest.mark.parametrize("role", ["another", "manager"])
def test_a_node_that_hangs_costs_time_and_no_truth(
    team: Team, nodes: SearchNodes, role: str
) -> None:
    """It is stopped while a newer revision is published, and gives no old answer as complete."""
    manager = nodes.manager
    hanging = next(node for node in nodes if (node is manager) == (role == "manager"))

    hanging.pause()
    try:
        ask_all(team)
        team.write({"f1.md": "# printer network\nThe printer is on another network now.\n"})
        until(lambda: team.publishes("second"))
        ask_all(team)
    finally:
        hanging.resume()
    for _ in range(20):
        ask_all(team)
    nodes.wait_until_green()
    until(lambda: all(ask_all(team)))


def test_a_lost_index_is_built_again_by_a_server(team: Team) -> None:
    """Nobody has to do anything: a server whose copy is the head publishes it."""
    state = team.publish("again").state
    team.cluster.ask("DELETE", f"/{state.index_name}", seconds=30)

    until(lambda: all(ask_all(team)))

    assert any("put right" in line for line in team.said)


def test_a_full_disk_refuses_a_publication_and_no_find(team: Team, nodes: SearchNodes) -> None:
    """The revision before stays, complete; once there is room the next one is published."""
    expected = {question: team.find_here(question) for question in QUESTIONS}
    state = team.publish("before").state
    setting = f"/{state.index_name}/_settings"
    team.cluster.ask("PUT", setting, {"index.blocks.read_only_allow_delete": True})
    team.write({"f2.md": "# printer\nOne printer more.\n"})

    with pytest.raises(Damaged, match=r"(?i)read.only|block|disk"):
        team.publish("refused")
    for question, before in expected.items():
        assert words_of(team.find(question)) == words_of(before)

    team.cluster.ask("PUT", setting, {"index.blocks.read_only_allow_delete": None})
    team.publish("after")
    assert_complete(team)
    assert nodes.manager.ask("/_cluster/health")["status"] != "red"


def test_a_disk_beyond_its_watermark_refuses_a_publication_and_no_find(team: Team) -> None:
    """As OpenSearch itself stops writes, to the state as well; with room again all goes on."""
    expected = {question: words_of(team.find_here(question)) for question in QUESTIONS}
    names = (team.publish("before").state.index_name, f"{team.settings.prefix}-state")
    room = dict.fromkeys((f"{WATERMARKS}.{level}" for level in LEVELS), "100000gb")
    changed: dict[str, str | None] = {**room, "cluster.info.update.interval": "10s"}

    def is_blocked(index: str) -> bool:
        (told,) = team.cluster.ask("GET", f"/{index}/_settings").values()
        return "blocks" in told["settings"]["index"]

    def may_make_indexes() -> bool:
        # Where the disks of all nodes are full no index may be made; that is lifted by itself too.
        told = team.cluster.ask("GET", "/_cluster/settings", params={"flat_settings": "true"})
        return not any(layer.get(CREATION) == "true" for layer in told.values())

    team.cluster.ask("PUT", "/_cluster/settings", {"transient": changed})
    try:
        until(lambda: all(map(is_blocked, names)))
        team.write({"f2.md": "# printer\nOne printer more.\n"})
        with pytest.raises(Damaged, match=r"(?i)disk|read.only"):
            team.publish("refused")
        answers = [(team.find(question), before) for question, before in expected.items()]
    finally:
        kept = dict.fromkeys(room)
        team.cluster.ask("PUT", "/_cluster/settings", {"transient": kept})
        until(lambda: not any(map(is_blocked, names)) and may_make_indexes())
        interval = {"cluster.info.update.interval": None}
        team.cluster.ask("PUT", "/_cluster/settings", {"transient": interval})

    assert all(found.complete and words_of(found) == before for found, before in answers)
    until(lambda: team.publishes("after"))
    assert_complete(team)


def test_behind_a_cut_wire_nothing_is_called_complete(
    team: Team, nodes: SearchNodes, tmp_path: Path
) -> None:
    """The server answers from its copy, and hears of what was published when it is back."""
    with CutWires(nodes.urls) as wires:
        settings = team.settings._replace(addresses=tuple(wires.urls), timeout_seconds=1.0)
        other = Team(tmp_path / "other", settings)
        other.write(generated(5, 60))
        assert all(ask_all(other))

        wires.cut()
        end = time.monotonic() + CUT_SECONDS
        answers = [other.find(question) for question in QUESTIONS]
        while time.monotonic() < end:
            answers += [other.find(question) for question in QUESTIONS]
        # Not each of them has waited for a time-out.
        assert len(answers) > CUT_SECONDS
        assert not any(found.complete for found in answers)
        assert {found.failure_reason for found in answers} == {"index_behind"}
        for question, found in zip(QUESTIONS, answers, strict=False):
            here = other.find_here(question)
            assert [row["ref"] for row in found.lists["candidates"]] == [
                row["ref"] for row in here.lists["candidates"]
            ]
        team.write({"f3.md": "# printer network\nPublished behind its back.\n"})
        team.publish("behind its back")
        assert not any(other.find(question).complete for question in QUESTIONS)
        wires.mend()

        expected = {question: words_of(team.find_here(question)) for question in QUESTIONS}
        until(lambda: all(words_of(other.find(one)) == expected[one] for one in QUESTIONS))


def test_a_leader_that_dies_while_it_writes_is_followed_by_another(team: Team) -> None:
    """What it began is not seen by anybody; what the next one publishes is."""
    expected = {question: words_of(team.find_here(question)) for question in QUESTIONS}
    team.write(generated(6, 60))
    publisher = Publisher(team)

    publisher.wait_until_it_writes()
    publisher.send(signal.SIGKILL)
    publisher.end()
    for question, before in expected.items():
        assert words_of(team.find(question)) == before
    team.publish("next")

    assert_complete(team)


def test_a_leader_that_slept_too_long_is_refused(team: Team) -> None:
    """It wakes up with an old fence: whatever it writes then is called complete by nobody."""
    team.write(generated(7, 60))
    publisher = Publisher(team)
    publisher.wait_until_it_writes()
    publisher.send(signal.SIGSTOP)
    team.write(generated(8, 60))

    team.publish("meanwhile")
    assert_complete(team)
    publisher.send(signal.SIGCONT)
    last_words = publisher.end()

    assert last_words
    assert last_words != "published"
    until(lambda: all(ask_all(team)))
    (row,) = team.status()
    assert row.state is not None
    assert row.state.head is not None
    assert row.state.head.label == "meanwhile"
    assert row.manual_id == MANUAL

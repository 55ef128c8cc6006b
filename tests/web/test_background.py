"""Background answers over HTTP: who is lost, who calls off, and whose answer is whose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.interaction.test_background import BACKGROUND, KEPT, SLOW, TOOL, asked, receipt
from tests.support.command import run_command
from tests.support.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator
    from tests.web.conftest import StartHttp


@pytest.mark.requirement("answers:background:lost")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_handshake_client_that_is_lost_leaves_its_answer_running(
    start_http: StartHttp, simulator: Simulator, workers: str
) -> None:
    """A new connection of the same principal is given that answer, in whichever worker."""
    server = start_http("--debug", "--workers", workers, env=BACKGROUND)
    lost = server.talk()
    lost.begin_call(1, TOOL, {"query": SLOW})
    server.wait_for_stderr("begun")
    lost.hang_up(1)
    server.wait_for_stderr("lost on its way")

    found = server.talk().call(2, TOOL, {"query": SLOW})

    assert receipt(found)["resumed"] is True
    assert asked(simulator)[0] == "create"
    assert asked(simulator).count("create") == 1
    assert "cancel" not in asked(simulator)


@pytest.mark.requirement("answers:background:lost", "answers:background:cancelled")
def test_an_answer_is_taken_up_while_it_is_on_its_way(
    start_http: StartHttp, simulator: Simulator
) -> None:
    """The SDK goes on with a call whose client it lost; who then calls off ends it at the API."""
    server = start_http("--debug", env=BACKGROUND)
    lost, other = server.talk(), server.talk()
    lost.begin_call(1, TOOL, {"query": "simulate: hang"})
    server.wait_for_stderr("begun")
    lost.hang_up(1)
    other.begin_call(2, TOOL, {"query": "simulate: hang"})
    server.wait_for_stderr("taken up")
    other.cancel(2)
    simulator.wait_for_requests(2, PATIENCE_SECONDS)

    assert asked(simulator) == ["create", "cancel"]


@pytest.mark.requirement("answers:background:cancelled")
def test_a_modern_client_that_hangs_up_calls_off(
    start_http: StartHttp, simulator: Simulator
) -> None:
    """With and without progress, which takes another way through the server."""
    server = start_http("--debug", env=BACKGROUND)
    talk = server.talk(modern=True)
    for number, params in enumerate(({}, {"_meta": {"progressToken": "p"}}), start=1):
        talk.begin_call(number, TOOL, {"query": f"simulate: hang\n{number}"}, **params)
        server.wait_for_stderr("begun", number)
        talk.hang_up(number)

        simulator.wait_for_requests(2 * number, PATIENCE_SECONDS)

    assert asked(simulator) == ["create", "cancel"] * 2


@pytest.mark.requirement("answers:background:lost")
def test_a_server_that_is_told_to_stop_calls_nothing_off(
    start_http: StartHttp, simulator: Simulator
) -> None:
    """The next one takes the answers up, for the same principals."""
    config = "http: {shutdown_ms: 100}\n"
    first = start_http("--debug", env=BACKGROUND, config=config)
    for number, modern in enumerate((False, True), start=1):
        query = {"query": f"simulate: slow ms=900\n{number}"}
        first.talk(modern=modern).begin_call(number, TOOL, query)
        first.wait_for_stderr("begun", number)
    first.stop()
    second = start_http(env=BACKGROUND)

    found = [
        second.talk().call(number, TOOL, {"query": f"simulate: slow ms=900\n{number}"})
        for number in (1, 2)
    ]

    assert [receipt(one)["resumed"] for one in found] == [True, True]
    assert asked(simulator) == ["create", "create", "take up", "take up"]


@pytest.mark.requirement("answers:background:lost", "answers:cache:kept")
def test_nothing_is_shared_across_principals(
    start_http: StartHttp, simulator: Simulator, tmp_path: Path
) -> None:
    """Neither what was lost nor what is kept."""
    ann, bob = (
        run_command(tmp_path, "token", "new", name, face="tebiki").stdout.strip()
        for name in ("ann", "bob")
    )
    server = start_http("--debug", env=BACKGROUND | KEPT)
    lost = server.talk(token=ann)
    lost.begin_call(1, TOOL, {"query": SLOW})
    server.wait_for_stderr("begun")
    lost.hang_up(1)
    server.wait_for_stderr("lost on its way")

    bobs = server.talk(token=bob).call(2, TOOL, {"query": SLOW})
    anns = server.talk(token=ann).call(3, TOOL, {"query": SLOW})

    assert "resumed" not in receipt(bobs)
    assert "cached" not in receipt(bobs)
    assert receipt(anns).keys() & {"resumed", "cached"}
    assert asked(simulator).count("create") == 2

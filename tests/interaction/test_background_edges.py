"""Answers that survive: drops at each event, odd gateways, leaving and joining at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator import Simulator
from tests.interaction.settings_file import write_settings
from tests.interaction.test_background import (
    BACKGROUND,
    KEPT,
    MORTAL,
    TOOL,
    asked,
    begin,
    die,
    pending,
    receipt,
)
from tests.interaction.test_ledger import calls_in, ledger_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interaction.conftest import Connect


@pytest.mark.requirement("answers:background:dropped", "answers:background:ledger")
@pytest.mark.transports("line")
def test_a_stream_may_drop_at_any_event(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """After the first, which tells the id, nothing is created again; the answer is whole."""
    server = start(face="tebiki", env=BACKGROUND)
    whole = server.call("whole", TOOL, {"query": "simulate: searched"})["result"]
    told = len(asked(simulator))

    for number in range(1, 8):
        for how in (f"at={number}", f"each={number}"):
            query = f"simulate: dropped_midway {how}"
            found = server.call(query, TOOL, {"query": query})["result"]

            assert found["structuredContent"]["answer"]
            steps = asked(simulator)[told:]
            assert steps[0] == "create"
            assert steps[1] == "take up after"
            assert set(steps[2:]) <= {"take up", "take up after"}
            told += len(steps)
    server.finish()

    assert whole["structuredContent"]["answer"]
    assert [call["outcome"] for call in calls_in(ledger_of(tmp_path))] == ["ok"] * 15
    assert pending(tmp_path) == []


@pytest.mark.requirement("answers:background:dropped")
def test_a_stream_that_drops_before_its_first_event_is_not_asked_for_again(
    start: Connect, simulator: Simulator
) -> None:
    """Whether a response exists is not known, and a second might be paid for."""
    server = start(face="tebiki", env=BACKGROUND)

    error = server.call(1, TOOL, {"query": "simulate: dropped_midway at=0"})["error"]

    assert error["code"] == -32001
    assert asked(simulator) == ["create"]


@pytest.mark.requirement("answers:background:dropped")
@pytest.mark.parametrize("shape", ["flat", "nested"])
def test_an_error_within_a_stream_is_outlived(
    start: Connect, simulator: Simulator, shape: str
) -> None:
    """The API says that its server had an error: the response is asked for once more."""
    query = f"simulate: stream_error shape={shape}"
    found = start(face="tebiki", env=BACKGROUND).call(1, TOOL, {"query": query})

    assert found["result"]["structuredContent"]["answer"]
    assert asked(simulator) == ["create", "take up after"]


@pytest.mark.requirement("answers:background:dropped")
def test_a_garbled_stream_is_not_the_end_of_a_response(
    start: Connect, simulator: Simulator
) -> None:
    """It runs and is paid for: it is looked at until it has ended."""
    found = start(face="tebiki", env=BACKGROUND).call(
        1, TOOL, {"query": "simulate: stream_error shape=garbled"}
    )

    assert found["result"]["structuredContent"]["answer"]
    assert asked(simulator) == ["create", "take up"]


@pytest.mark.requirement("answers:domains:not-taken")
def test_a_gateway_that_takes_no_blocked_domains_is_asked_without_in_the_background_too(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """As elsewhere: once it has refused them, and what comes back is checked."""
    write_settings(tmp_path, "tebiki", "search: {blocked_domains: [weather.example]}\n")
    server = start(face="tebiki", env=BACKGROUND)

    receipts = [receipt(server.call(one, TOOL, {"query": f"weather {one}"})) for one in (1, 2)]

    tools = [request.body["tools"][0] for request in simulator.requests]
    assert [sorted(tool) for tool in tools] == [["filters", "type"], ["type"], ["type"]]
    assert all(one["domain_violations"] > 0 for one in receipts)
    assert [one["attempts"] for one in receipts] == [1, 1]


@pytest.mark.requirement("answers:background:request")
@pytest.mark.transports("memory", "line", "framed")
def test_half_a_surrogate_pair_is_sent_as_usual(start: Connect, simulator: Simulator) -> None:
    """In the background as elsewhere."""
    for number, env in enumerate(({}, BACKGROUND)):
        server = start(face="tebiki", env=env)
        message = (
            b'{"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": {"name": '
            b'"answer_detailed", "arguments": {"query": "half \\ud83d of one"}}}' % number
        )
        server.send(message)
        assert "result" in server.answer_to(number)

    usual, background = (request.body["input"] for request in simulator.requests)
    assert background == usual


@pytest.mark.requirement("answers:cache:in-flight")
@pytest.mark.parametrize("env", [KEPT, KEPT | BACKGROUND], ids=["once", "background"])
def test_who_asks_while_the_last_one_leaves_gets_an_answer(
    start: Connect, simulator: Simulator, env: dict[str, str]
) -> None:
    """What was called off is nobody's to join."""
    server = start(face="tebiki", env=env)
    server.begin_call("first", TOOL, {"query": "simulate: hang, searched"})
    simulator.wait_for_requests(1)

    server.cancel("first")
    server.begin_call("second", TOOL, {"query": "simulate: hang, searched"})

    assert server.answer_to("second")["result"]["structuredContent"]["answer"]
    assert server.finish() == []


@pytest.mark.requirement("answers:background:cancelled")
@pytest.mark.transports(*MORTAL)
def test_taking_up_can_be_called_off(start: Connect, tmp_path: Path) -> None:
    """The response is cancelled at the API, and nothing of it is left."""
    with Simulator() as simulator:
        env = BACKGROUND | {"OPENAI_BASE_URL": simulator.base_url}
        first = start("--debug", face="tebiki", env=env)
        begin(first, "simulate: hang")
        die(first)
        second = start("--debug", face="tebiki", env=env)
        second.begin_call("b", TOOL, {"query": "simulate: hang"})
        simulator.wait_for_requests(2)
        second.cancel("b")
        assert second.finish() == []
        assert asked(simulator) == ["create", "take up", "cancel"]

    assert pending(tmp_path) == []
    (line,) = calls_in(ledger_of(tmp_path))
    assert line["outcome"] == "cancelled"

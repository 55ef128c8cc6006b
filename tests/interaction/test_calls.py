"""Calling tools on the real process: definitions, results, errors, concurrency."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from tests.interaction.differences import WITHOUT_HTTP, expected
from tests.support.broken_clock import broken_clock
from tests.support.server_process import CANARY

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator
    from tests.interaction.conftest import Connect

TOOLS = ["answer", "answer_detailed", "answer_quick"]


@pytest.mark.requirement("wire:results:twice", "answers:result:four-keys")
def test_a_result_carries_the_same_object_twice(start: Connect) -> None:
    """As compact JSON text in the promised key order, and as structured content."""
    server = start()

    result = server.call(1, "answer", {"query": "本日の東京の天気"})["result"]

    text = result["content"][0]["text"]
    assert json.loads(text) == result["structuredContent"]
    assert list(json.loads(text)) == ["answer", "used_search", "citations", "model"]
    assert text == json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
    assert "天気" in text


@pytest.mark.requirement("wire:results:own-schema", "answers:result:four-keys")
@pytest.mark.parametrize("tool", TOOLS)
def test_results_obey_the_tools_own_output_schema(start: Connect, tool: str) -> None:
    """What `tools/list` promises is what comes."""
    server = start()
    schemas = {entry["name"]: entry for entry in server.ask(0, "tools/list")["result"]["tools"]}

    result = server.call(1, tool, {"query": "本日の東京の天気"})["result"]

    jsonschema.validate(result["structuredContent"], schemas[tool]["outputSchema"])


@pytest.mark.requirement("wire:errors:unknown-tool")
@pytest.mark.parametrize("tool", ["nope", "", "Answer", "vault_read"])
def test_an_unknown_tool_is_refused(start: Connect, tool: str) -> None:
    """-32601 `Unknown tool`, without data."""
    server = start()

    error = server.call(1, tool, {"query": "x"})["error"]

    assert error == expected(server, "unknown tool", {"code": -32601, "message": "Unknown tool"})


@pytest.mark.requirement("wire:errors:no-tool-name")
def test_a_call_without_a_tool_name_is_refused(start: Connect, subtests: pytest.Subtests) -> None:
    """-32602 that says what is missing."""
    server = start()
    word = expected(server, "a word about params without a tool", "name")

    odd_params: list[Any] = [None, [], "x", {}, {"name": 5}, {"arguments": {}}]
    for params in odd_params:
        with subtests.test(params=params):
            error = server.ask(1, "tools/call", params)["error"]

            assert error["code"] == -32602
            assert word in error["message"]


BAD_ARGUMENTS: dict[str, tuple[Any, str]] = {
    "missing": (None, "query is required"),
    "empty object": ({}, "query is required"),
    "null query": ({"query": None}, "query is required"),
    "blank query": ({"query": " \n\t\u3000"}, "query is required"),
    "list": ([], "arguments must be an object"),
    "text": ("x", "arguments must be an object"),
    "query number": ({"query": 5}, "query must be a string that is not blank, got 5"),
    "query list": ({"query": ["x"]}, 'query must be a string that is not blank, got ["x"]'),
}
BAD_HINTS: dict[str, tuple[Any, str]] = {
    "recency text": ({"query": "x", "recency_days": "7"}, 'recency_days must be a number, got "7"'),
    "recency boolean": (
        {"query": "x", "recency_days": True},
        "recency_days must be a number, got true",
    ),
    "results list": ({"query": "x", "max_results": []}, "max_results must be a number, got []"),
    "domains text": (
        {"query": "x", "domains": "a.jp"},
        'domains must be a list, each item a string, got "a.jp"',
    ),
    "domains numbers": (
        {"query": "x", "domains": [5]},
        "domains[0] must be a string, got 5",
    ),
}


@pytest.mark.requirement(
    "wire:errors:answers-arguments", "wire:arguments:object", "answers:tools:query"
)
@pytest.mark.parametrize("tool", TOOLS)
def test_bad_arguments_cost_nothing(
    start: Connect, simulator: Simulator, tool: str, subtests: pytest.Subtests
) -> None:
    """-32001 with the reason; nothing is sent upstream."""
    server = start()

    for case, (arguments, reason) in BAD_ARGUMENTS.items():
        with subtests.test(case):
            error = server.call(case, tool, arguments)["error"]

            data = {"reason": reason}
            usual = {"code": -32001, "message": "answer: invalid arguments", "data": data}
            is_object = isinstance(arguments, dict | None)
            assert error == (
                usual if is_object else expected(server, "arguments that are no object", usual)
            )
            assert simulator.requests == []


@pytest.mark.requirement("wire:errors:answers-arguments", "answers:tools:query")
def test_bad_hints_cost_nothing(
    start: Connect, simulator: Simulator, subtests: pytest.Subtests
) -> None:
    """Declared types are checked, none is coerced."""
    server = start()

    for case, (arguments, reason) in BAD_HINTS.items():
        with subtests.test(case):
            error = server.call(case, "answer", arguments)["error"]

            assert error["data"] == {"reason": reason}
            assert simulator.requests == []


@pytest.mark.requirement("wire:arguments:huge-numbers", "answers:tools:query")
@pytest.mark.parametrize("number", ["1e400", "9" * 5000, "-1e400"])
def test_a_number_beyond_all_numbers_is_refused(
    start: Connect, simulator: Simulator, number: str
) -> None:
    """Legal JSON, but no number of days."""
    server = start()
    arguments = f'{{"query":"x","recency_days":{number}}}'

    server.send(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call",'
        b'"params":{"name":"answer","arguments":%b}}' % arguments.encode()
    )
    error = server.answer_to(1)["error"]

    usual = "recency_days must be a number"
    words = expected(server, "a number of 5000 digits", usual) if number.isdigit() else usual
    if words == usual:
        assert error["data"]["reason"].startswith(usual)
    else:  # what the SDK refuses by itself has no reason of ours
        assert words in json.dumps(error)
    assert simulator.requests == []


@pytest.mark.requirement(
    "wire:arguments:null-is-absent", "answers:tools:extra-keys", "answers:request:hints"
)
def test_null_means_absent_and_extra_keys_are_ignored(start: Connect, simulator: Simulator) -> None:
    """Old clients send `style`; optional nulls take the defaults."""
    server = start()
    arguments = {"query": "x", "recency_days": None, "domains": None, "style": "summary"}

    answer = server.call(1, "answer", arguments)

    assert "result" in answer
    text = simulator.requests[0].body["input"][0]["content"][0]["text"]
    assert text == "x\n[Hints] recency_days=60, max_results=5."


@pytest.mark.requirement("wire:ids:concurrent", "wire:calls:never-block")
def test_answers_come_as_they_are_ready(start: Connect) -> None:
    """A slow call holds up neither a ping nor a quicker call."""
    server = start()

    server.begin_call("hanging", "answer", {"query": "simulate: hang"})
    quick = server.call("quick", "answer_quick", {"query": "HTTP 404"})
    pong = server.ask("ping", "ping")
    server.cancel("hanging")

    assert "result" in quick
    assert pong["result"] == {}
    assert server.finish() == []


@pytest.mark.requirement("wire:ids:in-flight")
# Over HTTP requests are told apart by their connections.
@pytest.mark.transports(*WITHOUT_HTTP)
def test_an_id_still_in_flight_is_refused(start: Connect) -> None:
    """-32600 for the second one; the first is not disturbed."""
    server = start()

    server.begin_call(7, "answer", {"query": "simulate: slow ms=800"})
    refused = [
        server.ask(7, "ping"),
        server.ask(7, "no/such/method"),
        server.call(7, "no_such_tool", {}),
        server.call(7, "answer", {"query": ""}),
        server.ask(7, "tools/call", {}),
    ]
    server.begin_call("7", "answer", {"query": "HTTP 404"})
    first, other_type = server.answer_to(7), server.answer_to("7")

    assert [answer["error"]["code"] for answer in refused] == [-32600] * 5
    assert "result" in first
    assert "result" in other_type


@pytest.mark.requirement("wire:ids:used-again")
def test_an_id_may_be_used_again_once_answered(start: Connect) -> None:
    """In flight means: not yet answered."""
    server = start()

    answers = [server.call(1, "answer", {"query": "HTTP 404"}) for _ in range(3)]

    assert all("result" in answer for answer in answers)


@pytest.mark.requirement("answers:connections:sixty-four")
def test_sixty_four_calls_run_at_once(start: Connect, simulator: Simulator) -> None:
    """None waits behind another: all 64 are at the API before the first is answered."""
    server = start()

    for number in range(64):
        server.begin_call(number, "answer", {"query": "simulate: hang"})
    simulator.wait_for_requests(64, timeout=60)
    for number in range(64):
        server.cancel(number)

    assert server.finish() == []


@pytest.mark.requirement("answers:connections:reused")
def test_connections_are_reused(start: Connect, simulator: Simulator) -> None:
    """Ten calls one after another share one connection."""
    server = start()

    for number in range(10):
        server.call(number, "answer", {"query": "HTTP 404"})

    assert len({request.connection for request in simulator.requests}) == 1


@pytest.mark.requirement("wire:ids:thousand-calls")
# Over HTTP a client is told so much sooner.
@pytest.mark.transports(*WITHOUT_HTTP)
def test_a_runaway_client_is_told_so(start: Connect) -> None:
    """The thousand-and-first call at once is refused; the others are not disturbed."""
    server = start()

    for number in range(1001):
        server.begin_call(number, "answer", {"query": "simulate: hang"})
    error = server.answer_to(1000)["error"]
    for number in range(1000):
        server.cancel(number)

    assert error["message"] == "answer failed"
    assert "1000 calls are already running" in error["data"]["message"]
    assert server.finish() == []


@pytest.mark.requirement("wire:errors:incident")
# The clock breaks where a process starts; tests/web has the same for HTTP.
@pytest.mark.transports("line", "framed")
def test_a_bug_becomes_an_incident(start: Connect, tmp_path: Path) -> None:
    """-32603 with an id that is also in the log, and nothing of the exception on the wire."""
    server = start(env=broken_clock(tmp_path, f"secret words {CANARY}"))

    error = server.call(1, "answer", {"query": "本日の天気"})["error"]
    after = server.ask(2, "ping")
    server.finish()

    incident = error["message"].partition("incident ")[2].partition(";")[0]
    assert error["code"] == -32603
    assert "secret words" not in json.dumps(error)
    assert f"incident {incident}" in server.stderr
    assert "ZeroDivisionError" in server.stderr
    assert CANARY not in server.stderr
    assert after["result"] == {}

"""Answers that survive their client, and identical questions that are asked once."""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING

import pytest

from simulator import Simulator
from tests.interaction.test_ledger import calls_in, ledger_of
from tests.support.http_process import HttpTalk
from tests.support.server_process import CANARY, ServerProcess

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interaction.conftest import Connect
    from tests.support.talk import Json, Talk

TOOL = "answer_detailed"
BACKGROUND = {"TEBIKI_ANSWERS_BACKGROUND": "true"}
KEPT = {"TEBIKI_ANSWERS_CACHE_SECONDS": "600"}
SLOW = "simulate: slow ms=700\nzebra"
MORTAL = ("line", "framed", "http")
"""A server in memory cannot die by itself."""


def receipt(answer: Json) -> Json:
    """What a call took."""
    found: Json = answer["result"]["_meta"]["tebiki/receipt"]
    return found


def asked(simulator: Simulator) -> list[str]:
    """What was asked of the API, in short: a create, or what was done with a response."""
    told = []
    for request in simulator.requests:
        path, _, query = request.path.partition("?")
        what = "cancel" if path.endswith("/cancel") else "take up"
        what = "create" if path == "/v1/responses" else what
        told.append(f"{what} after" if "starting_after" in query else what)
    return told


def pending(home: Path) -> list[Path]:
    """The files of answers that are on their way."""
    folder = home / ".local" / "state" / "tebiki" / "answers"
    return sorted(folder.iterdir()) if folder.exists() else []


def begin(server: Talk, query: str, request_id: str = "b") -> None:
    """Ask, and wait until the server has seen the id of the response."""
    server.begin_call(request_id, TOOL, {"query": query})
    server.wait_for_stderr("begun")


def die(server: Talk) -> None:
    """Kill a server."""
    process = server.server.process if isinstance(server, HttpTalk) else server.process  # type: ignore[attr-defined]
    process.kill()
    process.wait(60)


@pytest.mark.requirement("answers:background:request", "answers:background:off")
def test_a_detailed_answer_is_created_in_the_background(
    start: Connect, simulator: Simulator
) -> None:
    """The same answer as otherwise; the quicker tools, and the default, ask as they always have."""
    plain, server = start(face="tebiki"), start(face="tebiki", env=BACKGROUND)

    usual = plain.call(1, TOOL, {"query": "weather"})["result"]
    found = server.call(2, TOOL, {"query": "weather"})["result"]
    for number, tool in enumerate(("answer", "answer_quick"), start=3):
        server.call(number, tool, {"query": "weather"})

    first, second, *others = (request.body for request in simulator.requests)
    assert second == {**first, "background": True, "stream": True}
    assert not [body for body in (first, *others) if "background" in body or "stream" in body]
    assert found["structuredContent"] == usual["structuredContent"]
    assert "resumed" not in found["_meta"]["tebiki/receipt"]


@pytest.mark.requirement("answers:background:drop-ins")
@pytest.mark.transports("memory", "line", "framed")
def test_a_drop_in_sends_what_it_always_has(start: Connect, simulator: Simulator) -> None:
    """Whatever is set."""
    server = start(env=BACKGROUND | KEPT)

    for number in (1, 2):
        server.call(number, TOOL, {"query": "weather"})

    assert asked(simulator) == ["create", "create"]
    assert "background" not in simulator.requests[0].body


@pytest.mark.requirement("answers:background:dropped")
def test_a_dropped_stream_is_taken_up_again(start: Connect, simulator: Simulator) -> None:
    """From the event after the last; nothing is created twice."""
    found = start(face="tebiki", env=BACKGROUND).call(
        1, TOOL, {"query": "simulate: dropped_midway"}, _meta={"progressToken": "p"}
    )

    assert found["result"]["structuredContent"]["answer"].startswith("About ")
    assert asked(simulator) == ["create", "take up after"]


@pytest.mark.requirement("answers:background:cancelled")
def test_a_cancellation_cancels_upstream(start: Connect, simulator: Simulator) -> None:
    """No answer comes, and the next call works."""
    server = start("--debug", face="tebiki", env=BACKGROUND)

    begin(server, "simulate: hang")
    server.cancel("b")
    simulator.wait_for_requests(2)

    assert asked(simulator) == ["create", "cancel"]
    assert "result" in server.call("next", TOOL, {"query": "weather"})
    assert server.finish() == []


@pytest.mark.requirement("answers:background:cancelled", "answers:background:ledger")
@pytest.mark.transports(*MORTAL)
def test_a_cancellation_leaves_nothing(start: Connect, tmp_path: Path) -> None:
    """Also when the client ends right after it: the API hears of it before the server ends."""
    with Simulator() as simulator:
        env = BACKGROUND | {"OPENAI_BASE_URL": simulator.base_url}
        server = start("--debug", face="tebiki", env=env)
        begin(server, "simulate: hang")
        server.cancel("b")
        assert server.finish() == []
        assert asked(simulator) == ["create", "cancel"]

    assert pending(tmp_path) == []
    (line,) = calls_in(ledger_of(tmp_path))
    assert line["outcome"] == "cancelled"


@pytest.mark.requirement(
    "answers:background:resumed", "answers:background:file", "answers:background:ledger"
)
@pytest.mark.transports(*MORTAL)
def test_an_answer_survives_the_death_of_its_server(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """The next one takes it up for the same question; it is paid for and noted once."""
    first = start("--debug", face="tebiki", env=BACKGROUND)
    begin(first, SLOW)
    die(first)
    (file,) = pending(tmp_path)
    text, mode = file.read_bytes(), stat.S_IMODE(file.stat().st_mode)
    folder_mode = stat.S_IMODE(file.parent.stat().st_mode)

    second = start(face="tebiki", env=BACKGROUND)
    found = second.call(1, TOOL, {"query": SLOW})
    second.finish()

    assert receipt(found)["resumed"] is True
    assert asked(simulator) == ["create", "take up"]
    assert (mode, folder_mode) == (0o600, 0o700)
    assert b"zebra" not in text
    assert CANARY.encode() not in text
    assert pending(tmp_path) == []
    (line,) = calls_in(ledger_of(tmp_path))
    assert (line["outcome"], line["tool"]) == ("ok", TOOL)
    assert line["input_tokens"] == receipt(found)["tokens"]["input"]


@pytest.mark.requirement("answers:background:resumed")
@pytest.mark.transports("line", "framed")
def test_an_answer_survives_the_end_of_the_input(start: Connect, simulator: Simulator) -> None:
    """Which calls nothing off: the answer is waited for and written."""
    server = start("--debug", face="tebiki", env=BACKGROUND)
    begin(server, SLOW)
    (answer,) = server.finish()

    assert "resumed" not in receipt(answer)
    assert asked(simulator) == ["create"]


@pytest.mark.requirement("answers:background:resumed")
@pytest.mark.transports(*MORTAL)
def test_only_the_same_question_takes_an_answer_up(start: Connect, simulator: Simulator) -> None:
    """Another one, another model or another key creates its own."""
    first = start("--debug", face="tebiki", env=BACKGROUND)
    begin(first, SLOW)
    die(first)

    for env in ({}, {"MODEL_ANSWER": "gpt-5.1"}, {"OPENAI_API_KEY": "sk-another-key-123456"}):
        query = SLOW if env else "another"
        found = start(face="tebiki", env=BACKGROUND | env).call(1, TOOL, {"query": query})
        assert "resumed" not in receipt(found)

    assert asked(simulator) == ["create"] * 4


@pytest.mark.requirement("answers:background:vanished")
@pytest.mark.transports(*MORTAL)
def test_a_response_that_has_vanished_is_told(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """Nothing is created behind the user's back; asking once more asks anew."""
    first = start("--debug", face="tebiki", env=BACKGROUND)
    begin(first, SLOW)
    die(first)
    simulator.forget_responses()
    second = start(face="tebiki", env=BACKGROUND)

    lost = second.call(1, TOOL, {"query": SLOW})["error"]
    told = asked(simulator)
    again = second.call(2, TOOL, {"query": SLOW})

    assert "no longer has the response" in lost["data"]["message"]
    assert told == ["create", "take up"]
    assert "resumed" not in receipt(again)
    assert pending(tmp_path) == []


@pytest.mark.requirement("answers:background:vanished")
@pytest.mark.transports("line")
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"response": "../../v1/models"}',
        b'{"response": 7, "request": null, "time": 1.0}',
        b"\xff" * 5000,
    ],
)
def test_a_file_that_is_none_of_ours_harms_nothing(
    start: Connect, simulator: Simulator, tmp_path: Path, content: bytes
) -> None:
    """It is passed over."""
    folder = tmp_path / ".local" / "state" / "tebiki" / "answers"
    folder.mkdir(parents=True)
    (folder / "x.json").write_bytes(content)
    (folder / "y.json").symlink_to("/etc/hostname")

    found = start(face="tebiki", env=BACKGROUND).call(1, TOOL, {"query": "weather"})

    assert "result" in found
    assert asked(simulator) == ["create"]


@pytest.mark.requirement("answers:background:endless")
def test_a_response_that_never_ends_is_called_off(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """When its time is up, with an error that says so."""
    server = start(face="tebiki", env=BACKGROUND | {"OPENAI_API_TIMEOUT": "3000"})

    error = server.call(1, TOOL, {"query": "simulate: stalled"})["error"]

    assert "not ready within 3 s and was called off" in error["data"]["message"]
    assert asked(simulator) == ["create", "cancel"]
    assert pending(tmp_path) == []


@pytest.mark.requirement("answers:background:not-taken")
def test_an_api_without_background_mode_is_told(start: Connect) -> None:
    """With the setting; nothing is tried in another way."""
    with Simulator(lacks=["background"]) as simulator:
        server = start(face="tebiki", env=BACKGROUND | {"OPENAI_BASE_URL": simulator.base_url})
        error = server.call(1, TOOL, {"query": "weather"})["error"]
        told = asked(simulator)

    assert "has no background mode" in error["data"]["message"]
    assert "answers.background: false" in error["data"]["message"]
    assert told == ["create"]


@pytest.mark.requirement("answers:background:retried")
def test_what_fails_before_there_is_a_response_is_retried_as_usual(
    start: Connect, simulator: Simulator
) -> None:
    """Rate limits and faults of the server."""
    server = start(face="tebiki", env=BACKGROUND)

    found = server.call(1, TOOL, {"query": "simulate: 429 retry_after_ms=1, searched"})

    assert receipt(found)["attempts"] == 2
    assert asked(simulator) == ["create", "create"]


@pytest.mark.requirement("answers:background:old")
@pytest.mark.transports(*MORTAL)
def test_what_nobody_asked_for_in_time_is_cancelled(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """By the next server that answers in the background."""
    first = start("--debug", face="tebiki", env=BACKGROUND)
    begin(first, "simulate: hang")
    die(first)
    (file,) = pending(tmp_path)
    long_ago = time.time() - 601
    os.utime(file, (long_ago, long_ago))

    second = start(face="tebiki", env=BACKGROUND)
    found = second.call(1, TOOL, {"query": "simulate: slow ms=50"})
    simulator.wait_for_requests(3)
    second.finish()

    assert "resumed" not in receipt(found)
    assert sorted(asked(simulator)) == ["cancel", "create", "create"]
    assert pending(tmp_path) == []
    assert len(calls_in(ledger_of(tmp_path))) == 2


@pytest.mark.requirement("answers:background:file")
@pytest.mark.skipif(os.getuid() == 0, reason="whoever may do everything is refused nothing")
@pytest.mark.transports("line")
def test_a_folder_that_cannot_be_written_fails_no_call(start: Connect, tmp_path: Path) -> None:
    """It is warned about."""
    state = tmp_path / ".local" / "state"
    state.mkdir(parents=True)
    state.chmod(0o500)
    server = start(face="tebiki", env=BACKGROUND)

    assert "result" in server.call(1, TOOL, {"query": "weather"})
    server.finish()

    assert "background answers cannot be noted" in server.stderr


@pytest.mark.requirement("answers:cache:kept", "answers:cache:off")
def test_an_identical_question_is_answered_once(start: Connect, simulator: Simulator) -> None:
    """While it is kept; another question, and the default, ask anew."""
    server, usual = start(face="tebiki", env=KEPT), start(face="tebiki")

    first = server.call(1, "answer", {"query": "weather"})
    second = server.call(2, "answer", {"query": "weather"})
    server.call(3, "answer", {"query": "weather", "max_results": 3})
    server.call(4, "answer_quick", {"query": "weather"})
    count = len(simulator.requests)
    for number in (5, 6):
        usual.call(number, "answer", {"query": "weather"})

    assert count == 3
    assert len(simulator.requests) == 5
    assert second["result"]["structuredContent"] == first["result"]["structuredContent"]
    assert "cached" not in receipt(first)
    assert (receipt(second)["cached"], receipt(second)["estimated_cost_usd"]) == (True, 0)


@pytest.mark.requirement("answers:cache:in-flight")
def test_those_who_wait_share_one_call(start: Connect, simulator: Simulator) -> None:
    """One of them that leaves takes nothing from the other; the last one ends it."""
    server = start("--debug", face="tebiki", env=KEPT)
    for name in ("a", "b"):
        server.begin_call(name, "answer", {"query": "simulate: slow ms=900"})
    server.wait_for_stderr("waiting for its answer")
    server.cancel("a")

    assert "result" in server.answer_to("b")
    assert len(simulator.requests) == 1

    server.begin_call("c", "answer", {"query": "simulate: hang"})
    simulator.wait_for_requests(2)
    server.cancel("c")
    simulator.wait_for_disconnects(1)
    assert server.finish() == []


@pytest.mark.requirement("answers:cache:only-whole")
@pytest.mark.parametrize("query", ["simulate: incomplete", "simulate: failed", "simulate: 400"])
def test_partial_and_failed_answers_are_not_kept(
    start: Connect, simulator: Simulator, query: str
) -> None:
    """They are asked for again."""
    server = start(face="tebiki", env=KEPT)

    for number in (1, 2):
        server.call(number, "answer", {"query": query})

    assert len(simulator.requests) == 2


@pytest.mark.requirement("answers:background:resumed")
@pytest.mark.transports("line")
def test_two_servers_that_wait_do_not_take_from_each_other(
    start: Connect, simulator: Simulator
) -> None:
    """An answer that somebody still waits for is not lost."""
    one, other = (start("--debug", face="tebiki", env=BACKGROUND) for _ in range(2))
    assert isinstance(one, ServerProcess)

    begin(one, SLOW)
    found = other.call(1, TOOL, {"query": SLOW})

    assert "resumed" not in receipt(found)
    assert "result" in one.answer_to("b")
    assert asked(simulator) == ["create", "create"]

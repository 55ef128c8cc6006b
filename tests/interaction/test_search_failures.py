"""Web search on a real server, against the loopback API: time, retries, keys, models, errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.interaction.search_calls import (
    FACE,
    PROGRESS,
    TOOL,
    call,
    failure,
    gaps,
    search,
)
from tests.interaction.settings_file import write_settings
from tests.support.broken_clock import broken_clock
from tests.support.server_process import CANARY

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator
    from tests.interaction.conftest import Connect
    from tests.interaction.search_calls import Json


PASSING = ["429", "500", "503", "529", "dropped", "dropped_midway"]


@pytest.mark.requirement("websearch:time:retried")
def test_passing_failures_are_retried(
    start: Connect, simulator: Simulator, subtests: pytest.Subtests
) -> None:
    """Rate limits, 5xx and lost connections, after a second (less up to a quarter)."""
    server = start(face=FACE)

    # All at once: each waits for itself.
    for scenario in PASSING:
        server.begin_call(scenario, TOOL, {"query": f"simulate: {scenario}, results"})
    for scenario in PASSING:
        with subtests.test(scenario):
            result = server.answer_to(scenario)["result"]

            assert result["_meta"]["tebiki/receipt"]["attempts"] == 2
            assert gaps(simulator, f"simulate: {scenario}, results")[0] >= 0.74


@pytest.mark.requirement("websearch:time:retried")
@pytest.mark.parametrize("scenario", ["dropped", "dropped_midway"])
def test_a_lost_stream_is_retried_too(start: Connect, simulator: Simulator, scenario: str) -> None:
    """With progress the connection is a stream; it is lost just the same."""
    server = start(face=FACE)

    answer = server.call(1, TOOL, {"query": f"simulate: {scenario}, results"}, _meta=PROGRESS)

    assert answer["result"]["structuredContent"]["results"]
    assert len(simulator.requests) == 2


@pytest.mark.requirement("websearch:time:timeout", "websearch:time:retried")
@pytest.mark.parametrize("meta", [{}, PROGRESS], ids=["plain", "streamed"])
def test_a_timeout_bounds_one_attempt_and_is_retried(
    start: Connect, simulator: Simulator, meta: Json
) -> None:
    """In total, streamed or not; the connection is closed before the next attempt."""
    server = start(face=FACE, env={"SERVER_TIMEOUT": "300", "SERVER_MAX_RETRIES": "2"})

    query = "simulate: slow ms=60000 steps=600"
    error = server.call(1, TOOL, {"query": query}, _meta=meta)["error"]
    simulator.wait_for_disconnects(2)

    assert (error["code"], error["message"]) == (-32002, "Search Error")
    assert set(error["data"]) == {"details"}
    assert error["data"]["details"].startswith("The API did not answer within 0.3 s; ")
    assert len(simulator.requests) == 2


@pytest.mark.requirement("websearch:time:attempts")
def test_attempts_are_three_and_the_delay_doubles(start: Connect, simulator: Simulator) -> None:
    """One second, then two, less up to a quarter."""
    error = failure(start(face=FACE), "simulate: 503")

    assert (error["code"], error["message"]) == (-32002, "Search Error")
    first, second = gaps(simulator)
    assert first >= 0.74
    assert second >= 1.49


@pytest.mark.requirement(
    "wire:errors:search-rate-limit", "websearch:time:attempts", "websearch:time:retry-after-told"
)
def test_attempts_can_be_limited(start: Connect, simulator: Simulator, tmp_path: Path) -> None:
    """`websearch.max_attempts` counts the first one."""
    write_settings(tmp_path, FACE, "websearch: {max_attempts: 1}\n")

    error = failure(start(face=FACE), "simulate: 429")

    assert (error["code"], error["message"]) == (-32003, "Rate Limit Exceeded")
    assert set(error["data"]) == {"details"}
    assert len(simulator.requests) == 1


@pytest.mark.requirement("websearch:time:retry-after")
def test_retry_after_is_honoured(start: Connect, simulator: Simulator) -> None:
    """Also when one attempt may take less time than the API asks to wait."""
    server = start(face=FACE, env={"SERVER_TIMEOUT": "1000"})

    call(server, "simulate: 429 retry_after=2, results")

    assert gaps(simulator)[0] >= 1.9


@pytest.mark.requirement(
    "wire:errors:search-rate-limit", "websearch:time:retry-after", "websearch:time:retry-after-told"
)
@pytest.mark.parametrize(
    ("status", "code"), [("429", -32003), ("503", -32002)], ids=["limited", "overloaded"]
)
def test_a_longer_retry_after_ends_the_call(
    start: Connect, simulator: Simulator, status: str, code: int
) -> None:
    """At once, and the client hears how long it would be."""
    error = failure(start(face=FACE), f"simulate: {status} retry_after=21, results")

    assert error["code"] == code
    assert len(simulator.requests) == 1
    if status == "429":
        assert error["data"]["retryAfter"] == 21


@pytest.mark.requirement("websearch:time:quota")
def test_a_used_up_quota_is_not_retried(start: Connect, simulator: Simulator) -> None:
    """Waiting does not cure it, and the error says what it is."""
    error = failure(start(face=FACE), "simulate: 429 code=insufficient_quota")

    assert (error["code"], error["message"]) == (-32003, "Rate Limit Exceeded")
    assert "quota" in error["data"]["details"]
    assert "retryAfter" not in error["data"]
    assert len(simulator.requests) == 1


REFUSED_OR_GARBLED = ["400", "409", "malformed", "html", "not_object"]
UNUSABLE = ["prose_bare", "refusal", "plain", "incomplete", "incomplete_empty", "empty", "failed"]
"""The model was asked and has answered: neither rows nor sources."""


@pytest.mark.requirement(
    "wire:errors:search-failed", "websearch:grounding:unusable", "websearch:time:not-retried"
)
def test_other_failures_are_search_errors(
    start: Connect, simulator: Simulator, subtests: pytest.Subtests
) -> None:
    """One request, one error."""
    server = start(face=FACE)

    for number, scenario in enumerate(REFUSED_OR_GARBLED + UNUSABLE, start=1):
        with subtests.test(scenario):
            error = failure(server, f"simulate: {scenario}")

            assert (error["code"], error["message"]) == (-32002, "Search Error")
            assert error["data"]["details"]
            assert len(simulator.requests) == number


@pytest.mark.requirement("wire:errors:search-authentication", "websearch:errors:refused-key")
@pytest.mark.parametrize("scenario", ["401", "403"])
def test_a_refused_key_is_an_authentication_error(
    start: Connect, simulator: Simulator, scenario: str
) -> None:
    """It asks to check the key and does not repeat it."""
    error = failure(start(face=FACE), f"simulate: {scenario}")

    assert (error["code"], error["message"]) == (-32001, "Authentication Error")
    assert "Check the API key" in error["data"]["details"]
    assert CANARY not in error["data"]["details"]
    assert len(simulator.requests) == 1


@pytest.mark.requirement("wire:errors:search-authentication", "websearch:errors:no-key")
@pytest.mark.parametrize("key", [None, "", " \n"])
def test_a_missing_key_says_what_to_set(
    connect: Connect, simulator: Simulator, key: str | None
) -> None:
    """The server starts; the call tells which variable."""
    env = {"OPENAI_BASE_URL": simulator.base_url} | ({} if key is None else {"OPENAI_API_KEY": key})

    error = failure(connect(face=FACE, env=env), "x")

    assert (error["code"], error["message"]) == (-32001, "Authentication Error")
    assert "set OPENAI_API_KEY" in error["data"]["details"]
    assert simulator.requests == []


@pytest.mark.requirement("websearch:errors:key-stripped")
def test_blanks_around_the_key_are_stripped(start: Connect, simulator: Simulator) -> None:
    """As a file or a form leaves them."""
    search(start(face=FACE, env={"OPENAI_API_KEY": f" {CANARY}\n"}), "天気")

    assert simulator.requests[0].headers["authorization"] == f"Bearer {CANARY}"


@pytest.mark.requirement("websearch:model:setting", "config:layers:precedence")
def test_the_model_can_be_set(start: Connect, simulator: Simulator, tmp_path: Path) -> None:
    """In the file, and above it in the environment."""
    write_settings(tmp_path, FACE, "websearch: {model: o4-mini}\n")

    search(start(face=FACE), "one")
    search(start(face=FACE, env={"OPENAI_MODEL": "gpt-5-mini"}), "two")

    assert [request.body["model"] for request in simulator.requests] == ["o4-mini", "gpt-5-mini"]


@pytest.mark.requirement("websearch:model:fallback", "websearch:time:fallback-is-free")
def test_an_unknown_model_falls_back_to_that_of_answers(
    start: Connect, simulator: Simulator
) -> None:
    """Remembered for the process, warned about once, and not counted as an attempt."""
    env = {"OPENAI_MODEL": "missing-o9", "MODEL_ANSWER": "gpt-5.1", "SERVER_MAX_RETRIES": "2"}
    server = start(face=FACE, env=env)

    first = call(server, "simulate: 503, results")
    search(server, "天気")
    server.finish()

    models = [request.body["model"] for request in simulator.requests]
    assert models == ["missing-o9", "gpt-5.1", "gpt-5.1", "gpt-5.1"]
    assert first["_meta"]["tebiki/receipt"]["attempts"] == 2
    assert server.stderr.count("warning: the API does not know the search model missing-o9") == 1


@pytest.mark.requirement("websearch:model:fallback")
def test_without_any_known_model_the_search_fails(start: Connect, simulator: Simulator) -> None:
    """One retry, not a third model."""
    env = {"OPENAI_MODEL": "missing-a", "MODEL_ANSWER": "missing-b"}

    error = failure(start(face=FACE, env=env), "x")

    assert (error["code"], error["message"]) == (-32002, "Search Error")
    assert "missing-b" in error["data"]["details"]
    assert len(simulator.requests) == 2


@pytest.mark.requirement("wire:errors:search-failed")
def test_an_unreachable_api_is_a_search_error(start: Connect) -> None:
    """Said in words."""
    env = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "SERVER_MAX_RETRIES": "1"}

    error = failure(start(face=FACE, env=env), "x")

    assert (error["code"], error["message"]) == (-32002, "Search Error")
    assert "could not be reached" in error["data"]["details"]


@pytest.mark.requirement("wire:errors:search-unexpected")
# The clock breaks where a process starts; tests/web has the same for HTTP.
@pytest.mark.transports("line", "framed")
def test_a_bug_is_an_internal_error(start: Connect, tmp_path: Path) -> None:
    """With an incident id and nothing of the host."""
    server = start(face=FACE, env=broken_clock(tmp_path, "secret words"))

    error = failure(server, "x")
    server.finish()

    assert (error["code"], error["message"]) == (-32603, "Internal Error")
    assert "incident" in error["data"]["details"]
    assert "secret words" not in error["data"]["details"]
    assert "ZeroDivisionError" in server.stderr


@pytest.mark.requirement("websearch:time:quota")
def test_a_used_up_quota_says_what_to_do(start: Connect) -> None:
    """And does not invite to try again."""
    error = failure(start(face=FACE), "simulate: 429 code=insufficient_quota retry_after=3")

    assert error["code"] == -32003
    assert "The quota is used up" in error["data"]["details"]
    assert "retryAfter" not in error["data"]


@pytest.mark.requirement("websearch:time:fallback-is-free")
def test_the_fallback_does_not_start_the_count_anew(start: Connect, simulator: Simulator) -> None:
    """Attempts are limited in all; only the request that found the model missing is free."""
    env = {"OPENAI_MODEL": "missing-model", "SERVER_MAX_RETRIES": "2"}
    server = start(face=FACE, env=env)

    failure(server, "simulate: 503")

    models = [request.body["model"] for request in simulator.requests]
    assert models == ["missing-model", "gpt-5.2", "gpt-5.2"]

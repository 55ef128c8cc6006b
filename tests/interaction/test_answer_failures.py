"""Answers on the real process, against the loopback API: retries, time, keys, errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.interaction.answer_calls import answer, failure
from tests.interaction.settings_file import write_settings
from tests.support.server_process import CANARY

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator
    from tests.interaction.conftest import Connect


PASSING = ["429", "500", "502", "503", "529"]


@pytest.mark.requirement("answers:retry:passing-failures")
def test_passing_failures_are_retried(
    start: Connect, simulator: Simulator, subtests: pytest.Subtests
) -> None:
    """429 and 5xx, until it works."""
    server = start()

    # All at once: each waits for itself.
    for status in PASSING:
        server.begin_call(status, "answer", {"query": f"simulate: {status}, plain"})
    for status in PASSING:
        with subtests.test(status):
            result = server.answer_to(status)["result"]

            assert result["_meta"]["tebiki/receipt"]["attempts"] == 2
    assert len(simulator.requests) == 2 * len(PASSING)


@pytest.mark.requirement(
    "wire:errors:answers", "answers:result:failed", "answers:retry:nothing-else"
)
def test_other_failures_are_not_retried(
    start: Connect, simulator: Simulator, subtests: pytest.Subtests
) -> None:
    """One request, one error."""
    server = start()

    refused = ["400", "401", "403", "404", "409"]
    garbled = ["malformed", "html", "not_object", "dropped", "failed"]
    for number, scenario in enumerate(refused + garbled, start=1):
        with subtests.test(scenario):
            error = failure(server, f"simulate: {scenario}")

            assert (error["code"], error["message"]) == (-32001, "answer failed")
            assert error["data"]["message"]
            assert set(error["data"]) == {"message"}
            assert len(simulator.requests) == number


@pytest.mark.requirement("answers:retry:attempts", "config:request:retries")
@pytest.mark.parametrize("retries", [0, 2])
def test_attempts_are_limited(start: Connect, simulator: Simulator, retries: int) -> None:
    """At most `max_retries` + 1 requests, each visible in the debug log."""
    server = start("--debug", env={"OPENAI_MAX_RETRIES": str(retries)})

    failure(server, "simulate: 503")
    server.finish()

    assert len(simulator.requests) == retries + 1
    assert server.stderr.count("error attempt=") == retries + 1
    assert f"error attempt={retries + 1} status=503" in server.stderr


@pytest.mark.requirement("answers:retry:retry-after")
@pytest.mark.parametrize("hint", ["retry_after=1", "retry_after_ms=1000", "retry_after_date=2"])
def test_retry_after_is_honoured(start: Connect, simulator: Simulator, hint: str) -> None:
    """The second request comes no sooner than the API asked."""
    answer(start(), f"simulate: 429 {hint}, plain")

    first, second = simulator.requests
    assert second.received_at - first.received_at >= 0.9


@pytest.mark.requirement("answers:retry:retry-after")
def test_retry_after_is_capped_by_the_time_left(start: Connect, simulator: Simulator) -> None:
    """An hour is not waited for when an attempt may take one second."""
    server = start(env={"OPENAI_API_TIMEOUT": "1000"})

    found = answer(server, "simulate: 429 retry_after=3600, plain")

    assert found["used_search"] is False
    assert len(simulator.requests) == 2


@pytest.mark.requirement("answers:retry:nothing-else")
def test_a_used_up_quota_is_not_retried(start: Connect, simulator: Simulator) -> None:
    """Waiting does not cure it."""
    failure(start(), "simulate: 429 code=insufficient_quota")

    assert len(simulator.requests) == 1


@pytest.mark.requirement("answers:time:one-attempt", "config:request:timeout")
@pytest.mark.parametrize("meta", [{}, {"progressToken": "p"}], ids=["plain", "streamed"])
def test_a_timeout_ends_the_call(
    start: Connect, simulator: Simulator, meta: dict[str, Any]
) -> None:
    """It bounds the attempt in total, is not retried, and closes the connection."""
    server = start(env={"OPENAI_API_TIMEOUT": "300"})

    server.begin_call(1, "answer", {"query": "simulate: slow ms=60000"}, _meta=meta)
    error = server.answer_to(1)["error"]
    simulator.wait_for_disconnects(1)

    assert error["data"]["message"].startswith("The API did not answer within 0.3 s; ")
    assert len(simulator.requests) == 1


@pytest.mark.requirement("answers:errors:broken-stream")
@pytest.mark.parametrize("scenario", ["stream_error", "dropped_midway"])
def test_a_stream_that_breaks_is_an_error(start: Connect, scenario: str) -> None:
    """Half an answer is no answer."""
    server = start(env={"OPENAI_MAX_RETRIES": "0"})

    server.begin_call(1, "answer", {"query": f"simulate: {scenario}"}, _meta={"progressToken": 1})

    assert server.answer_to(1)["error"]["message"] == "answer failed"


@pytest.mark.requirement("answers:errors:missing-key")
def test_a_missing_key_is_said_with_its_name(connect: Connect) -> None:
    """The server starts; the call tells what to set."""
    server = connect()

    assert failure(server, "x")["data"] == {"message": "Missing API key: set OPENAI_API_KEY"}


@pytest.mark.requirement("answers:errors:missing-key", "config:openai:key-variable")
def test_the_key_variable_can_be_renamed(
    connect: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """`openai.api_key_env` names it, in errors too."""
    write_settings(tmp_path, "openai_responses_mcp", "openai: {api_key_env: MY_KEY}\n")
    address = {"OPENAI_BASE_URL": simulator.base_url, "OPENAI_API_KEY": "ignored"}

    missing = failure(connect(env=address), "x")
    answer(connect(env=address | {"MY_KEY": f" {CANARY}\n"}), "HTTP 404")

    assert missing["data"]["message"] == "Missing API key: set MY_KEY"
    assert simulator.requests[0].headers["authorization"] == f"Bearer {CANARY}"


@pytest.mark.requirement("answers:errors:api-words", "answers:errors:scrubbed")
def test_upstream_errors_say_what_to_do(start: Connect) -> None:
    """The API's own message, and one sentence more for 401, 403 and an unknown model."""
    rejected = failure(start(), "simulate: 401")["data"]["message"]
    forbidden = failure(start(), "simulate: 403")["data"]["message"]
    unknown = failure(start(env={"MODEL_ANSWER": "missing-model"}), "x")["data"]["message"]

    assert rejected.startswith("Incorrect API key provided: [redacted]")
    assert rejected.endswith("Check the API key and what it is allowed to do.")
    assert forbidden.endswith("Check the API key and what it is allowed to do.")
    assert "missing-model" in unknown
    assert unknown.endswith("Check the model id in your settings (--show-config prints them).")


@pytest.mark.requirement("wire:errors:answers-debug", "answers:result:empty")
def test_a_debug_answer_tells_more(start: Connect) -> None:
    """Status, type and name; the message is cut."""
    server = start("--debug", env={"OPENAI_MAX_RETRIES": "0"})

    limited = failure(server, "simulate: 429")["data"]
    profile = failure(server, "simulate: empty")["data"]

    assert limited["status"] == 429
    assert limited["name"] == "RateLimitError"
    assert set(limited) == {"message", "status", "type", "name"}
    assert (profile["status"], profile["type"]) == ("-", "-")


@pytest.mark.requirement("answers:errors:unreachable", "config:openai:base-url")
def test_an_unreachable_api_is_an_error(start: Connect) -> None:
    """Said in words, with what was tried."""
    server = start(env={"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})

    message = failure(server, "x")["data"]["message"]
    assert message.startswith("The API could not be reached at http://127.0.0.1:9/v1: ")
    assert message.endswith("Check the network, openai.base_url and the proxy variables.")
    told = failure(start(), "simulate: dropped")["data"]["message"]
    assert "without sending a response. Check the network" in told


@pytest.mark.requirement("answers:errors:unreachable")
@pytest.mark.parametrize(
    "env",
    [
        {"ALL_PROXY": "socks5://127.0.0.1:1"},
        {"HTTP_PROXY": "foo://bar"},
        {"SSL_CERT_FILE": "/nope.pem"},
    ],
    ids=lambda env: next(iter(env)),
)
def test_an_environment_that_breaks_the_client_is_said(start: Connect, env: dict[str, str]) -> None:
    """In words, with what to look at; nothing is thrown onto stderr."""
    server = start(env=env)

    error = failure(server, "x")
    server.finish()

    assert (error["code"], error["message"]) == (-32001, "answer failed")
    assert "proxy" in error["data"]["message"]
    assert "Traceback" not in server.stderr


@pytest.mark.requirement("answers:errors:gateway")
@pytest.mark.parametrize(
    ("body", "words"), [("html", "Gateway Sorry."), ("empty", "HTTP status 502.")]
)
def test_a_gateways_own_words_are_kept(start: Connect, body: str, words: str) -> None:
    """An error that is not in the API's form still says what happened."""
    server = start(env={"OPENAI_MAX_RETRIES": "0"})

    assert failure(server, f"simulate: 502 body={body}")["data"] == {"message": words}

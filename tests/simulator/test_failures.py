"""The scenarios in which the API, or the way to it, fails."""

import http.client
import json
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import openai
import pytest
from openai import OpenAI

from simulator import Simulator
from tests.simulator.asking import KEY, connected, question, simulate

_ERRORS: dict[str, type[openai.APIStatusError]] = {
    "400": openai.BadRequestError,
    "401": openai.AuthenticationError,
    "403": openai.PermissionDeniedError,
    "404": openai.NotFoundError,
    "409": openai.ConflictError,
    "429": openai.RateLimitError,
    "500": openai.InternalServerError,
    "502": openai.InternalServerError,
    "503": openai.InternalServerError,
    "529": openai.InternalServerError,
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", sorted(_ERRORS))
def test_a_status_becomes_the_sdks_error(client: OpenAI, name: str, stream: bool) -> None:
    """Streamed or not, the failure comes before any event."""
    with pytest.raises(_ERRORS[name]) as caught:
        client.responses.create(**question(f"simulate: {name}", stream=stream))
    assert caught.value.status_code == int(name)
    assert caught.value.code
    assert caught.value.request_id


@pytest.mark.parametrize("name", ["401", "leak"])
def test_some_failures_repeat_the_whole_key(simulator: Simulator, name: str) -> None:
    """A client must scrub it."""
    assert KEY in simulate(simulator, name).error["message"]


def test_a_rate_limit_can_say_when_to_come_back(simulator: Simulator) -> None:
    """In seconds, in milliseconds or as a date."""
    assert simulate(simulator, "429 retry_after=7").headers["retry-after"] == "7"
    assert simulate(simulator, "429 retry_after_ms=250").headers["retry-after-ms"] == "250"
    dated = simulate(simulator, "429 retry_after_date=3600").headers["retry-after"]
    ahead = parsedate_to_datetime(dated) - datetime.now(UTC)
    assert timedelta(minutes=30) < ahead < timedelta(minutes=90)
    assert "retry-after" not in simulate(simulator, "429").headers


def test_a_used_up_quota_is_a_rate_limit_of_its_own_code(simulator: Simulator) -> None:
    """Retrying would not help."""
    answer = simulate(simulator, "429 code=insufficient_quota")
    assert (answer.status, answer.error["code"]) == (429, "insufficient_quota")


def test_a_failure_may_have_no_api_error_at_all(simulator: Simulator) -> None:
    """A gateway answers with a web page or with nothing."""
    assert b"<html>" in simulate(simulator, "502 body=html").raw
    assert simulate(simulator, "503 body=empty").raw == b""


@pytest.mark.parametrize("stream", [False, True])
def test_a_dropped_connection_has_no_answer(simulator: Simulator, stream: bool) -> None:
    """And is no disconnect of the client's."""
    with pytest.raises(http.client.RemoteDisconnected):
        simulate(simulator, "dropped", stream=stream)
    assert simulator.disconnects == 0


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_dropped_midway_is_cut_off(simulator: Simulator, stream: bool) -> None:
    """The head promised more than came."""
    with pytest.raises(http.client.IncompleteRead) as caught:
        simulate(simulator, "dropped_midway", stream=stream)
    assert caught.value.partial
    assert simulator.disconnects == 0


def test_the_sdk_reports_a_stream_dropped_midway(client: OpenAI) -> None:
    """Some events arrive, then the connection error."""
    stream = client.responses.create(model="gpt-5.2", input="simulate: dropped_midway", stream=True)
    assert next(stream).type == "response.created"
    with pytest.raises(openai.APIConnectionError):
        list(stream)


@pytest.mark.parametrize("stream", [False, True])
def test_a_body_can_be_broken_json(simulator: Simulator, stream: bool) -> None:
    """Under the content type that promised better."""
    answer = simulate(simulator, "malformed", stream=stream)
    assert answer.status == 200
    with pytest.raises(json.JSONDecodeError):
        _ = answer.events if stream else answer.body


@pytest.mark.parametrize("stream", [False, True])
def test_a_body_can_be_a_list(simulator: Simulator, stream: bool) -> None:
    """JSON, but no response object."""
    answer = simulate(simulator, "not_object", stream=stream)
    assert (answer.events[0] if stream else answer.body) == [1, 2, 3]


@pytest.mark.parametrize("stream", [False, True])
def test_a_body_can_be_a_web_page(simulator: Simulator, stream: bool) -> None:
    """As a captive portal answers."""
    answer = simulate(simulator, "html", stream=stream)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert answer.raw.startswith(b"<!doctype html>")


@pytest.mark.parametrize("then", ["500", "searched", "html", "dropped_midway"])
def test_a_slow_answer_may_be_any_other(simulator: Simulator, then: str) -> None:
    """`slow then=` comes to the same end as the scenario itself."""
    if then == "dropped_midway":
        with pytest.raises(http.client.IncompleteRead):
            simulate(simulator, f"slow ms=1 then={then}")
        return
    assert simulate(simulator, f"slow ms=1 then={then}").status == (500 if then == "500" else 200)


def test_a_hanging_request_times_out_at_the_client(simulator: Simulator) -> None:
    """The SDK gives up and closes, which counts as a disconnect."""
    with (
        OpenAI(base_url=simulator.base_url, api_key=KEY, max_retries=0, timeout=0.05) as impatient,
        pytest.raises(openai.APITimeoutError),
    ):
        impatient.responses.create(model="gpt-5.2", input="simulate: hang")
    simulator.wait_for_disconnects(1)


@pytest.mark.parametrize(
    ("shape", "stream"), [("", False), ("shape=line", True), ("shape=events", True)]
)
def test_a_flood_is_as_large_as_it_is_told_to_be(
    simulator: Simulator, shape: str, stream: bool
) -> None:
    """And breaks off."""
    with pytest.raises(http.client.IncompleteRead) as broken:
        simulate(simulator, f"flood mb=2 {shape}", stream=stream)
    assert len(broken.value.partial) >= 2 * 1024 * 1024


def test_a_stalled_answer_begins_and_never_ends(simulator: Simulator) -> None:
    """The client is there for as long as it likes."""
    with connected(simulator) as line:
        data = json.dumps(question("simulate: stalled")).encode()
        line.request("POST", "/v1/responses", data, {"authorization": f"Bearer {KEY}"})
        response = line.getresponse()
        assert response.read(10).startswith(b'{"id"')
    simulator.wait_for_disconnects(1)

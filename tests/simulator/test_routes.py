"""Addresses, keys and headers."""

from collections.abc import Mapping

import pytest
from openai import AuthenticationError, NotFoundError, OpenAI

from simulator import Simulator
from tests.simulator.asking import (
    KEY,
    Answered,
    connected,
    post,
    question,
    receive,
)


def _request(simulator: Simulator, method: str, path: str, headers: Mapping[str, str]) -> Answered:
    with connected(simulator) as line:
        line.request(method, path, headers=dict(headers))
        return receive(line)


def test_models_are_listed(client: OpenAI) -> None:
    """The SDK reads the list."""
    listed = client.models.list()
    assert {"gpt-5.2", "o3"} <= {model.id for model in listed.data}


def test_models_tell_when_they_shut_down() -> None:
    """A day where one is announced, null elsewhere; the field is always there, as in the API."""
    with (
        Simulator(shutdown_dates={"o3": "2030-01-31"}) as simulator,
        OpenAI(base_url=simulator.base_url, api_key=KEY) as client,
    ):
        listed = {model.id: model for model in client.models.list().data}
        one = client.models.retrieve("o3")

    assert one.shutdown_date == listed["o3"].shutdown_date == "2030-01-31"
    assert listed["gpt-5.2"].shutdown_date is None
    assert "shutdown_date" in listed["gpt-5.2"].model_fields_set


def test_a_model_is_described(client: OpenAI) -> None:
    """Any id that does not start with `missing-` exists."""
    assert client.models.retrieve("gpt-5.2").owned_by == "openai"


def test_a_missing_model_is_not_found(client: OpenAI) -> None:
    """The message is the API's."""
    with pytest.raises(NotFoundError) as caught:
        client.models.retrieve("missing-x")
    assert caught.value.code == "model_not_found"


def test_a_response_from_a_missing_model_is_not_found(simulator: Simulator) -> None:
    """The error object is the API's, part by part."""
    answer = post(simulator, question("hello", model="missing-x"))
    assert answer.status == 404
    assert answer.error == {
        "message": "The model `missing-x` does not exist or you do not have access to it.",
        "type": "invalid_request_error",
        "param": None,
        "code": "model_not_found",
    }


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/"), ("GET", "/v1/responses"), ("POST", "/v1/models"), ("GET", "/v1/files/1")],
)
def test_any_other_address_is_not_found(simulator: Simulator, method: str, path: str) -> None:
    """The error has the API's shape."""
    answer = _request(simulator, method, path, {"authorization": f"Bearer {KEY}"})
    assert answer.status == 404
    assert answer.error["message"] == f"Invalid URL ({method} {path})"
    assert answer.error["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    "headers", [{}, {"authorization": ""}, {"authorization": "Bearer "}, {"authorization": KEY}]
)
def test_a_request_without_a_bearer_key_is_unauthorized(
    simulator: Simulator, headers: dict[str, str]
) -> None:
    """A key must come in the Authorization header."""
    answer = _request(simulator, "GET", "/v1/models", headers)
    assert answer.status == 401
    assert "didn't provide an API key" in answer.error["message"]


def test_a_rejected_key_is_repeated_in_full(simulator: Simulator) -> None:
    """So that a client's scrubbing can be tested."""
    key = "sk-rejected-canary-987"
    with (
        OpenAI(base_url=simulator.base_url, api_key=key, max_retries=0) as client,
        pytest.raises(AuthenticationError) as caught,
    ):
        client.responses.create(model="gpt-5.2", input="hello")
    assert key in caught.value.message
    assert caught.value.code == "invalid_api_key"


def test_every_answer_has_a_request_id_of_its_own(simulator: Simulator) -> None:
    """Two answers to the same request differ in it, and in nothing of the body."""
    first, second = post(simulator, question("hello")), post(simulator, question("hello"))
    assert first.headers["x-request-id"] != second.headers["x-request-id"]
    assert first.headers["openai-processing-ms"].isdigit()
    assert first.body == second.body


def test_the_sdk_sees_the_request_id(client: OpenAI) -> None:
    """The id is where the SDK looks for it."""
    answer = client.responses.create(model="gpt-5.2", input="hello")
    assert (answer._request_id or "").startswith("req_")
    assert answer.model == "gpt-5.2-2025-12-11"


def test_only_json_is_accepted(simulator: Simulator) -> None:
    """Another content type is refused by name."""
    with connected(simulator) as line:
        headers = {"authorization": f"Bearer {KEY}", "content-type": "text/plain"}
        line.request("POST", "/v1/responses", b"{}", headers)
        answer = receive(line)
    assert answer.status == 400
    assert answer.error["code"] == "unsupported_content_type"

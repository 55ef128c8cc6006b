"""Foreign failures: every exception of the SDK has a place in our tree."""

from __future__ import annotations

import inspect
from typing import Any

import httpx2
import openai
import pytest

from tebiki.errors import (
    AuthRejected,
    BadReply,
    ConnectionFailed,
    ModelNotFound,
    RateLimited,
    ServerFault,
    UpstreamError,
    UpstreamTimeout,
)
from tebiki.responses.failures import error_from_event, error_from_sdk

BASE_URL = "http://127.0.0.1/v1"
REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1/responses")


def status_error(
    status: int, headers: dict[str, str] | None = None, **body: Any
) -> openai.APIStatusError:
    """The SDK's exception for an answer with this status."""
    kind = {
        400: openai.BadRequestError,
        401: openai.AuthenticationError,
        403: openai.PermissionDeniedError,
        404: openai.NotFoundError,
        409: openai.ConflictError,
        422: openai.UnprocessableEntityError,
        429: openai.RateLimitError,
    }.get(status, openai.InternalServerError)
    response = httpx2.Response(status, request=REQUEST, headers=headers, json={"error": body})
    return kind("the message", response=response, body=body)


def sdk_exceptions() -> list[type[openai.OpenAIError]]:
    """Everything the SDK exports that can be raised."""
    return [
        value
        for value in (getattr(openai, name) for name in openai.__all__)
        if inspect.isclass(value) and issubclass(value, openai.OpenAIError)
    ]


@pytest.mark.parametrize("kind", sdk_exceptions(), ids=lambda kind: kind.__name__)
def test_every_exception_of_the_sdk_is_translated(kind: type[openai.OpenAIError]) -> None:
    """Into one of ours, keeping its name."""
    failure = kind.__new__(kind)
    Exception.__init__(failure, "words")
    for name, value in {
        "status_code": 418,
        "code": None,
        "type": None,
        "body": None,
        "response": httpx2.Response(418, request=REQUEST),
    }.items():
        setattr(failure, name, value)

    translated = error_from_sdk(failure, BASE_URL)

    assert isinstance(translated, UpstreamError)
    assert translated.name == kind.__name__


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, None, UpstreamError),
        (401, "invalid_api_key", AuthRejected),
        (403, None, AuthRejected),
        (403, "model_not_found", ModelNotFound),
        (404, "model_not_found", ModelNotFound),
        (404, None, UpstreamError),
        (409, None, UpstreamError),
        (422, None, UpstreamError),
        (429, "rate_limit_exceeded", RateLimited),
        (500, None, ServerFault),
        (529, None, ServerFault),
    ],
)
def test_a_status_has_its_class(status: int, code: str | None, kind: type[UpstreamError]) -> None:
    """And keeps status, code and the API's own words."""
    translated = error_from_sdk(
        status_error(status, message="own words", code=code, type="t"), BASE_URL
    )

    assert type(translated) is kind
    assert (translated.status, translated.code, translated.kind) == (status, code, "t")
    assert str(translated).startswith("own words")


@pytest.mark.parametrize("odd", [5, [], {"a": 1}, True])
def test_a_type_that_is_no_text_is_passed_over(odd: object) -> None:
    """Whoever repeats it, as a debug answer does, counts on text."""
    failure = status_error(429, message="m", type=odd)

    assert error_from_sdk(failure, BASE_URL).kind is None


def test_connections_and_timeouts() -> None:
    """Told apart: one says why it failed, the other that it was too late."""
    lost = openai.APIConnectionError(request=REQUEST)
    lost.__cause__ = OSError("refused")
    late = openai.APITimeoutError(request=REQUEST)

    assert isinstance(error_from_sdk(lost, BASE_URL), ConnectionFailed)
    assert "refused" in str(error_from_sdk(lost, BASE_URL))
    assert isinstance(error_from_sdk(late, BASE_URL), UpstreamTimeout)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after": "Thu, 01 Jan 99999 00:00:00 GMT"}, None),
    ],
)
def test_retry_after_in_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    """Milliseconds, seconds, a date; nonsense is no wish."""
    translated = error_from_sdk(status_error(429, headers), BASE_URL)

    assert translated.retry_after_seconds == seconds


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"type": "error", "message": "flat", "code": "c"}, "flat"),
        ({"type": "error", "error": {"message": "nested"}}, "nested"),
        ({"type": "error"}, "The API reported an error while answering"),
        ({"type": "error", "message": 5, "code": []}, "The API reported an error while answering"),
    ],
)
def test_an_error_in_a_stream(event: dict[str, Any], words: str) -> None:
    """In whatever shape it comes."""
    translated = error_from_event(event)

    assert isinstance(translated, BadReply)
    assert str(translated) == words


@pytest.mark.parametrize(
    ("code", "kind"),
    [("rate_limit_exceeded", RateLimited), ("server_error", ServerFault), ("other", BadReply)],
)
def test_a_passing_failure_in_a_stream_is_one_too(code: str, kind: type[UpstreamError]) -> None:
    """So that it is retried like its status would be."""
    assert type(error_from_event({"type": "error", "message": "m", "code": code})) is kind

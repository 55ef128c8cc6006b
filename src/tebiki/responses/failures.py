"""Foreign failures in our own words: each exception of the SDK becomes one of our errors."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

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
from tebiki.responses.foreign_words import beginning_of, in_few_words, name_of
from tebiki.responses.headers import retry_after_seconds
from tebiki.responses.lean_sdk import import_leanly
from tebiki.responses.retry import QUOTA_USED_UP
from tebiki.values.unseen import in_one_line

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAIError

UNAUTHORIZED = 401
FORBIDDEN = 403
NOT_FOUND = 404
TOO_MANY_REQUESTS = 429
SERVER_FAULT = 500

LONGEST_WORDS = 200
"""Characters of a foreign error page that are repeated."""

MOST_JSON = 1024 * 1024
"""Characters of an error that is read as JSON; the API's own have a few hundred."""

# Up to the next sign of a tag, never beyond: a page of nothing but `<` is read once.
TAG = re.compile(r"<[^<>]*+>")

STREAM_FAILURES: dict[str, type[UpstreamError]] = {
    "rate_limit_exceeded": RateLimited,
    QUOTA_USED_UP: RateLimited,
    "server_error": ServerFault,
}
"""Codes that mean the same in the middle of a stream as a 429 or 5xx does before it."""

NEVER_CONNECTED = frozenset(("ConnectError", "ConnectTimeout", "ProxyError"))
"""What the SDK's transport calls a request of which nothing was sent. By name: it is the SDK's
dependency and not ours."""

CHECK_QUOTA = "The quota is used up: check the plan and the billing of your account."
CHECK_KEY = "Check the API key and what it is allowed to do."
CHECK_MODEL = "Check the model id in your settings (--show-config prints them)."
CHECK_CONNECTION = "Check the network, openai.base_url and the proxy variables."
CHECK_ADDRESS = "Check openai.base_url in your settings (--show-config prints them)."


def sdk_error() -> type[OpenAIError]:
    """The root of everything the SDK raises."""
    import_leanly()
    from openai._exceptions import OpenAIError  # never at start-up

    return OpenAIError


def error_from_sdk(failure: OpenAIError, base_url: str) -> UpstreamError:
    """Translate, most specific first."""
    from openai import _exceptions as sdk  # as above

    name = type(failure).__name__
    if isinstance(failure.__cause__, UpstreamError):
        return failure.__cause__  # ours already, raised below the SDK
    if isinstance(failure, sdk.APIStatusError):
        return _from_status(failure)
    if isinstance(failure, sdk.APITimeoutError):
        return UpstreamTimeout("The API did not answer in time", name=name)
    if isinstance(failure, sdk.APIConnectionError):
        return _from_connection(failure, base_url, name)
    if isinstance(failure, sdk.APIError):
        # An error in the middle of a stream, which has no status.
        return failure_by_code(_message(failure), name_of(failure.code) or None, name)
    return BadReply(_message(failure), name=name)


def _from_connection(failure: OpenAIError, base_url: str, name: str) -> ConnectionFailed:
    cause = failure.__cause__ or failure
    reason = str(cause).rstrip(".") or type(cause).__name__
    failed = ConnectionFailed(
        f"The API could not be reached at {base_url}: {reason}. {CHECK_CONNECTION}", name=name
    )
    failed.was_sent = type(cause).__name__ not in NEVER_CONNECTED
    return failed


def failure_by_code(message: str, code: str | None, name: str) -> UpstreamError:
    """What a failure is when only its code tells."""
    kind = STREAM_FAILURES.get(code or "", BadReply)
    words = f"{message} {CHECK_QUOTA}" if code == QUOTA_USED_UP else message
    return kind(words, code=code, name=name)


def error_from_event(event: dict[str, Any]) -> UpstreamError:
    """Translate an `error` event in the middle of a stream."""
    nested = event.get("error")
    details = nested if isinstance(nested, dict) else event
    return failure_by_code(
        in_few_words(_text(details.get("message")) or "The API reported an error while answering"),
        name_of(details.get("code")) or None,
        "StreamError",
    )


def _from_status(failure: APIStatusError) -> UpstreamError:
    kind, advice = _class_and_advice(failure)
    message = _message(failure)
    return kind(
        f"{message} {advice}" if advice else message,
        status=failure.status_code,
        code=name_of(failure.code) or None,
        kind=name_of(failure.type) or None,
        name=type(failure).__name__,
        body=beginning_of(failure.response.text),
        retry_after_seconds=(
            # Waiting does not cure it, whatever a gateway adds.
            None
            if failure.code == QUOTA_USED_UP
            else retry_after_seconds(failure.response.headers, time.time())
        ),
    )


def _class_and_advice(failure: APIStatusError) -> tuple[type[UpstreamError], str]:
    """What happened, and one sentence on what to do next."""
    status = failure.status_code
    if failure.response.has_redirect_location:
        return UpstreamError, f"It is not followed. {CHECK_ADDRESS}"
    if failure.code == "model_not_found":
        # Also with 403: the project has no access to the model, the key itself is good.
        return ModelNotFound, CHECK_MODEL
    if status in (UNAUTHORIZED, FORBIDDEN):
        return AuthRejected, CHECK_KEY
    if status == NOT_FOUND:
        return UpstreamError, CHECK_ADDRESS
    if failure.code == QUOTA_USED_UP or status == TOO_MANY_REQUESTS:
        return RateLimited, CHECK_QUOTA if failure.code == QUOTA_USED_UP else ""
    return (ServerFault if status >= SERVER_FAULT else UpstreamError), ""


def _text(value: object) -> str | None:
    """Pass over what a gateway puts where the API has text."""
    return value if isinstance(value, str) else None


def _message(failure: OpenAIError) -> str:
    """The API's own words, without the SDK's prefix."""
    body = getattr(failure, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    response = getattr(failure, "response", None)
    if response is not None and response.has_redirect_location:
        message = (
            f"The API answered with a redirect ({response.status_code}) to {_target(response)}"
        )
    if not isinstance(message, str) and response is not None:
        message = _words_of(response.text) or f"HTTP status {response.status_code}"
    words = in_few_words(message) if isinstance(message, str) else ""
    words = words or in_few_words(str(failure))
    return words if words.endswith((".", "!", "?", "。")) else f"{words}."


def _words_of(text: str) -> str:
    """What a gateway said that does not speak the API's own form: an `error` text, or the body."""
    try:
        said = json.loads(text).get("error") if len(text) <= MOST_JSON else None
    except (ValueError, AttributeError, RecursionError):
        said = None
    words = said if isinstance(said, str) else TAG.sub(" ", beginning_of(text))
    return in_few_words(words, LONGEST_WORDS)


def _target(response: Any) -> str:
    """The host that a redirect names; the rest of an address may hold secrets."""
    try:
        host = urlsplit(urljoin(str(response.url), response.headers["location"])).hostname
    except ValueError:
        host = None
    return in_one_line(host) if host else "no address"

"""HTTP replies for what goes wrong, in the API's error shape or deliberately out of any shape."""

import time
from collections.abc import Mapping
from email.utils import formatdate

from simulator.shapes import Refused
from simulator.wire import Reply, to_json

_HTML = b"<!doctype html><html><head><title>Gateway</title></head><body>Sorry.</body></html>"
_QUOTA = (
    "You exceeded your current quota, please check your plan and billing details. For more"
    " information on this error, read the docs:"
    " https://platform.openai.com/docs/guides/error-codes/api-errors."
)
_NO_KEY = (
    "You didn't provide an API key. You need to provide your API key in an Authorization header"
    " using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
)

FAILURES: Mapping[str, Refused] = {
    "400": Refused("Your input could not be processed.", "input", "invalid_value"),
    "403": Refused(
        "Country, region, or territory not supported.",
        code="unsupported_country_region_territory",
        status=403,
        kind="request_forbidden",
    ),
    "404": Refused(
        "The model `gpt-5.2` does not exist or you do not have access to it.",
        code="model_not_found",
        status=404,
    ),
    "409": Refused("Another request changed this resource; try again.", None, "conflict", 409),
    "429": Refused(
        "Rate limit reached for requests. Please try again later.",
        code="rate_limit_exceeded",
        status=429,
        kind="requests",
    ),
    "500": Refused(
        "The server had an error while processing your request. Sorry about that!",
        code="server_error",
        status=500,
        kind="server_error",
    ),
    "502": Refused("Bad gateway.", None, "bad_gateway", 502, "server_error"),
    "503": Refused(
        "The server is currently overloaded with other requests. Sorry about that!",
        code="service_unavailable",
        status=503,
        kind="service_unavailable_error",
    ),
    "529": Refused("The engine is currently overloaded.", None, "overloaded", 529, "server_error"),
}


def refusal_reply(refused: Refused, headers: Mapping[str, str] | None = None) -> Reply:
    """Put a refusal into the API's error object."""
    error = {
        "message": refused.message,
        "type": refused.kind,
        "param": refused.param,
        "code": refused.code,
    }
    return Reply(refused.status, to_json({"error": error}), headers=dict(headers or {}))


def wrong_key(key: str) -> Refused:
    """Refuse a key, repeating all of it so that a client's scrubbing can be tested."""
    return Refused(
        f"Incorrect API key provided: {key}. You can find your API key at"
        " https://platform.openai.com/account/api-keys.",
        code="invalid_api_key",
        status=401,
    )


def missing_key() -> Refused:
    """Refuse a request without a key."""
    return Refused(_NO_KEY, status=401)


def no_such_url(method: str, path: str) -> Refused:
    """Refuse an address that the API does not have."""
    return Refused(f"Invalid URL ({method} {path})", status=404)


def failure_reply(name: str, options: Mapping[str, str], key: str) -> Reply:
    """Fail as the scenario of this name says."""
    if name == "401":
        return refusal_reply(wrong_key(key))
    if name == "leak":
        leak = f"Internal error while handling the request of Bearer {key}"
        return refusal_reply(Refused(leak, None, "server_error", 500, "server_error"))
    refused = FAILURES[name]
    if options.get("body") == "html":
        return Reply(refused.status, _HTML, "text/html", _retry_headers(options))
    if options.get("body") == "empty":
        return Reply(refused.status, b"", "text/plain", _retry_headers(options))
    if options.get("code") == "insufficient_quota":
        refused = Refused(_QUOTA, None, "insufficient_quota", 429, "insufficient_quota")
    return refusal_reply(refused, _retry_headers(options))


def _retry_headers(options: Mapping[str, str]) -> dict[str, str]:
    headers = {}
    if "retry_after" in options:
        headers["retry-after"] = options["retry_after"]
    if "retry_after_ms" in options:
        headers["retry-after-ms"] = options["retry_after_ms"]
    if "retry_after_date" in options:
        then = time.time() + float(options["retry_after_date"])
        headers["retry-after"] = formatdate(then, usegmt=True)
    return headers


def html_reply() -> Reply:
    """Answer with a web page, as a captive portal would."""
    return Reply(200, _HTML, "text/html; charset=utf-8")

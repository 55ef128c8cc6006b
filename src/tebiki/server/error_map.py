"""The one place where an exception becomes an error on the wire.

Each tool family has its own codes and words; a bug becomes a short incident id that is also in the
log, with the traceback. Never on the wire: a bug's own text, a path of the host, a key.
"""

from __future__ import annotations

import math
import os
from functools import partial
from typing import TYPE_CHECKING, Any

from tebiki.errors import (
    AuthRejected,
    ConfigError,
    Conflict,
    Forbidden,
    InvalidArguments,
    InvalidParams,
    InvalidPath,
    InvalidRequest,
    InvalidScope,
    MethodNotFound,
    MissingKey,
    NeedsNarrowScope,
    NotFound,
    OutOfScope,
    OverBudget,
    ParseError,
    PrivateText,
    ProtocolError,
    RateLimited,
    TebikiError,
    TooManyCalls,
    UnknownTool,
    UnsupportedVersion,
    UpstreamError,
)
from tebiki.named_tuples import NamedTuple
from tebiki.protocol import codes
from tebiki.protocol.messages import compact

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tebiki.observability.logs import Log

LONGEST_DEBUG_MESSAGE = 400
"""Characters of an upstream message in a debug answer; the log has the rest."""

UNKNOWN = "-"


class WireError(NamedTuple):
    """A failure as the client will read it."""

    code: int
    message: str
    data: dict[str, Any] | None = None


Outcome = dict[str, Any] | WireError
"""What goes back: a result (which may be marked as an error), or an error of the protocol."""

PROTOCOL_CODES: dict[type[ProtocolError], int] = {
    ParseError: codes.PARSE_ERROR,
    InvalidRequest: codes.INVALID_REQUEST,
    MethodNotFound: codes.METHOD_NOT_FOUND,
    InvalidParams: codes.INVALID_PARAMS,
    UnsupportedVersion: codes.UNSUPPORTED_PROTOCOL_VERSION,
}


class ErrorMap:
    """Translates failures; knows whether a debug answer was asked for."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def guard(self, step: Callable[[], None]) -> Outcome | None:
        """Do a step; whatever it raises comes back as a wire error."""
        try:
            step()
        except Exception as failure:  # noqa: BLE001  (the boundary: nothing may end the server)
            return self.translate(failure)
        return None

    async def guard_call(self, call: Awaitable[Outcome], family: str | None = None) -> Outcome:
        """Await a tool's result; whatever is raised instead comes back in its family's words."""
        try:
            return await call
        except Exception as failure:  # noqa: BLE001  (the boundary: nothing may end the server)
            return self.translate(failure, family)

    def guard_work(self, work: Callable[[], Outcome], family: str) -> Outcome:
        """Do a tool's work in this thread; whatever it raises comes back in its family's words.

        Whatever: a panic of native code is no `Exception`, and its client waits as well.
        """
        try:
            return work()
        except BaseException as failure:  # noqa: BLE001  (the boundary: no call stays unanswered)
            return self.translate(failure, family)

    def translate(self, failure: BaseException, family: str | None = None) -> Outcome:
        """Find what a client reads for an exception: an error, or a result that is one."""
        if isinstance(failure, ProtocolError):
            return self.protocol_error(failure)
        if isinstance(failure, UnknownTool):
            return WireError(codes.METHOD_NOT_FOUND, "Unknown tool")
        if isinstance(failure, TebikiError) and family in FAMILIES:
            return FAMILIES[family](failure, self._log)
        return self._incident(failure, family)

    def protocol_error(self, failure: ProtocolError) -> WireError:
        """Word what the peer did wrong."""
        data = None
        if isinstance(failure, UnsupportedVersion):
            requested = self._log.clean(failure.requested)
            data = {"supported": list(failure.supported), "requested": requested}
        return WireError(PROTOCOL_CODES[type(failure)], self._log.clean(str(failure)), data)

    def _incident(self, failure: BaseException, family: str | None) -> WireError:
        import traceback  # only when something is wrong

        incident = os.urandom(4).hex()
        trace = "".join(traceback.format_exception(failure))
        self._log.error(f"incident {incident}\n{trace}")
        if family == "search":
            details = f"An unexpected error occurred (incident {incident}; see the server's stderr)"
            return WireError(codes.INTERNAL_ERROR, "Internal Error", {"details": details})
        return WireError(
            codes.INTERNAL_ERROR, f"Internal error (incident {incident}; see the server's stderr)"
        )


def answers_error(failure: TebikiError, log: Log) -> WireError:
    """Word a failure of the answer tools."""
    if isinstance(failure, InvalidArguments):
        reason = {"reason": log.clean(str(failure))}
        return WireError(codes.ANSWER_FAILED, "answer: invalid arguments", reason)
    message = log.clean(str(failure))
    data: dict[str, Any] = {"message": message}
    if log.debugging:
        data = {"message": message[:LONGEST_DEBUG_MESSAGE], **_debug_details(failure, log)}
    return WireError(codes.ANSWER_FAILED, "answer failed", data)


def _debug_details(failure: TebikiError, log: Log) -> dict[str, Any]:
    if not isinstance(failure, UpstreamError):
        return {"status": UNKNOWN, "type": UNKNOWN, "name": type(failure).__name__}
    code = log.clean(failure.code or UNKNOWN)
    return {
        "status": failure.status if failure.status is not None else code,
        "type": log.clean(failure.kind or UNKNOWN),
        "name": failure.name,
    }


def search_error(failure: TebikiError, log: Log) -> WireError:
    """Word a failure of the search tool."""
    data: dict[str, Any] = {"details": log.clean(str(failure))}
    if isinstance(failure, InvalidArguments):
        return WireError(codes.INVALID_PARAMS, "Invalid params", data)
    if isinstance(failure, (AuthRejected, MissingKey)):
        return WireError(codes.SEARCH_UNAUTHORIZED, "Authentication Error", data)
    if isinstance(failure, OverBudget):
        # Rounded up: a client that comes back after so many seconds is let in.
        data["retryAfter"] = math.ceil(failure.retry_after_seconds)
        return WireError(codes.SEARCH_RATE_LIMITED, "Rate Limit Exceeded", data)
    if isinstance(failure, RateLimited):
        if failure.retry_after_seconds is not None:
            data["retryAfter"] = failure.retry_after_seconds
        return WireError(codes.SEARCH_RATE_LIMITED, "Rate Limit Exceeded", data)
    return WireError(codes.SEARCH_FAILED, "Search Error", data)


def file_failure(failure: TebikiError, log: Log) -> dict[str, Any]:
    """Word a failure of the file tools: a result the model can read and correct itself by."""
    content: dict[str, Any] = {"code": _file_code(failure), "message": log.clean(str(failure))}
    if failure.details:
        content["details"] = _clean(failure.details, log)
    return {
        "content": [{"type": "text", "text": compact(content)}],
        "structuredContent": content,
        "isError": True,
    }


def page_failure(failure: TebikiError, log: Log) -> dict[str, Any]:
    """Word a failure for a person at the page."""
    found = next((code for kind, code in PAGE_CODES.items() if isinstance(failure, kind)), None)
    content: dict[str, Any] = {"code": found or _file_code(failure)}
    content["message"] = log.clean(str(failure))
    if isinstance(failure, OverBudget):
        content["retry_after"] = math.ceil(failure.retry_after_seconds)
    return {"structuredContent": content, "isError": True}


def resource_error(failure: TebikiError, log: Log, not_found: int) -> WireError:
    """Word a failure of what is read, picked or completed; each era has its own code."""
    reason = log.clean(str(failure))
    if isinstance(failure, TooManyCalls):
        return WireError(codes.SERVER_BUSY, reason)
    if isinstance(failure, NotFound):
        details = _clean(failure.details or {}, log)
        return WireError(not_found, "Resource not found", {**details, "reason": reason})
    return WireError(codes.INVALID_PARAMS, reason, {"code": _file_code(failure)})


def _clean(value: Any, log: Log) -> Any:
    """The same value, every text in it scrubbed: details repeat what a caller wrote."""
    if isinstance(value, str):
        return log.clean(value)
    if isinstance(value, dict):
        return {key: _clean(inner, log) for key, inner in value.items()}
    return [_clean(inner, log) for inner in value] if isinstance(value, list) else value


def _file_code(failure: TebikiError) -> str:
    for kind, code in FILE_CODES.items():
        if isinstance(failure, kind):
            return code
    return "conflict"


FILE_CODES: dict[type[TebikiError], str] = {
    InvalidArguments: "invalid_parameter",
    InvalidPath: "invalid_path",
    OutOfScope: "out_of_scope",
    NotFound: "not_found",
    NeedsNarrowScope: "needs_narrow_scope",
    InvalidScope: "invalid_scope",
    Forbidden: "forbidden",
    Conflict: "conflict",
    TooManyCalls: "conflict",
}

PAGE_CODES: dict[type[TebikiError], str] = {
    TooManyCalls: "rate_limited",
    PrivateText: "private_text",
    OverBudget: "over_budget",
    ConfigError: "not_configured",
    UpstreamError: "upstream",
}
"""What the page has words for besides those of files."""

FAMILIES: dict[str, Callable[[TebikiError, Log], Outcome]] = {
    "answers": answers_error,
    "search": search_error,
    "files": file_failure,
    "page": page_failure,
    "resources": partial(resource_error, not_found=codes.INVALID_PARAMS),
    "older resources": partial(resource_error, not_found=codes.RESOURCE_NOT_FOUND),
}

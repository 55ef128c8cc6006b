"""JSON-RPC 2.0 messages: text to values and values to text.

What a peer sends is hostile until `read` has sorted it into one of three kinds.
"""

from __future__ import annotations

import json
from typing import Any

from tebiki.errors import InvalidRequest, ParseError
from tebiki.named_tuples import NamedTuple
from tebiki.values.numerals import LONGEST_INTEGER

RequestId = str | int


class Request(NamedTuple):
    """A message that wants an answer."""

    id: RequestId
    method: str
    params: Any


class Notification(NamedTuple):
    """A message that gets none."""

    method: str
    params: Any


class Response(NamedTuple):
    """An answer to something we never asked; it is ignored."""


Incoming = Request | Notification | Response


def read(body: bytes) -> Incoming:
    """Sort one message.

    Raises:
        ParseError: the bytes are not UTF-8 or not JSON.
        InvalidRequest: the JSON is no request.
    """
    message = _parse(body)
    if not isinstance(message, dict):
        raise InvalidRequest("Invalid Request: a message must be one JSON object")
    return _classify(message)


def _parse(body: bytes) -> Any:
    try:
        return _DECODER.decode(body.decode("utf-8"))
    except (ValueError, RecursionError) as broken:
        raise ParseError("Parse error: the message is not valid JSON") from broken


def _integer(digits: str) -> int | float:
    """A whole number. An absurdly long one is legal; as a float it is refused as an integer."""
    return int(digits) if len(digits) <= LONGEST_INTEGER else float(digits)


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_int=_integer, parse_constant=_constant)


def _classify(message: dict[str, Any]) -> Incoming:
    has_id = "id" in message
    request_id = message.get("id")
    if has_id and (isinstance(request_id, bool) or not isinstance(request_id, (str, int))):
        if "method" not in message and ("result" in message or "error" in message):
            return Response()
        raise InvalidRequest("Invalid Request: id must be a string or an integer")
    if message.get("jsonrpc") != "2.0":
        raise InvalidRequest('Invalid Request: jsonrpc must be "2.0"', request_id)
    if "method" not in message:
        if has_id and ("result" in message or "error" in message):
            return Response()
        raise InvalidRequest("Invalid Request: method is missing", request_id)
    method = message["method"]
    if not isinstance(method, str):
        raise InvalidRequest("Invalid Request: method must be a string", request_id)
    params = message.get("params")
    return (
        Request(request_id, method, params)
        if request_id is not None
        else Notification(method, params)
    )


class Prepared(NamedTuple):
    """A result that was written as JSON before: one that is always the same is written once."""

    data: bytes


def prepare(value: dict[str, Any]) -> Prepared:
    """Write a result that many answers will have."""
    return Prepared(compact(value).encode("utf-8", "backslashreplace"))


def result(request_id: RequestId, value: dict[str, Any] | Prepared) -> dict[str, Any]:
    """Make a successful answer."""
    return {"jsonrpc": "2.0", "id": request_id, "result": value}


def error(
    request_id: RequestId | None, code: int, message: str, data: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Make a failed answer; `data` is left out, not null, when there is none."""
    detail: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        detail["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": detail}


def notification(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Make a message that wants no answer."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def compact(value: Any) -> str:
    """Write JSON without blanks and with non-ASCII characters as they are."""
    return _ENCODER.encode(value)


def encode(message: dict[str, Any]) -> bytes:
    """Write a message as UTF-8.

    A lone surrogate is legal in a JSON string and impossible in UTF-8; it leaves as the escape
    it came as, which `backslashreplace` happens to spell exactly like JSON.
    """
    prepared = message.get("result")
    if isinstance(prepared, Prepared):
        head = compact({"jsonrpc": "2.0", "id": message["id"]}).encode("utf-8", "backslashreplace")
        return b'%b,"result":%b}' % (head[:-1], prepared.data)
    return compact(message).encode("utf-8", "backslashreplace")


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)

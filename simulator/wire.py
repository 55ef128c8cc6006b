"""HTTP/1.1 on bytes: requests out of a buffer, replies and chunked streams into one.

Nothing here opens a socket or knows about the API.
"""

import json
from dataclasses import dataclass, field
from email.utils import formatdate
from http import HTTPStatus
from typing import Any

_LONGEST_HEAD = 64 * 1024
_LONGEST_BODY = 64 * 1024 * 1024
_OVERLOADED = 529  # not registered, so http.HTTPStatus does not know it


class BadWire(Exception):
    """The bytes are no HTTP/1.1 request that can be answered."""


@dataclass(frozen=True, slots=True)
class Request:
    """A whole HTTP request; header names are in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    keep_alive: bool


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole HTTP reply."""

    status: int
    body: bytes
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


def to_json(value: Any) -> bytes:
    """Write a value as JSON; a lone surrogate becomes the escape that JSON has for it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def take_request(buffer: bytearray) -> Request | None:
    """Cut the first whole request off the buffer, or return None when there is none yet."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        if len(buffer) > _LONGEST_HEAD:
            raise BadWire("request head too long")
        return None
    method, target, version, headers = _read_head(bytes(buffer[:end]))
    found = _read_body(buffer, end + 4, headers)
    if found is None:
        return None
    body, after = found
    del buffer[:after]
    wish = headers.get("connection", "").lower()
    keep_alive = "close" not in wish and (version == "HTTP/1.1" or "keep-alive" in wish)
    return Request(method, target, headers, body, keep_alive)


def wants_continue(buffer: bytearray) -> bool:
    """Tell whether the client holds its body back until it is asked to go on."""
    end = buffer.find(b"\r\n\r\n")
    return end >= 0 and b"100-continue" in buffer[:end].lower()


def _read_head(head: bytes) -> tuple[str, str, str, dict[str, str]]:
    first, *rest = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):  # noqa: PLR2004  method, target, version
        raise BadWire("malformed request line")
    headers = {}
    for line in rest:
        name, colon, value = line.partition(":")
        if not colon:
            raise BadWire("malformed header line")
        headers[name.strip().lower()] = value.strip()
    return words[0], words[1], words[2], headers


def _read_body(buffer: bytearray, start: int, headers: dict[str, str]) -> tuple[bytes, int] | None:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return _read_chunks(buffer, start)
    declared = headers.get("content-length", "0")
    if not declared.isascii() or not declared.isdigit() or int(declared) > _LONGEST_BODY:
        raise BadWire("unusable content-length")
    after = start + int(declared)
    return (bytes(buffer[start:after]), after) if len(buffer) >= after else None


def _read_chunks(buffer: bytearray, start: int) -> tuple[bytes, int] | None:
    body = bytearray()
    while (line_end := buffer.find(b"\r\n", start)) >= 0:
        try:
            size = int(buffer[start:line_end].split(b";")[0], 16)
        except ValueError:
            raise BadWire("malformed chunk size") from None
        if size < 0 or len(body) + size > _LONGEST_BODY:
            raise BadWire("unusable chunk size")
        data, after = line_end + 2, line_end + 4 + size
        if len(buffer) < after:
            return None
        if size == 0:
            return bytes(body), after
        body += buffer[data : data + size]
        start = after
    return None


def reply_bytes(reply: Reply, request_id: str, *, keep_alive: bool) -> bytes:
    """Write a reply whose length is known."""
    sized = reply.headers | {"content-length": str(len(reply.body))}
    return _head(reply.status, reply.content_type, sized, request_id, keep_alive) + reply.body


def stream_head(
    request_id: str, *, keep_alive: bool, content_type: str = "text/event-stream; charset=utf-8"
) -> bytes:
    """Write the head of a reply that then comes in chunks, usually an event stream."""
    framing = {"cache-control": "no-store", "transfer-encoding": "chunked"}
    return _head(200, content_type, framing, request_id, keep_alive)


def chunk(data: bytes) -> bytes:
    """Frame one chunk; an empty one ends the stream."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def _head(
    status: int, content_type: str, headers: dict[str, str], request_id: str, keep_alive: bool
) -> bytes:
    phrase = "Site Is Overloaded" if status == _OVERLOADED else HTTPStatus(status).phrase
    lines = [
        f"HTTP/1.1 {status} {phrase}",
        f"date: {formatdate(usegmt=True)}",
        f"content-type: {content_type}",
        f"connection: {'keep-alive' if keep_alive else 'close'}",
        "openai-version: 2020-10-01",
        "openai-processing-ms: 42",
        f"x-request-id: {request_id}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

"""Framing on the real process: dialects, bad input, the first message and the last."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.server_process import framed, line
from tests.support.talk import encoded

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.interaction.conftest import StartStdio

PING = {"jsonrpc": "2.0", "id": "after", "method": "ping"}
PONG = {"jsonrpc": "2.0", "id": "after", "result": {}}


def wrapped(message: object, dialect: str) -> bytes:
    """A message in either dialect."""
    return line(message) if dialect == "line" else framed(message)


@pytest.mark.requirement("wire:framing:answers-follow-the-client", "wire:framing:framed-answer")
def test_a_framed_client_is_answered_in_frames(start_stdio: StartStdio) -> None:
    """Framed until a line message has been received; nothing follows the body."""
    server = start_stdio(dialect="framed")

    server.ask(1, "ping")
    server.finish()

    body = b'{"jsonrpc":"2.0","id":1,"result":{}}'
    assert bytes(server.raw) == b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@pytest.mark.requirement(
    "wire:framing:answers-follow-the-client",
    "wire:framing:line-answer",
    "wire:framing:compact-json",
    "wire:methods:ping",
)
def test_a_line_client_is_answered_in_lines(start_stdio: StartStdio) -> None:
    """A line answer is compact JSON and one newline."""
    server = start_stdio()

    server.ask(1, "ping")
    server.finish()

    assert bytes(server.raw) == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'


@pytest.mark.requirement(
    "wire:framing:dialect-by-first-byte", "wire:framing:answers-follow-the-client"
)
def test_lines_stay_once_spoken(start_stdio: StartStdio) -> None:
    """After one line message every answer is a line, also to frames."""
    server = start_stdio()

    server.send_bytes(framed({"jsonrpc": "2.0", "id": 1, "method": "ping"}))
    server.answer_to(1)
    server.send_bytes(line({"jsonrpc": "2.0", "id": 2, "method": "ping"}))
    server.answer_to(2)
    server.send_bytes(framed({"jsonrpc": "2.0", "id": 3, "method": "ping"}))
    server.answer_to(3)
    server.finish()

    assert server.raw.count(b"Content-Length") == 1
    assert server.raw.endswith(b'{"jsonrpc":"2.0","id":3,"result":{}}\n')


@pytest.mark.requirement("wire:framing:line-mode")
def test_line_mode_can_be_forced(start_stdio: StartStdio) -> None:
    """MCP_LINE_MODE=1 answers in lines from the start."""
    server = start_stdio(dialect="framed", env={"MCP_LINE_MODE": "1"})

    server.ask(1, "ping")
    server.finish()

    assert bytes(server.raw) == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'


@pytest.mark.requirement(
    "wire:framing:header-block", "wire:framing:framed-answer", "wire:framing:compact-json"
)
def test_length_counts_bytes_not_characters(start_stdio: StartStdio) -> None:
    """Non-ASCII text leaves as it is and is counted in UTF-8 bytes."""
    server = start_stdio(dialect="framed")

    answer = server.ask("質問", "ping")
    server.finish()

    assert answer["id"] == "質問"
    assert "質問".encode() in bytes(server.raw)


@pytest.mark.requirement(
    "wire:framing:byte-order-mark", "wire:framing:header-block", "wire:framing:header-names"
)
@pytest.mark.parametrize(
    "head",
    [
        b"content-length: %d\r\n\r\n",
        b"CONTENT-LENGTH:%d\r\n\r\n",
        b"Content-Length: %d\n\n",
        b"Content-Type: application/json; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n",
        b"\r\n\r\nContent-Length: %d\r\n\r\n",
        b"\xef\xbb\xbfContent-Length: %d\r\n\r\n",
    ],
)
def test_header_blocks_may_vary(start_stdio: StartStdio, head: bytes) -> None:
    """Names in any case, bare LF, other headers and one BOM are all fine."""
    body = json.dumps(PING).encode()
    server = start_stdio()

    server.send_bytes(head % len(body) + body)

    assert server.next_message() == PONG


BAD_INPUT = {
    "no JSON after a brace": (b"{nonsense\n", -32700),
    "no JSON in a frame": (framed(b"nonsense"), -32700),
    "empty frame": (framed(b""), -32700),
    "an absurd length": (b"Content-Length: 9999999999999999999999\r\n\r\n", -32600),
    "a length of thousands of digits": (b"{}Content-Length: %b\r\n\r\n" % (b"9" * 5000), -32600),
    "not UTF-8": (framed(b'"\xff\xfe"'), -32700),
    "NaN": (line(b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}'), -32700),
    "too deep": (line(b"[" * 100_000), -32700),
    "a batch": (line([PING]), -32600),
    "a number": (framed(b"12"), -32600),
    "null": (framed(b"null"), -32600),
    "an empty object": (line({}), -32600),
    "no method": (line({"jsonrpc": "2.0", "id": None}), -32600),
    "wrong version": (line({"jsonrpc": "1.0", "method": "ping"}), -32600),
    "id null": (line({"jsonrpc": "2.0", "id": None, "method": "ping"}), -32600),
    "id float": (line({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}), -32600),
    "id boolean": (line({"jsonrpc": "2.0", "id": True, "method": "ping"}), -32600),
    "id object": (line({"jsonrpc": "2.0", "id": {}, "method": "ping"}), -32600),
    "method number": (line({"jsonrpc": "2.0", "method": 5}), -32600),
}


@pytest.mark.requirement(
    "wire:framing:dialect-by-first-byte",
    "wire:bad-input:next-message-served",
    "wire:bad-input:not-json",
    "wire:bad-input:no-request",
    "wire:ids:neither",
)
@pytest.mark.parametrize("next_dialect", ["line", "framed"])
@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_answered_and_the_next_message_served(
    start_stdio: StartStdio, case: str, next_dialect: str
) -> None:
    """One error with id null, then business as usual, all in one chunk."""
    bad, code = BAD_INPUT[case]
    server = start_stdio()

    server.send_bytes(bad + wrapped(PING, next_dialect))
    error, pong = server.next_message(), server.next_message()

    assert (error["id"], error["error"]["code"]) == (None, code)
    assert pong == PONG
    assert server.finish() == []


UNANSWERABLE = {
    "an empty line": b"\n",
    "blank lines": b"  \r\n\t\n",
    "a line of words": b"hello there\n",
    "a line of words and an indent": b"hello there\n \t ",
    "an HTTP greeting": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "no length": b"Content-Type: application/json\r\n\r\n",
    "a length of words": b"Content-Length: ten\r\n\r\n",
    "a negative length": b"Content-Length: -5\r\n\r\n",
    "a signed length": b"Content-Length: +5\r\n\r\n",
    "an endless length": b"Content-Length: %b\r\n\r\n" % (b"9" * 5000),
    "a notification": line({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    "an unknown notification": line({"jsonrpc": "2.0", "method": "notifications/x", "params": 5}),
    "a call as a notification": line({"jsonrpc": "2.0", "method": "tools/call"}),
    "a response": line({"jsonrpc": "2.0", "id": 9, "result": {}}),
    "an error response": line({"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": ""}}),
    "a response without id": line({"jsonrpc": "2.0", "id": None, "error": {"code": 1}}),
}


@pytest.mark.requirement(
    "wire:bad-input:next-message-served",
    "wire:bad-input:no-length",
    "wire:bad-input:blank-lines",
    "wire:methods:notifications",
    "wire:methods:responses-ignored",
)
@pytest.mark.parametrize("next_dialect", ["line", "framed"])
@pytest.mark.parametrize("case", UNANSWERABLE)
def test_noise_is_passed_over_and_the_next_message_served(
    start_stdio: StartStdio, case: str, next_dialect: str
) -> None:
    """What cannot be answered costs nothing."""
    server = start_stdio()

    server.send_bytes(UNANSWERABLE[case] + wrapped(PING, next_dialect))

    assert server.next_message() == PONG
    assert server.finish() == []


@pytest.mark.requirement("wire:framing:header-block", "wire:bad-input:next-message-served")
def test_a_wrong_length_costs_one_message_only(start_stdio: StartStdio) -> None:
    """A frame cut short is a parse error; the frame after it is served."""
    server = start_stdio(dialect="framed")
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()

    server.send_bytes(b"Content-Length: 10\r\n\r\n" + body + framed(PING))
    error, pong = server.next_message(), server.next_message()

    assert error["error"]["code"] == -32700
    assert pong == PONG


@pytest.mark.requirement("wire:bad-input:too-long")
def test_a_message_above_the_limit_is_refused_without_being_kept(
    start_stdio: StartStdio,
) -> None:
    """-32600 for a declared length above 64 MiB; its bytes are passed over."""
    server = start_stdio(dialect="framed")
    length = 64 * 1024 * 1024 + 1
    before = server.resident_bytes()

    server.send_bytes(b"Content-Length: %d\r\n\r\n" % length)
    error = server.next_message()
    block = b"{" * (1024 * 1024)
    for _ in range(64):
        server.send_bytes(block)
    server.send_bytes(b"{" + framed(PING))

    assert server.next_message() == PONG
    assert error["error"]["code"] == -32600
    assert server.resident_bytes() - before < 16 * 1024 * 1024


@pytest.mark.requirement("wire:bad-input:lone-surrogate")
def test_a_lone_surrogate_is_answered_in_valid_utf8(start_stdio: StartStdio, dialect: str) -> None:
    """It is legal JSON, and it comes back as the escape it came as."""
    server = start_stdio(dialect=dialect)

    server.send(b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}')
    answer = server.next_message()
    server.finish()

    assert answer["id"] == "\ud800"
    bytes(server.raw).decode("utf-8")


@pytest.mark.requirement("wire:framing:last-message")
@pytest.mark.parametrize("wrapping", [line, framed])
def test_a_last_message_needs_no_newline(
    start_stdio: StartStdio, wrapping: Callable[[object], bytes]
) -> None:
    """The end of the input ends it too."""
    server = start_stdio()

    server.send_bytes(wrapping(PING).rstrip())

    assert server.finish() == [PONG]


@pytest.mark.requirement("wire:framing:stray-sign")
def test_a_stray_sign_after_a_line_does_not_make_it_a_frame(start_stdio: StartStdio) -> None:
    """Only a header after the value tells of a framed client."""
    server = start_stdio()

    server.send_bytes(encoded(PING) + b",\n")
    server.next_message()
    server.finish()

    assert bytes(server.raw) == encoded(PONG).replace(b" ", b"") + b"\n"


@pytest.mark.requirement("wire:framing:glued-values")
def test_many_values_on_one_line_are_quick(start_stdio: StartStdio) -> None:
    """A hundred thousand glued values cost one pass over the line, not one each."""
    server = start_stdio()

    server.send_bytes(b"{}" * 100_000 + b"x\n" + line(PING))

    assert server.answer_to("after") == PONG

"""Framing on the real process: dialects, bad input, ends, signals, back-pressure."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from tests.launching import clean_environment, fresh_command
from tests.overheard import PATIENCE_SECONDS
from tests.server_process import framed, line
from tests.talk import encoded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tebiki.responses.simulator import Simulator
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
    before = resident_bytes(server.process.pid)

    server.send_bytes(b"Content-Length: %d\r\n\r\n" % length)
    error = server.next_message()
    block = b"{" * (1024 * 1024)
    for _ in range(64):
        server.send_bytes(block)
    server.send_bytes(b"{" + framed(PING))

    assert server.next_message() == PONG
    assert error["error"]["code"] == -32600
    assert resident_bytes(server.process.pid) - before < 16 * 1024 * 1024


def resident_bytes(pid: int) -> int:
    """Memory a process holds; zero where the system does not tell."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096
    except FileNotFoundError:
        return 0


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


@pytest.mark.requirement("wire:stdio:pipes-that-do-not-block")
@pytest.mark.parametrize("which", ["stdin", "stdout"])
def test_pipes_that_do_not_block_are_served(tmp_path: Path, which: str) -> None:
    """Hosts written in JavaScript hand over such pipes."""
    stdin_read, stdin_write = os.pipe()
    stdout_read, stdout_write = os.pipe()
    os.set_blocking(stdin_read if which == "stdin" else stdout_write, False)
    process = subprocess.Popen(
        fresh_command("tebiki", "--stdio"),
        stdin=stdin_read,
        stdout=stdout_write,
        env=clean_environment(tmp_path),
    )
    os.close(stdin_read)
    os.close(stdout_write)

    lists = b"".join(line({"jsonrpc": "2.0", "id": n, "method": "tools/list"}) for n in range(100))
    os.write(stdin_write, lists)
    os.close(stdin_write)
    with os.fdopen(stdout_read, "rb") as answers:
        answered = len(answers.readlines())

    assert process.wait(PATIENCE_SECONDS) == 0
    assert answered == 100


@pytest.mark.requirement("wire:stdio:unread-stderr")
def test_an_unread_stderr_does_not_stop_the_server(tmp_path: Path) -> None:
    """A host that ignores our log loses log lines, not answers."""
    with subprocess.Popen(
        fresh_command("tebiki", "--stdio", "--debug"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(tmp_path),
    ) as process:
        pings = b"".join(line({"jsonrpc": "2.0", "id": n, "method": "ping"}) for n in range(2000))
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(pings)
        process.stdin.flush()
        answered = [process.stdout.readline() for _ in range(2000)]
        process.kill()

    assert json.loads(answered[-1])["id"] == 1999


@pytest.mark.requirement("wire:ending:end-of-input")
def test_end_of_input_is_no_cancellation(
    start_stdio: StartStdio, access: dict[str, str], dialect: str
) -> None:
    """Running calls finish, their answers are written, then the process exits 0."""
    server = start_stdio(dialect=dialect, env=access)

    server.begin_call(1, "answer", {"query": "simulate: slow ms=300"})
    rest = server.finish()

    assert [message["id"] for message in rest] == [1]
    assert rest[0]["result"]["structuredContent"]["used_search"] is False


@pytest.mark.requirement("wire:ending:closed-stdout")
def test_a_closed_stdout_ends_the_process_quietly(start_stdio: StartStdio) -> None:
    """The client has gone: exit 0 and not a word, though the input stays open."""
    server = start_stdio("--debug", reading=False)
    server.request(1, "ping")
    server.wait_for_stderr("send (line) bytes=")

    server.drop_output()

    assert server.process.wait(PATIENCE_SECONDS) == 0
    assert "Traceback" not in server.stderr


@pytest.mark.requirement("wire:ending:client-that-dies")
def test_a_client_that_dies_takes_its_calls_with_it(
    start_stdio: StartStdio, access: dict[str, str], simulator: Simulator
) -> None:
    """Both pipes closed during a call: the process ends and the upstream connection with it."""
    server = start_stdio(reading=False, env=access)
    server.begin_call(1, "answer", {"query": "simulate: hang"})
    simulator.wait_for_requests(1, timeout=PATIENCE_SECONDS)

    server.end_input()
    server.drop_output()

    assert server.process.wait(PATIENCE_SECONDS) == 0
    simulator.wait_for_disconnects(1, timeout=PATIENCE_SECONDS)


@pytest.mark.requirement("wire:ending:signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_without_a_traceback(
    start_stdio: StartStdio, access: dict[str, str], number: signal.Signals
) -> None:
    """Also while a call runs."""
    server = start_stdio(env=access)
    server.ask(1, "ping")
    server.begin_call(2, "answer", {"query": "simulate: hang"})

    server.process.send_signal(number)

    assert server.process.wait(PATIENCE_SECONDS) == -number
    assert server.stderr == ""


NOISY_LIBRARY = """\
import json, os
parse = json.JSONDecoder.decode
def noisy(self, text, *rest):
    print("stray print", flush=True)
    os.write(1, b"stray write\\n")
    return parse(self, text, *rest)
json.JSONDecoder.decode = noisy
"""


@pytest.mark.requirement("wire:stdio:owns-stdout")
def test_stray_prints_cannot_reach_the_wire(tmp_path: Path, start_stdio: StartStdio) -> None:
    """Descriptor 1 belongs to the wire alone: whatever a library prints goes to stderr."""
    (tmp_path / "sitecustomize.py").write_text(NOISY_LIBRARY, encoding="utf-8")
    server = start_stdio(env={"PYTHONPATH": str(tmp_path)})

    answer = server.ask(1, "ping")
    server.finish()

    assert answer == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert bytes(server.raw) == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
    assert "stray print" in server.stderr
    assert "stray write" in server.stderr


@pytest.mark.requirement("wire:stdio:one-large-answer")
def test_one_large_answer_does_not_stop_the_reading(
    start_stdio: StartStdio, access: dict[str, str]
) -> None:
    """While 4 MB wait for a client that does not read, its other messages are still taken."""
    server = start_stdio("--debug", reading=False, env=access)

    server.begin_call("large", "answer", {"query": "simulate: large mb=4"})
    server.wait_for_stderr("send (line) bytes=")
    for number in range(100):
        server.request(number, "ping")
    server.wait_for_stderr("recv method=ping", count=100)
    server.start_reading()

    assert len(server.answer_to("large")["result"]["structuredContent"]["answer"]) > 4_000_000
    assert all(server.answer_to(number)["result"] == {} for number in range(100))


@pytest.mark.requirement("wire:stdio:back-pressure")
def test_a_client_that_never_reads_is_not_read_from_for_ever(start_stdio: StartStdio) -> None:
    """What waits is bounded: the reading stops, and goes on once the client reads."""
    server = start_stdio("--debug", reading=False, fresh=True)
    requests = b"".join(
        line({"jsonrpc": "2.0", "id": number, "method": "tools/list"}) for number in range(6000)
    )

    sender = threading.Thread(target=server.send_bytes, args=(requests,), daemon=True)
    sender.start()
    server.wait_for_stderr("recv method=tools/list", count=1000)
    before = resident_bytes(server.process.pid)
    server.start_reading()
    last = server.answer_to(5999)
    sender.join(PATIENCE_SECONDS)

    assert "tools" in last["result"]
    assert before < 64 * 1024 * 1024

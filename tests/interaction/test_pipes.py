"""The pipes of the real process: what they carry, how much waits in them, how they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from tests.support.launching import clean_environment, fresh_command
from tests.support.overheard import PATIENCE_SECONDS
from tests.support.server_process import line

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator
    from tests.interaction.conftest import StartStdio


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
    before = server.resident_bytes()
    server.start_reading()
    last = server.answer_to(5999)
    sender.join(PATIENCE_SECONDS)

    assert "tools" in last["result"]
    assert before < 64 * 1024 * 1024

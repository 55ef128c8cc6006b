"""Storms: mutated sessions and random bytes, sent to running servers over stdio and HTTP.

A server stands a storm if it answers what is right in the midst of it, once each, if every answer
is an answer, and if nothing that was sent was a bug to it.
"""

from __future__ import annotations

import http.client
import queue
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from simulator import Simulator
from tests.soak import messages
from tests.soak.outcome import Outcome
from tests.soak.stage import environment, furnished
from tests.support.http_process import ACCEPT, HttpProcess
from tests.support.overheard import PATIENCE_SECONDS
from tests.support.server_process import ServerProcess

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

BATCH = 100
INTERNAL_ERROR = -32603
PATHS = ["/mcp", "/mcp", "/mcp", "/mcp/", "/healthz", "/", "/nope", "/mcp?x=1"]
METHODS = ["POST"] * 8 + ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"]
ODD_HEADERS = {
    "Content-Type": ["text/plain", "application/json; charset=utf-16", "", "application/xml"],
    "Accept": ["text/html", "", "*/*"],
    "MCP-Protocol-Version": ["2026-07-28", "1900-01-01", "x" * 300],
    "Mcp-Session-Id": ["nope", "\xff", "a" * 4000],
    "Mcp-Method": ["tools/list", "nope"],
    "Origin": ["http://evil.example", "null"],
    "Authorization": ["Bearer x", "Basic eA==", "Bearer"],
    "Content-Encoding": ["gzip"],
    "Last-Event-ID": ["7"],
}


def stdio_storm(home: Path, chance: random.Random, go_on: Callable[[int], bool]) -> Outcome:
    """Batches of mutated messages, each followed by whole ones that must be answered."""
    outcome = Outcome("stdio")
    with Simulator() as simulator:
        env = environment(furnished(home), simulator.base_url)
        with ServerProcess(home, face="tebiki", env=env) as server:
            number = 0
            while go_on(outcome.done["messages"]):
                number += 1
                batch = [messages.mutated(chance, f"m{number}.{n}") for n in range(BATCH)]
                server.send_bytes(b"".join(batch) + messages.flush())
                outcome.done["messages"] += BATCH
                _expect_whole(server, chance, number, outcome)
                server.raw.clear()
            for message in server.finish():
                _judge(message, outcome)
        _judge_log(server.stderr, outcome)
    return outcome


def _expect_whole(
    server: ServerProcess, chance: random.Random, number: int, outcome: Outcome
) -> None:
    waiting = {f"w{number}.{n}" for n in range(3)}
    for identifier in sorted(waiting):
        message = messages.whole(chance, identifier)
        while "id" not in message:
            message = messages.whole(chance, identifier)
        server.send(message)
        outcome.done["messages"] += 1
    answered: set[str] = set()
    while waiting - answered:
        try:
            message = server.next_message()
        except queue.Empty:
            outcome.expect(False, f"no answer to {waiting - answered} after batch {number}")
            return
        _judge(message, outcome)
        if message.get("id") in waiting:
            outcome.expect(message["id"] not in answered, f"{message['id']} was answered twice")
            answered.add(message["id"])


def _judge(message: dict[str, Any], outcome: Outcome) -> None:
    if "method" in message:
        outcome.done["notifications heard"] += 1
        return
    outcome.done["answers"] += 1
    is_answer = message.get("jsonrpc") == "2.0" and ("result" in message) != ("error" in message)
    outcome.expect(is_answer and "id" in message, f"no answer: {message}")
    code = message.get("error", {}).get("code")
    outcome.expect(code != INTERNAL_ERROR, f"a bug on the wire: {message}")


def _judge_log(stderr: str, outcome: Outcome) -> None:
    bugs = [line for line in stderr.splitlines() if "incident" in line or "Traceback" in line]
    outcome.expect(not bugs, f"bugs in the log: {bugs[:3]}")


def http_storm(home: Path, chance: random.Random, go_on: Callable[[int], bool]) -> Outcome:
    """Mutated bodies, odd headers and raw bytes; a health check and a call after each batch."""
    outcome = Outcome("http")
    with Simulator() as simulator:
        env = environment(furnished(home), simulator.base_url, TEBIKI_HTTP_CALLS_PER_MINUTE="0")
        with HttpProcess(home, env=env) as server:
            talk = server.talk()
            number = 0
            while go_on(outcome.done["messages"]):
                number += 1
                for place in range(BATCH):
                    session = talk.session if chance.random() < 0.7 else None
                    _send_one(server, chance, f"h{number}.{place}", session, outcome)
                    outcome.done["messages"] += 1
                answer = talk.call(f"w{number}", "vault_ls", {})
                outcome.expect("result" in answer, f"after batch {number}: {answer}")
            outcome.expect(server.stop() == 0, f"exit code {server.process.returncode}")
        _judge_log(server.stderr, outcome)
    return outcome


def _send_one(
    server: HttpProcess,
    chance: random.Random,
    identifier: str,
    session: str | None,
    outcome: Outcome,
) -> None:
    if chance.random() < 0.1:
        _send_raw(server, chance, identifier, outcome)
        return
    body = messages.mutated(chance, identifier).rpartition(b"\r\n\r\n")[2]
    headers = {"Content-Type": "application/json", "Accept": ACCEPT}
    if session is not None:
        headers["Mcp-Session-Id"] = session
    for name in chance.sample(sorted(ODD_HEADERS), chance.choice([0, 0, 0, 1, 2])):
        headers[name] = chance.choice(ODD_HEADERS[name])
    method = chance.choice(METHODS)
    if method in {"GET", "DELETE"} and headers.get("Mcp-Session-Id") == session:
        headers.pop("Mcp-Session-Id", None)  # a stream without an end, or the end of our session
    try:
        reply = server.request(method, chance.choice(PATHS), body, headers)
    except (OSError, http.client.HTTPException) as gone:
        outcome.expect(False, f"{method} {body[:200]!r} {headers}: {gone!r}")
        return
    outcome.done[f"status {reply.status}"] += 1
    outcome.expect(reply.status < 500, f"{reply.status} for {method} {body[:200]!r} {headers}")
    with suppress(ValueError, IndexError):
        answer = reply.json
        if isinstance(answer, dict) and "jsonrpc" in answer:
            _judge(answer, outcome)


def _send_raw(
    server: HttpProcess, chance: random.Random, identifier: str, outcome: Outcome
) -> None:
    """Bytes that need not be HTTP at all, then the end of what is sent."""
    body = messages.mutated(chance, identifier)
    head = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    ways = [
        body,
        chance.randbytes(300),
        head + b"Content-Length: 900\r\n\r\n" + body,
        head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + body,
        head[: chance.randrange(len(head))],
        head + b"X: " + b"y" * 70_000 + b"\r\n\r\n",
    ]
    connection = server.connect()
    with suppress(OSError):  # it may hang up on us at any moment
        connection.connect()
        sock = connection.sock
        sock.settimeout(PATIENCE_SECONDS)
        sock.sendall(chance.choice(ways))
        sock.shutdown(1)
        while sock.recv(65_536):
            pass
    connection.close()
    outcome.done["raw connections"] += 1

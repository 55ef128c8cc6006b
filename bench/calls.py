"""Calls to `answer` through a pipe, a fixed number of them in flight, each one timed.

Time is taken when a line is written and when it has been read, before it is parsed.
"""

from __future__ import annotations

import itertools
import json
import time
from typing import TYPE_CHECKING, Any

from bench.processes import line_of, server
from simulator import Simulator

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.processes import Piped

QUERY = "HTTP 404 の意味"
"""The simulator answers this without a search."""

_NUMBERS = itertools.count(1)


class CallFailed(Exception):
    """The measured side answered with an error; its figures would mean nothing."""


def tool_call(number: int) -> bytes:
    """One `tools/call` of `answer`, as the server reads it."""
    params = {"name": "answer", "arguments": {"query": QUERY}}
    return line_of({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


def script_call(number: int) -> bytes:
    """One call, as the plain script reads it."""
    return line_of({"id": number})


def timed_calls(
    process: Piped, count: int, at_once: int, make: Callable[[int], bytes] = tool_call
) -> list[float]:
    """Run calls, the next one as soon as one is answered; each round trip in ms."""
    waiting = [(number, make(number)) for number in itertools.islice(_NUMBERS, count)]
    waiting.reverse()
    sent: dict[int | str, float] = {}
    taken: list[float] = []

    def send_next() -> None:
        number, line = waiting.pop()
        sent[number] = time.perf_counter()
        process.send(line)

    for _ in range(min(at_once, count)):
        send_next()
    while sent:
        lines = process.lines()
        now = time.perf_counter()
        for line in lines:
            taken.append((now - sent.pop(answered(line))) * 1000)
            if waiting:
                send_next()
    return taken


def answered(line: bytes) -> int | str:
    """The id of the request that a line answers.

    Raises:
        CallFailed: it answers with an error.
    """
    answer = json.loads(line)
    if "result" not in answer:
        raise CallFailed(line.decode())
    request_id: int | str = answer["id"]
    return request_id


def body_the_server_sends() -> dict[str, Any]:
    """What one call sends upstream, as a simulator in this process saw it."""
    with Simulator() as simulated, server(simulated.base_url) as process:
        timed_calls(process, 1, 1)
        body: dict[str, Any] = simulated.requests[-1].body
        return body

"""A conversation of the server with itself, in both dialects and both eras.

Through real pipes, framing, session and tools, but in a thread of this process: no command is ever
run from within this program. That a process of it can be started, whoever reads this has just seen.
"""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING, Any

from tebiki.doctor.findings import good, wrong
from tebiki.named_tuples import NamedTuple
from tebiki.protocol.eras import HANDSHAKE_VERSION, MODERN_VERSION
from tebiki.protocol.messages import encode
from tebiki.transport.framing import Decoder, Dialect, Message, frame
from tebiki.values.phrases import counted_phrase, phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.doctor.findings import Finding
    from tebiki.values.phrases import Phrase

    Serve = Callable[[int, int], None]

CHUNK = 65_536
METHODS = ("initialize", "tools/list", "server/discover")
NAMES = {
    Dialect.LINE: phrase("lines"),
    Dialect.FRAMED: phrase("frames"),
}
REPORT = phrase("report it, with the output of tebiki --debug --stdio")


class Heard(NamedTuple):
    """What came back: the results by method, and in which dialects."""

    results: dict[str, Any]
    dialects: frozenset[Dialect]


def exchanges(serve: Serve, seconds: float, *, line_mode: bool) -> Iterator[Finding]:
    """Talk to the server once in each dialect; `serve` serves one client on two descriptors."""
    for dialect, name in NAMES.items():
        heard = _converse(serve, dialect, seconds)
        if heard is None:
            yield wrong(
                "stdio",
                phrase("{name}: no answer within {n} s", name=name, n=f"{seconds:g}"),
                REPORT,
            )
            continue
        expected = Dialect.LINE if line_mode else dialect
        problem = _problem(heard, expected)
        if problem is not None:
            yield wrong("stdio", phrase("{name}: {problem}", name=name, problem=problem), REPORT)
            continue
        tools = len(heard.results["tools/list"]["tools"])
        words = phrase(
            "{name}: {old} and {new} answered, {tools}",
            name=name,
            old=HANDSHAKE_VERSION,
            new=MODERN_VERSION,
            tools=counted_phrase(tools, "{n} tool", "{n} tools"),
        )
        yield good("stdio", words, tools=tools)


def _problem(heard: Heard, expected: Dialect) -> Phrase | None:
    """What is wrong with a conversation, if anything."""
    missing = [method for method in METHODS if not heard.results.get(method)]
    if missing:
        return phrase("{methods} was not answered", methods=", ".join(missing))
    if heard.dialects != {expected}:
        return phrase("answered in another dialect")
    if heard.results["initialize"].get("protocolVersion") != HANDSHAKE_VERSION:
        return phrase("another protocol version was offered")
    if MODERN_VERSION not in heard.results["server/discover"].get("supportedVersions", ()):
        return phrase("{version} is not offered", version=MODERN_VERSION)
    return None if heard.results["tools/list"].get("tools") else phrase("no tools are listed")


def _converse(serve: Serve, dialect: Dialect, seconds: float) -> Heard | None:
    """Ask everything at once, end the input, and read to the end; None when that takes too long."""
    (server_in, to_server), (from_server, server_out) = os.pipe(), os.pipe()

    def run_server() -> None:
        try:
            serve(server_in, server_out)
        finally:
            # Served means that nothing waits to be written any more.
            os.close(server_in)
            os.close(server_out)

    taken: list[bytes] = []

    def read_all() -> None:
        while chunk := os.read(from_server, CHUNK):
            taken.append(chunk)
        os.close(from_server)

    for request_id, method in enumerate(METHODS):
        message = {"jsonrpc": "2.0", "id": request_id, "method": method}
        # Before anybody reads: a pipe takes that much, and a server that leaves cannot disturb.
        os.write(to_server, frame(encode(message), dialect))
    os.close(to_server)
    threading.Thread(target=run_server, name="self", daemon=True).start()
    reader = threading.Thread(target=read_all, name="self-reader", daemon=True)
    reader.start()
    reader.join(seconds)
    return None if reader.is_alive() else _hear(b"".join(taken))


def _hear(data: bytes) -> Heard:
    decoder = Decoder()
    events = [*decoder.feed(data), *decoder.finish()]
    answers = [event for event in events if isinstance(event, Message)]
    results = {}
    for answer in answers:
        message = json.loads(answer.body)
        results[METHODS[message["id"]]] = message.get("result")
    return Heard(results, frozenset(answer.dialect for answer in answers))

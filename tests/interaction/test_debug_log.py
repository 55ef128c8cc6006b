"""The debug log and the canary: its lines, and that no key is ever in any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.interaction.differences import expected
from tests.support.canaries import pieces
from tests.support.server_process import CANARY, PLAIN_CANARY

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interaction.conftest import Connect

TROUBLE = [
    "HTTP 404",
    "本日の天気",
    "simulate: leak",
    "simulate: 400",
    "simulate: 401",
    "simulate: 403",
    "simulate: 404",
    "simulate: 429",
    "simulate: 500",
    "simulate: malformed",
    "simulate: html",
    "simulate: dropped",
    "simulate: stream_error",
    "simulate: failed",
    "simulate: empty",
    "simulate: 401",
]


@pytest.mark.requirement("wire:stdio:sdk-log", "answers:errors:scrubbed", "config:debug:no-key")
# The SDK's own log is set up where a process loads it.
@pytest.mark.transports("line", "framed", "http")
@pytest.mark.parametrize("sdk_log", [{}, {"OPENAI_LOG": "debug"}], ids=["quiet", "debug"])
@pytest.mark.parametrize("key", [CANARY, PLAIN_CANARY])
def test_no_trace_of_the_key_anywhere(
    start: Connect, tmp_path: Path, sdk_log: dict[str, str], key: str
) -> None:
    """Stderr, the debug file and every error of a whole run, at every level."""
    log = tmp_path / "debug.log"
    env = {
        "OPENAI_API_KEY": key,
        "OPENAI_MAX_RETRIES": "1",
        "DEBUG": str(log),
        "MAX_CITATIONS": "y" * 70 + key,
        **sdk_log,
    }
    server = start(env=env)

    server.ask("i", "initialize")
    server.call("u", "nope", {"query": key})
    server.call("h", "answer", {"query": "x", "recency_days": "y" * 70 + key})
    for number, query in enumerate(TROUBLE):
        server.begin_call(number, "answer", {"query": query})
        server.begin_call(f"s{number}", "answer", {"query": query}, _meta={"progressToken": number})
    for number in range(len(TROUBLE)):
        server.answer_to(number)
        server.answer_to(f"s{number}")
    server.finish()

    written = server.stderr + log.read_text(encoding="utf-8") + server.raw.decode("utf-8")
    assert expected(server, "a late line of the debug log", "send json=") in server.stderr
    assert [piece for piece in pieces(key) if piece in written] == []


@pytest.mark.requirement("config:debug:no-key")
def test_a_key_that_the_user_types_is_not_logged(start: Connect) -> None:
    """Even as a question: the answer is the user's, the log is not."""
    server = start("--debug")

    server.call(1, "answer", {"query": f"what is {CANARY}"})
    server.finish()

    assert CANARY not in server.stderr


@pytest.mark.requirement("config:debug:lines")
@pytest.mark.transports("framed")
def test_the_lines_of_a_call(start: Connect) -> None:
    """What is promised to whoever looks for a fault."""
    server = start("--debug")

    server.call(5, "answer", {"query": "HTTP 404", "domains": []})
    server.finish()

    for text in (
        "stdin chunk=",
        "header Content-Length=",
        "message (framed) bytes=",
        "recv method=tools/call id=5",
        "tools/call name=answer argsKeys=[query, domains] queryLen=8",
        "supports={verbosity:true, reasoning:true}",
        "request summary tools=web_search(on) reasoning=on text.verbosity=on",
        "send (framed) bytes=",
        'send json={"jsonrpc":"2.0","id":5,',
    ):
        assert text in server.stderr
    assert "HTTP 404\n[Hints]" not in server.stderr


@pytest.mark.requirement("config:debug:upstream-errors")
def test_an_upstream_error_is_logged_with_its_body(start: Connect) -> None:
    """Attempt, status, name, code, message and the start of the body."""
    server = start("--debug", env={"OPENAI_MAX_RETRIES": "0"})

    server.call(1, "answer", {"query": "simulate: 400"})
    server.finish()

    logged = next(line for line in server.stderr.splitlines() if "error attempt=1" in line)
    assert "status=400 name=BadRequestError code=" in logged
    assert 'body="{' in logged
    assert len(logged.partition('body="')[2]) <= 301

"""The wire at its edges, on the real process: marks, cancelled handshakes, long messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.server_process import framed, line

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.interaction.conftest import Connect, StartStdio

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
CANCELLED = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}


@pytest.mark.requirement("wire:framing:byte-order-mark")
@pytest.mark.parametrize("wrapping", [line, framed])
def test_a_byte_order_mark_on_top_is_tolerated(
    start_stdio: StartStdio, wrapping: Callable[[object], bytes]
) -> None:
    """One, before the first message of either dialect."""
    server = start_stdio()

    server.send_bytes(BYTE_ORDER_MARK + wrapping({"jsonrpc": "2.0", "id": 1, "method": "ping"}))

    assert server.finish() == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


@pytest.mark.requirement("wire:cancel:initialize")
def test_initialize_cannot_be_cancelled(start_stdio: StartStdio) -> None:
    """Neither before nor after it, all in one chunk."""
    server = start_stdio()

    server.send_bytes(line(CANCELLED) + line(INITIALIZE) + line(CANCELLED))
    (answer,) = server.finish()

    assert answer["result"]["protocolVersion"] == "2025-06-18"


@pytest.mark.requirement("wire:cancel:types")
@pytest.mark.parametrize("wrong", [True, 1.0])
def test_only_the_very_id_is_cancelled(start: Connect, wrong: object) -> None:
    """What merely equals a number is not that request."""
    server = start()

    server.begin_call(1, "answer", {"query": "simulate: slow ms=300"})
    server.cancel(wrong)

    assert "result" in server.answer_to(1)


@pytest.mark.requirement("wire:errors:answers-debug-cut")
def test_a_long_message_is_cut_in_a_debug_answer(start: Connect) -> None:
    """At 400 characters; without debug the client gets all of it."""
    env = {"MODEL_ANSWER": f"missing-{'x' * 600}"}

    whole, cut = (
        start(*flags, env=env).call(1, "answer", {"query": "x"})["error"]["data"]["message"]
        for flags in ((), ("--debug",))
    )

    assert len(whole) > 600
    assert len(cut) <= 400
    assert cut[:300] == whole[:300]


@pytest.mark.requirement("wire:progress:words")
@pytest.mark.parametrize(
    ("scenario", "words"),
    [("searched", "searching: simulate: slow"), ("opened", "reading www.weather.example")],
)
def test_progress_names_what_is_searched_and_read(
    start: Connect, scenario: str, words: str
) -> None:
    """In the words that a person waits with."""
    server = start()

    query = f"simulate: slow ms=900 steps=3 then={scenario}"
    server.begin_call(1, "answer", {"query": query}, _meta={"progressToken": "p"})
    heard = []
    while "id" not in (message := server.next_message()):
        heard.append(message["params"]["message"])

    assert [said for said in heard if said.startswith(words)]

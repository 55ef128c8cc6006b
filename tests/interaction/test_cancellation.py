"""Cancellation and progress on the real process."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.interaction.differences import WITHOUT_HTTP
from tests.support.talk import MODERN_META

if TYPE_CHECKING:
    from simulator import Simulator
    from tests.interaction.conftest import Connect


@pytest.mark.requirement("wire:cancel:upstream-closed", "wire:cancel:no-answer")
def test_cancelling_closes_the_upstream_connection(start: Connect, simulator: Simulator) -> None:
    """Seen at the API; no answer for that id ever comes, and the next call works."""
    server = start()

    server.begin_call("c", "answer", {"query": "simulate: hang"})
    simulator.wait_for_requests(1)
    server.cancel("c")
    simulator.wait_for_disconnects(1)

    assert "result" in server.call("next", "answer", {"query": "HTTP 404"})
    assert server.finish() == []


@pytest.mark.requirement("wire:cancel:logged")
# Over HTTP it is the SDK that cancels.
@pytest.mark.transports(*WITHOUT_HTTP)
def test_a_cancellation_is_logged(start: Connect, simulator: Simulator) -> None:
    """With the client's reason."""
    server = start("--debug")

    server.begin_call("c", "answer", {"query": "simulate: hang"})
    simulator.wait_for_requests(1)
    server.cancel("c", reason="no longer needed")
    server.finish()

    assert "cancelled requestId=c reason=no longer needed" in server.stderr


@pytest.mark.requirement("wire:cancel:upstream-closed")
def test_a_streamed_call_is_cancelled_too(start: Connect, simulator: Simulator) -> None:
    """With progress the upstream connection is a stream; it is closed just the same."""
    server = start()

    server.begin_call(
        "c", "answer", {"query": "simulate: slow ms=60000"}, _meta={"progressToken": "p"}
    )
    simulator.wait_for_requests(1)
    server.cancel("c")
    simulator.wait_for_disconnects(1)

    rest = server.finish()
    assert [message for message in rest if "id" in message] == []


@pytest.mark.requirement("wire:cancel:no-retries")
def test_cancelling_stops_the_retries(start: Connect, simulator: Simulator) -> None:
    """A call that waits for its next attempt never makes it."""
    server = start("--debug")

    server.begin_call("c", "answer", {"query": "simulate: 429 retry_after=30"})
    server.wait_for_stderr("retry attempt=2")
    server.cancel("c")

    assert server.finish() == []
    assert len(simulator.requests) == 1


@pytest.mark.requirement("wire:cancel:unknown-ids")
@pytest.mark.parametrize(
    "params",
    [None, {}, [], {"requestId": None}, {"requestId": 99}, {"requestId": True}, {"requestId": {}}],
)
def test_cancelling_what_does_not_run_is_ignored(start: Connect, params: Any) -> None:
    """Unknown, finished or odd ids: no answer, no harm."""
    server = start()

    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    assert server.ask(1, "ping")["result"] == {}
    assert server.finish() == []


@pytest.mark.requirement("wire:cancel:types")
# The SDK takes them for the same.
@pytest.mark.transports(*WITHOUT_HTTP)
def test_cancel_ids_are_compared_by_type(start: Connect) -> None:
    """7 is not "7"."""
    server = start()

    server.begin_call(7, "answer", {"query": "simulate: slow ms=300"})
    server.cancel("7")

    assert "result" in server.answer_to(7)


@pytest.mark.requirement("wire:cancel:no-answer", "wire:cancel:id-used-again")
# The SDK keeps one stream for an id, until the cancelled call has ended.
@pytest.mark.transports(*WITHOUT_HTTP)
def test_a_cancelled_id_may_be_used_again(start: Connect) -> None:
    """And the late end of the first call does not answer for the second."""
    server = start()

    server.begin_call(1, "answer", {"query": "simulate: slow ms=200"})
    server.cancel(1)
    answer = server.call(1, "answer", {"query": "本日の天気"})

    assert answer["result"]["structuredContent"]["used_search"] is True
    assert server.finish() == []


@pytest.mark.requirement("wire:cancel:no-answer")
# Over HTTP each answer has a connection of its own: nobody can tell which was sent first.
@pytest.mark.transports(*WITHOUT_HTTP)
def test_a_hundred_random_moments(start: Connect) -> None:
    """Whenever the cancellation comes, either the answer was before it or there is none."""
    moments = random.Random(20261115)  # noqa: S311  (a seed, not a secret)
    server = start()
    server.call("warm", "answer", {"query": "HTTP 404"})
    timers = []

    for number in range(100):
        server.begin_call(number, "answer", {"query": "simulate: slow ms=60"})
        timers.append(threading.Timer(moments.random() * 0.12, server.cancel, [number]))
        timers[-1].start()
    for timer in timers:
        timer.join()
    server.request("after", "ping")
    heard = [server.next_message()]
    while heard[-1]["id"] != "after":
        heard.append(server.next_message())

    answered = [message["id"] for message in heard[:-1]]
    assert server.finish() == [], "an answer came after its cancellation"
    assert all("result" in message for message in heard)
    assert len(answered) == len(set(answered))


@pytest.mark.requirement("wire:progress:before-the-answer")
def test_progress_tells_what_is_going_on(start: Connect) -> None:
    """Short messages that count upwards, under the client's token, before the answer."""
    server = start()
    server.call("warm", "answer", {"query": "HTTP 404"})

    server.begin_call(
        1,
        "answer",
        {"query": "simulate: slow ms=900 steps=3 then=searched"},
        _meta={"progressToken": 0},
    )
    messages = [server.next_message()]
    while "id" not in messages[-1]:
        messages.append(server.next_message())

    *progress, answer = messages
    counts = [message["params"]["progress"] for message in progress]
    assert {message["method"] for message in progress} == {"notifications/progress"}
    assert {message["params"]["progressToken"] for message in progress} == {0}
    assert counts == sorted(set(counts))
    assert progress[0]["params"]["message"] == "asking gpt-5.2"
    assert all(len(message["params"]["message"]) <= 120 for message in progress)
    assert answer["result"]["structuredContent"]["used_search"] is True


@pytest.mark.requirement("wire:progress:before-the-answer")
def test_a_modern_call_reports_progress_too(start: Connect) -> None:
    """The token stands beside the envelope."""
    server = start()

    meta = MODERN_META | {"progressToken": "t"}
    server.begin_call(1, "answer", {"query": "HTTP 404"}, _meta=meta)

    assert server.next_message()["params"]["progressToken"] == "t"
    assert server.answer_to(1)["result"]["resultType"] == "complete"


@pytest.mark.requirement("wire:progress:no-token")
# The SDK refuses such a call.
@pytest.mark.transports(*WITHOUT_HTTP)
@pytest.mark.parametrize("token", [None, True, 1.5, [], {}])
def test_without_a_usable_token_nothing_is_sent(
    start: Connect, simulator: Simulator, token: Any
) -> None:
    """And the upstream call is not streamed."""
    server = start()

    server.call(1, "answer", {"query": "HTTP 404"}, _meta={"progressToken": token})

    assert server.finish() == []
    assert "stream" not in simulator.requests[0].body


ANSWERED = [
    *("plain", "searched", "nested", "named", "named_and_cited", "sources_only", "many", "parts"),
    *("duplicates", "refusal", "incomplete", "opened", "bare_search", "odd", "dated_sources"),
]


@pytest.mark.requirement("wire:progress:same-result", "answers:request:streamed")
def test_a_streamed_answer_is_the_same_answer(start: Connect, subtests: pytest.Subtests) -> None:
    """Progress changes nothing about the result."""
    server = start()

    for scenario in ANSWERED:
        with subtests.test(scenario):
            arguments = {"query": f"simulate: {scenario}"}
            plain = server.call(1, "answer", arguments)["result"]
            streamed = server.call(2, "answer", arguments, _meta={"progressToken": "p"})["result"]

            assert streamed["content"] == plain["content"]
            assert streamed["structuredContent"] == plain["structuredContent"]

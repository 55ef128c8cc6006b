"""A session for any JSON: every request is answered once, nothing ever ends it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tebiki.protocol.eras import Identity
from tebiki.protocol.messages import encode
from tebiki.server.background import Background
from tebiki.server.calls import Desk
from tebiki.server.enquiries import Enquiries
from tebiki.server.error_map import ErrorMap
from tebiki.server.session import Session
from tests.support.canaries import pieces
from tests.support.examples import examples
from tests.support.server_process import PLAIN_CANARY
from tests.support.strategies import json_values

METHODS = st.sampled_from(
    ["initialize", "ping", "tools/list", "server/discover", "tools/call", "x", "notifications/x"]
)
META = st.fixed_dictionaries(
    {},
    optional={
        "io.modelcontextprotocol/protocolVersion": st.sampled_from(["2026-07-28", "x"])
        | json_values,
        "io.modelcontextprotocol/clientCapabilities": st.just({}) | json_values,
        "progressToken": json_values,
    },
)
PARAMS = json_values | st.fixed_dictionaries(
    {}, optional={"_meta": META | json_values, "name": json_values, "requestId": json_values}
)
requests = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | json_values, "method": METHODS | json_values},
    optional={"id": st.integers() | st.text() | json_values, "params": PARAMS},
)


class Heard:
    """A channel that keeps what is sent."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        """Keep an answer."""
        self.messages.append(message)

    def offer(self, message: dict[str, Any]) -> None:
        """Keep what might be dropped."""
        self.messages.append(message)


def new_session(heard: Heard, secret: str | None = None) -> Session:
    """A session without tools: every call ends at the desk."""
    log = Log("test", Redactor(secret))
    errors = ErrorMap(log)
    desk = Desk([], errors, log)
    return Session(
        identity=Identity("test", "1"),
        desk=lambda: desk,
        enquiries=lambda: Enquiries((), (), errors),
        channel=heard,
        background=Background(log),
        errors=errors,
        log=log,
    )


def is_request(message: dict[str, Any]) -> bool:
    """Whether JSON-RPC wants an answer to this, under its own id."""
    request_id = message.get("id")
    return (
        message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
        and isinstance(request_id, (str, int))
        and not isinstance(request_id, bool)
    )


@pytest.mark.requirement("wire:bad-input:no-request", "wire:methods:notifications")
@examples(2000)
@given(requests | json_values)
@example({"jsonrpc": "2.0", "method": "tools/list", "id": 0})
def test_any_json_gets_at_most_one_answer(message: Any) -> None:
    """A request exactly one, with its id; a notification none; nonsense one with a code."""
    heard = Heard()

    new_session(heard).receive(json.dumps(message).encode())

    assert len(heard.messages) <= 1
    for answer in (json.loads(encode(one)) for one in heard.messages):
        assert ("result" in answer) != ("error" in answer)
        assert answer.get("error", {}).get("code") != -32603
    if isinstance(message, dict) and is_request(message):
        assert [answer["id"] for answer in heard.messages] == [message["id"]]
    if isinstance(message, dict) and message.get("jsonrpc") == "2.0" and "id" not in message:
        wanted = 0 if isinstance(message.get("method"), str) else 1
        assert len(heard.messages) == wanted


def test_a_key_in_the_place_of_a_method_is_not_repeated() -> None:
    """Nor is a part of it, where the name is cut."""
    heard = Heard()
    session = new_session(heard, secret=PLAIN_CANARY)
    method = "x" * 90 + PLAIN_CANARY

    session.receive(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode())

    assert [piece for piece in pieces(PLAIN_CANARY) if piece in str(heard.messages)] == []


@pytest.mark.requirement("wire:bad-input:next-message-served")
@examples(1000)
@given(st.binary())
def test_any_bytes_are_survived(body: bytes) -> None:
    """At most one answer, and the next message is served."""
    heard = Heard()
    session = new_session(heard)

    session.receive(body)
    answered = len(heard.messages)
    session.receive(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')

    assert answered <= 1
    assert heard.messages[-1] == {"jsonrpc": "2.0", "id": 1, "result": {}}

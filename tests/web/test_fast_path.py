"""The short way for plain requests: the same answers as the SDK's, and nothing odd goes by it."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.protocol.eras import CAPABILITIES_KEY, CLIENT_INFO_KEY, VERSION_KEY
from tebiki.web.fast_path import PING, FastPath, plain_request
from tests.support.http_process import ACCEPT
from tests.support.talk import MODERN, MODERN_META

if TYPE_CHECKING:
    from tebiki.protocol.messages import Request
    from tebiki.web.asgi import Header, Message, Receive, Scope, Send
    from tests.support.http_process import HttpProcess
    from tests.web.conftest import StartHttp

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("vault_ls", {}),
    ("vault_ls", {"no_such": 1}),
    ("vault_read", {"path": "../x", "full": True}),
    ("manual_ls", {}),
    ("answer", {"query": "本日の東京の天気"}),
    ("answer", {"query": " "}),
    ("no_such_tool", {}),
]


def message_of(**params: Any) -> dict[str, Any]:
    """A plain call, but for what is given."""
    usual = {"name": "vault_ls", "arguments": {}, "_meta": MODERN_META}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": usual | params}


def headers_of(**more: str) -> list[Header]:
    """The headers of a plain call, but for those that are given."""
    usual = {
        "content-type": "application/json",
        "accept": ACCEPT,
        "mcp-protocol-version": MODERN,
        "mcp-method": "tools/call",
        "mcp-name": "vault_ls",
    }
    named = usual | {name.replace("_", "-"): value for name, value in more.items()}
    return [(name.encode(), value.encode()) for name, value in named.items()]


def is_plain(message: Any, **headers: str) -> bool:
    """Tell whether a message goes the short way."""
    return plain_request(headers_of(**headers), json.dumps(message).encode()) is not None


def both_ways(server: HttpProcess, message: dict[str, Any]) -> list[tuple[int, Any]]:
    """What is answered to a plain request, and to the same one with a wish that is not plain."""
    params = message["params"]
    odd = {**message, "params": {**params, "_meta": {**params["_meta"], "x.example/y": 1}}}
    replies = [server.post(message), server.post(odd)]
    return [(reply.status, _without_receipt(reply.json)) for reply in replies]


def _without_receipt(answer: dict[str, Any]) -> dict[str, Any]:
    """The same, without what each call has for itself."""
    meta = answer.get("result", {}).get("_meta", {})
    for name in [name for name in meta if "serverInfo" not in name]:
        del meta[name]
    return answer


@pytest.mark.requirement("http:serving:fast-path")
@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[name for name, _ in CALLS])
def test_a_plain_call_is_answered_as_the_sdk_answers(
    start_http: StartHttp, tool: str, arguments: dict[str, Any]
) -> None:
    """The same status and the same message, a refusal too."""
    short, long = both_ways(start_http(), message_of(name=tool, arguments=arguments))

    assert short == long


@pytest.mark.requirement("http:serving:fast-path")
def test_a_plain_list_is_answered_as_the_sdk_answers(start_http: StartHttp) -> None:
    """With its hints for keeping it, each time alike."""
    server = start_http()
    message = {
        "jsonrpc": "2.0",
        "id": "a",
        "method": "tools/list",
        "params": {"_meta": MODERN_META},
    }

    (status, short), (_, long) = both_ways(server, message)

    assert status == 200
    assert short == long
    assert server.post(message).json == short
    assert len(short["result"]["tools"]) > 1


@pytest.mark.requirement("http:serving:fast-path")
def test_what_is_plain() -> None:
    """What any client sends that wants one answer and nothing beside it."""
    without_name = {key: value for key, value in MODERN_META.items() if key != CLIENT_INFO_KEY}
    listing = {
        "jsonrpc": "2.0",
        "id": "x",
        "method": "tools/list",
        "params": {"_meta": MODERN_META},
    }

    assert is_plain(message_of())
    assert is_plain(message_of(_meta=without_name))
    assert is_plain(message_of(_meta={**MODERN_META, CAPABILITIES_KEY: {"sampling": {}}}))
    assert is_plain(listing, mcp_method="tools/list")


ODD_META: list[dict[str, Any]] = [
    {VERSION_KEY: "2025-06-18"},
    {VERSION_KEY: 5},
    {CAPABILITIES_KEY: None},
    {CAPABILITIES_KEY: {"roots": 5}},
    {CAPABILITIES_KEY: {"roots": {"listChanged": "x"}}},
    {CLIENT_INFO_KEY: None},
    {CLIENT_INFO_KEY: {"name": 5, "version": "1"}},
    {CLIENT_INFO_KEY: {"name": "x", "version": "1", "icons": "none"}},
    {"progressToken": 1},
    {"traceparent": "00-1"},
]


@pytest.mark.requirement("http:serving:fast-path")
@pytest.mark.parametrize("meta", ODD_META, ids=str)
def test_odd_facts_about_a_request_are_the_sdks_to_read(meta: dict[str, Any]) -> None:
    """It refuses them, or does what they ask for."""
    assert not is_plain(message_of(_meta={**MODERN_META, **meta}))


@pytest.mark.requirement("http:serving:fast-path")
@pytest.mark.parametrize(
    "headers",
    [
        {"content_type": "text/plain"},
        {"content_type": "application/jsonp"},
        {"accept": "application/json"},
        {"accept": "*/*"},
        {"mcp_protocol_version": "2025-06-18"},
        {"mcp_method": "tools/list"},
        {"mcp_name": "vault_read"},
    ],
    ids=str,
)
def test_headers_that_say_something_else_are_the_sdks_to_judge(headers: dict[str, str]) -> None:
    """A proxy may have let the request pass by them."""
    assert not is_plain(message_of(), **headers)


@pytest.mark.requirement("http:serving:fast-path")
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["jsonrpc", "id", "method", "params", "name", "arguments", "_meta"]
                ),
                inner,
                max_size=5,
            )
        ),
    )
)
def test_nothing_else_is_plain(message: Any) -> None:
    """Whatever JSON a client sends."""
    assert not is_plain(message)


def waiting_client(answered: list[Message]) -> tuple[Receive, Send, asyncio.Event]:
    """A client that has sent its request, and may leave."""
    gone = asyncio.Event()
    body = [json.dumps(message_of()).encode()]

    async def receive() -> Message:
        if body:
            return {"type": "http.request", "body": body.pop()}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        answered.append(message)

    return receive, send, gone


async def _nobody(_scope: Scope, _receive: Receive, _send: Send) -> None:
    raise AssertionError("it was plain")


@pytest.mark.requirement("http:serving:hang-up")
def test_a_client_that_leaves_stops_its_call() -> None:
    """And is answered nothing."""
    answered: list[Message] = []
    stopped: list[str] = []

    async def run() -> None:
        receive, send, gone = waiting_client(answered)

        async def answer(_scope: Scope, _request: Request) -> tuple[int, bytes]:
            gone.set()
            try:
                await asyncio.Event().wait()
            finally:
                stopped.append("call")
            return 200, b"{}"

        await FastPath(_nobody, answer)({"method": "POST", "headers": headers_of()}, receive, send)
        await asyncio.sleep(0)

    asyncio.run(run())

    assert stopped == ["call"]
    assert answered == []


@pytest.mark.requirement("http:serving:fast-path")
def test_a_client_that_waits_long_hears_that_somebody_is_there() -> None:
    """As events then, so that no proxy between closes the connection."""
    answered: list[Message] = []

    async def run() -> None:
        receive, send, _gone = waiting_client(answered)
        pinged = asyncio.Event()

        async def hear(message: Message) -> None:
            await send(message)
            if message.get("body") == PING:
                pinged.set()

        async def answer(_scope: Scope, _request: Request) -> tuple[int, bytes]:
            await pinged.wait()
            return 200, b'{"id":1}'

        await FastPath(_nobody, answer, quiet_seconds=0)(
            {"method": "POST", "headers": headers_of()}, receive, hear
        )

    asyncio.run(run())

    start, first, *_rest, last = answered
    assert (b"content-type", b"text/event-stream") in start["headers"]
    assert first["body"] == PING
    assert last["body"] == b'event: message\r\ndata: {"id":1}\r\n\r\n'
    assert not last.get("more_body", False)

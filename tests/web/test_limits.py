"""Bounds of calls, bytes, time and connections: what is too much is refused, nothing else."""

from __future__ import annotations

import hashlib
import json
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tebiki.web.connections import BoundedConfig
from tebiki.web.settings import Bounds
from tests.support.http_process import HELLO
from tests.support.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from simulator import Simulator
    from tests.support.http_process import HttpProcess
    from tests.web.conftest import StartHttp

AS_A = {"Authorization": "Bearer a"}
HEAD = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def opened(server: HttpProcess) -> socket.socket:
    """A connection as bytes."""
    return socket.create_connection(("127.0.0.1", server.port), PATIENCE_SECONDS)


def said_until_closed(connection: socket.socket) -> bytes:
    """What the server says on a connection until it closes it."""
    said = b""
    try:
        while chunk := connection.recv(65_536):
            said += chunk
    except ConnectionResetError:
        return said
    return said


def is_alive(server: HttpProcess) -> bool:
    """Tell whether the server still serves."""
    return "tools" in server.talk(modern=True).ask(1, "tools/list")["result"]


@pytest.mark.requirement("http:limits:calls")
def test_calls_at_once_are_bounded(start_http: StartHttp, simulator: Simulator) -> None:
    """The third is told so, in its family's words; when one has ended there is room again."""
    server = start_http(config="http: {concurrent_calls: 2}\n")
    talk = server.talk()
    for number in (1, 2):
        talk.begin_call(number, "answer", {"query": "simulate: hang"})
    simulator.wait_for_requests(2, PATIENCE_SECONDS)

    answer = server.talk().call(3, "answer", {"query": "HTTP 404"})["error"]
    vault = talk.call(4, "vault_ls", {})["result"]
    talk.cancel(1)
    talk.answer_to(1)
    after = talk.call(5, "vault_ls", {})["result"]

    assert "2 calls of this client are already running" in answer["data"]["message"]
    assert vault["structuredContent"]["code"] == "conflict"
    assert "isError" not in after or after["isError"] is False


@pytest.mark.requirement("http:limits:calls")
def test_calls_in_a_minute_are_bounded(start_http: StartHttp) -> None:
    """Counted by client, not by session; another minute may begin in between, but not two."""
    server = start_http(config="http: {calls_per_minute: 3}\n")

    results = [server.talk().call(1, "vault_ls", {})["result"] for _ in range(8)]

    refused = [result["structuredContent"] for result in results if result.get("isError")]
    assert 2 <= len(refused) <= 5
    assert {row["code"] for row in refused} == {"conflict"}
    assert "3 calls in this minute" in refused[0]["message"]


@pytest.mark.requirement("mcp:completion:flood", "http:limits:calls")
@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "modern"])
def test_a_flood_of_completions_is_bounded(start_http: StartHttp, modern: bool) -> None:
    """By the same number, counted apart: whoever types a lot can still call tools."""
    server = start_http(config="http: {calls_per_minute: 4}\n")
    talk = server.talk(modern=modern)
    params = {
        "ref": {"type": "ref/resource", "uri": "vault:///{+path}"},
        "argument": {"name": "path", "value": ""},
    }

    answers = [talk.ask(number, "completion/complete", dict(params)) for number in range(10)]

    refused = [answer["error"] for answer in answers if "error" in answer]
    assert 2 <= len(refused) <= 6
    assert {error["code"] for error in refused} == {-32000}
    assert "4 calls in this minute" in refused[0]["message"]
    assert not talk.call(99, "vault_ls", {})["result"].get("isError", False)


@pytest.mark.requirement("http:limits:every-call")
@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "modern"])
@pytest.mark.parametrize(
    "params",
    [
        {"name": "vault_ls", "arguments": {"no_such": 1}},
        {"name": "vault_ls", "arguments": 5},
        {"name": "no_such_tool", "arguments": {}},
        {},
    ],
    ids=["unknown argument", "no object", "unknown tool", "no name"],
)
def test_a_bad_call_is_one_of_the_minute(
    start_http: StartHttp, params: dict[str, object], modern: bool
) -> None:
    """Finding out that it is bad takes our time; a minute may end in between, but not two."""
    server = start_http(config="http: {calls_per_minute: 4}\n")
    talk = server.talk(modern=modern)

    for number in range(12):
        # As a dictionary of its own: the era adds to it.
        talk.ask(number, "tools/call", dict(params))
    result = talk.call(99, "vault_ls", {})["result"]

    assert result["isError"] is True
    assert "4 calls in this minute" in result["structuredContent"]["message"]


@pytest.mark.requirement("http:limits:bodies")
def test_a_large_body_is_refused_before_it_is_read(start_http: StartHttp) -> None:
    """By what it declares, or as soon as it is too much."""
    server = start_http(config="http: {max_body_bytes: 2048}\n")

    declared = opened(server)
    declared.sendall(f"{HEAD}Content-Length: 1000000000\r\n\r\n".encode())
    chunked = opened(server)
    chunk = b"400\r\n" + b" " * 1024 + b"\r\n"
    chunked.sendall(f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode() + chunk * 3)

    for connection in (declared, chunked):
        assert said_until_closed(connection).startswith(b"HTTP/1.1 413")
        connection.close()
    assert is_alive(server)


@pytest.mark.requirement("http:limits:bodies")
def test_a_body_of_the_limit_is_served(start_http: StartHttp) -> None:
    """The bound is not one too low."""
    server = start_http(config="http: {max_body_bytes: 2048}\n")
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})

    assert server.post(message.encode().ljust(2048)).status == 200
    assert server.post(message.encode().ljust(2049)).status == 413


@pytest.mark.requirement("http:limits:heads")
def test_large_heads_are_refused(start_http: StartHttp) -> None:
    """One long header or many short ones."""
    server = start_http(config="http: {max_header_bytes: 2048}\n")

    for header in ("X: " + "x" * 4000, "\r\n".join(f"X{n}: y" for n in range(600))):
        connection = opened(server)
        connection.sendall(f"GET /healthz HTTP/1.1\r\nHost: localhost\r\n{header}".encode())
        assert said_until_closed(connection).startswith(b"HTTP/1.1 400")
        connection.close()
    assert is_alive(server)


@pytest.mark.requirement("http:limits:heads")
@pytest.mark.parametrize(
    "head",
    [
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + "x" * 4000,
        "GET /healthz HTTP/1.1\r\nHost: localhost" + "".join(f"\r\nX{n}: y" for n in range(600)),
        "GET /" + "x" * 4000 + " HTTP/1.1\r\nHost: localhost",
        "GET /healthz?" + "x" * 4000 + " HTTP/1.1\r\nHost: localhost",
    ],
    ids=["header", "headers", "path", "query"],
)
def test_a_large_head_is_refused_in_one_piece_too(start_http: StartHttp, head: str) -> None:
    """However it arrives; one of nearly the bound is served."""
    server = start_http(config="http: {max_header_bytes: 2048}\n")

    connection = opened(server)
    connection.sendall(f"{head}\r\n\r\n".encode())
    assert said_until_closed(connection).startswith(b"HTTP/1.1 431")
    connection.close()
    assert server.request("GET", "/healthz", headers={"X": "x" * 1900}).status == 200


@pytest.mark.requirement("http:serving:shutdown")
def test_the_time_to_stop_is_not_rounded() -> None:
    """Less than a second is not none."""
    bounds = Bounds(1, 1, 1, 1, 1, 1, 1, 1, shutdown_seconds=0.4)

    assert BoundedConfig(lambda: None, bounds).timeout_graceful_shutdown == 0.4


@pytest.mark.requirement("http:serving:busy")
def test_a_worker_that_is_slow_to_start_is_not_replaced_by_one_as_slow() -> None:
    """On a busy machine none would ever serve: five seconds are uvicorn's own bound."""
    bounds = Bounds(1, 1, 1, 1, 1, 1, 1, 1, 1)

    assert BoundedConfig(lambda: None, bounds).timeout_worker_healthcheck >= 30


@pytest.mark.requirement("http:limits:slow")
def test_slow_clients_are_not_waited_for(start_http: StartHttp) -> None:
    """Nothing at all, half a head, half a body, half a second request."""
    server = start_http(config="http: {read_timeout_ms: 300}\n")
    healthy = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    starts = {
        b"": b"",
        b"GET /mcp HTTP/1.1\r\nHost: loc": b"",
        f"{HEAD}Content-Length: 100\r\n\r\n{{".encode(): b"HTTP/1.1 408",
        healthy + b"GET /mcp HTT": b"HTTP/1.1 200",
    }

    for sent, answered in starts.items():
        connection = opened(server)
        connection.sendall(sent)
        said = said_until_closed(connection)
        assert said.startswith(answered)
        assert bool(said) is bool(answered)
        connection.close()
    assert is_alive(server)


@pytest.mark.requirement("http:limits:connections")
def test_connections_are_bounded(start_http: StartHttp) -> None:
    """Those beyond are closed at once; when some go there is room again."""
    server = start_http(config="http: {max_connections: 20}\n")

    held = [opened(server) for _ in range(20)]
    beyond = opened(server)
    assert said_until_closed(beyond) == b""
    beyond.close()
    for connection in held:
        connection.close()

    while not _answers(server):
        continue
    assert is_alive(server)


def _answers(server: HttpProcess) -> bool:
    try:
        return server.request("GET", "/healthz").status == 200
    except OSError:
        return False


@pytest.mark.requirement("http:limits:connections")
def test_many_connections_opened_and_dropped_leave_nothing(start_http: StartHttp) -> None:
    """Some say nothing, some half a request, some a whole one and do not wait."""
    server = start_http(config="http: {access_log: false}\n")
    whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    while server.request("GET", "/readyz").status != 200:
        continue
    before = _descriptors(server)

    for number in range(10_000):
        connection = opened(server)
        connection.sendall((b"", b"POST /mcp HTT", whole)[number % 3])
        connection.close()

    # The last of them may still be on their way through.
    while not _answers(server) or _descriptors(server) > before:
        continue
    assert is_alive(server)
    assert "Traceback" not in server.stderr


def _descriptors(server: HttpProcess) -> int:
    """How many files and connections the server has open, where the system tells."""
    folder = Path(f"/proc/{server.process.pid}/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


@pytest.mark.requirement("http:limits:connections")
def test_sessions_are_bounded(start_http: StartHttp) -> None:
    """Whoever comes last waits; those who have one keep it."""
    server = start_http(config="http: {max_sessions: 2}\n")
    first, _second = server.talk(), server.talk()
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}

    assert server.post(hello).status == 503
    assert "tools" in first.ask(1, "tools/list")["result"]


@pytest.mark.requirement("http:limits:connections")
def test_a_client_has_its_share_of_the_sessions(start_http: StartHttp) -> None:
    """One that takes them all would lock the others out; closing one makes room."""
    digests = ",".join(f"{name}:{hashlib.sha256(name.encode()).hexdigest()}" for name in ("a", "b"))
    server = start_http(
        env={"TEBIKI_HTTP_TOKENS": digests},
        config="http: {max_sessions: 4, sessions_per_client: 2}\n",
    )
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    first, _second = server.talk(token="a"), server.talk(token="a")
    # What opens no session takes none.
    for body in (b"{", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}):
        assert server.post(body, Authorization="Bearer b").status == 400
    other = server.talk(token="b")

    refused = server.post(hello, Authorization="Bearer a")
    modern = server.talk(token="a", modern=True).ask(1, "tools/list")
    stolen = server.request("DELETE", "/mcp", headers=other.headers({}) | AS_A)
    still = server.post(hello, Authorization="Bearer a")
    closed = server.request("DELETE", "/mcp", headers=first.headers({}))

    assert (refused.status, still.status) == (429, 429)
    assert "2 sessions of this client are open" in refused.json["error"]
    assert "tools" in modern["result"]
    assert (stolen.status, closed.status) == (404, 200)
    assert server.post(hello, Authorization="Bearer a").status == 200
    assert "tools" in other.ask(1, "tools/list")["result"]


@pytest.mark.requirement("http:limits:garbage")
def test_garbage_is_refused_and_forgotten(start_http: StartHttp) -> None:
    """Neither ends the server nor shows its insides."""
    server = start_http()
    bodies = [b"", b"{", b"[]", b"null", b"[" * 100_000, b"\xff\xfe", b'{"jsonrpc":"2.0"}']

    for body in bodies:
        reply = server.post(body)
        assert 400 <= reply.status < 500
        assert b"Traceback" not in reply.body
    assert is_alive(server)
    assert "Traceback" not in server.stderr

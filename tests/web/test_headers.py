"""Headers that stand twice: refused by name, on every route, before anything is believed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.web.headers import LISTS, find_repeated, framing_fault
from tests.support.http_process import ACCEPT, HELLO
from tests.web.test_limits import is_alive, opened, said_until_closed

if TYPE_CHECKING:
    from tests.support.http_process import HttpProcess
    from tests.web.conftest import StartHttp

INITIALIZE = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
USUAL = {
    "Host": "localhost",
    "Content-Type": "application/json",
    "Accept": ACCEPT,
    "Content-Length": str(len(INITIALIZE)),
}
TWICE = {
    "Host": ("localhost", "localhost"),
    "Origin": ("http://localhost", "http://evil.example"),
    "Authorization": ("Bearer a", "Bearer b"),
    "Content-Type": ("application/json", "text/plain"),
    "Content-Length": (str(len(INITIALIZE)), str(len(INITIALIZE))),
    "Transfer-Encoding": ("chunked", "chunked"),
    "Mcp-Session-Id": ("a", "b"),
    "MCP-Protocol-Version": ("2025-06-18", "2026-07-28"),
    "Mcp-Method": ("initialize", "initialize"),
    "Mcp-Name": ("a", "b"),
    "Mcp-Param-Region": ("a", "b"),
    "Last-Event-ID": ("1", "2"),
    "Cookie": ("a=1", "a=2"),
    "Expect": ("100-continue", "100-continue"),
    "Sec-Fetch-Site": ("none", "cross-site"),
    "traceparent": ("00-1", "00-2"),
    "x-tebiki-key": ("a", "b"),
}


def said_to(server: HttpProcess, head: str, body: str = INITIALIZE) -> tuple[int, dict[str, str]]:
    """What the server says to a request, byte by byte as given: the status and the document."""
    connection = opened(server)
    try:
        connection.sendall(f"{head}\r\n\r\n{body}".encode())
        answer = said_until_closed(connection)
    finally:
        connection.close()
    # A client that waits to be asked for its body may be asked before it is refused.
    start, _, document = answer.partition(b"\r\n\r\n")
    if start.startswith(b"HTTP/1.1 100"):
        start, _, document = document.partition(b"\r\n\r\n")
    return int(start.split()[1]), json.loads(document)


def head_with(name: str, values: tuple[str, ...], path: str = "/mcp") -> str:
    """A request's head in which one header has these values."""
    usual = {key: value for key, value in USUAL.items() if key.lower() != name.lower()}
    if name == "Transfer-Encoding":
        del usual["Content-Length"]
    lines = [f"{key}: {value}" for key, value in usual.items()]
    return "\r\n".join([f"POST {path} HTTP/1.1", *lines, *(f"{name}: {v}" for v in values)])


@pytest.mark.requirement("http:doors:once")
@pytest.mark.parametrize("path", ["/mcp", "/healthz", "/", "/ui/session", "/vault/calls", "/other"])
@pytest.mark.parametrize("name", TWICE)
def test_a_header_that_stands_twice_is_refused_by_name(
    shared_http: HttpProcess, name: str, path: str
) -> None:
    """Whatever its values are, and however it is written."""
    first, second = TWICE[name]
    head = head_with(name, (first,), path) + f"\r\n{name.upper()}: {second}"

    status, document = said_to(shared_http, head)

    assert status == 400
    assert document == {"error": f"The header {name.lower()} stands more than once; send it once."}
    assert is_alive(shared_http)


@pytest.mark.requirement("http:doors:once")
@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("Content-Length: 5\r\nTransfer-Encoding: chunked", "either content-length or transfer"),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5", "either content-length or transfer"),
        ("Content-Length: 5, 5", "content-length must be one number"),
        ("Content-Length: +5", "content-length must be one number"),
        ("Content-Length: 5\r\nContent-Length: 6", "content-length stands more than once"),
        ("Content-Length: 5\nContent-Length: 5", "content-length stands more than once"),
    ],
)
def test_a_body_ends_in_one_place(shared_http: HttpProcess, lines: str, words: str) -> None:
    """A proxy before us may have taken the other, and what follows for a request of somebody."""
    smuggled = "0\r\n\r\nGET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    head = f"POST /healthz HTTP/1.1\r\nHost: localhost\r\n{lines}"

    status, document = said_to(shared_http, head, smuggled)

    assert status == 400
    assert words in document["error"]


@pytest.mark.requirement("http:doors:once")
def test_a_second_request_on_a_connection_is_looked_at_too(shared_http: HttpProcess) -> None:
    """Sent along with a good one."""
    good = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    bad = "POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 1"
    connection = opened(shared_http)

    connection.sendall(f"{good}{bad}\r\n\r\n1".encode())
    said = said_until_closed(connection)
    connection.close()

    assert said.startswith(b"HTTP/1.1 200")
    assert said.count(b"HTTP/1.1 400") == 1
    assert b"content-length stands more than once" in said


@pytest.mark.requirement("http:doors:once")
def test_lists_and_what_proxies_add_may_stand_twice(shared_http: HttpProcess) -> None:
    """As their standards say, and as proxies do."""
    lines = ["Via: 1.1 a", "Via: 1.1 b", "X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 192.0.2.2"]
    head = "\r\n".join(["GET /healthz HTTP/1.1", "Host: localhost", "Connection: close", *lines])

    assert said_to(shared_http, head, "") == (200, {"status": "ok"})


@pytest.mark.requirement("http:limits:sessions-held")
@pytest.mark.parametrize(
    "versions",
    [("2025-06-18", "2026-07-28"), ("2026-07-28", "2025-06-18"), ("2025-06-18", "2025-06-18")],
)
def test_two_versions_open_no_session(start_http: StartHttp, versions: tuple[str, str]) -> None:
    """Whichever of them is meant: the cap on sessions holds, and others find room."""
    server = start_http(config="http: {max_sessions: 3, sessions_per_client: 1}\n")

    statuses = {said_to(server, head_with("MCP-Protocol-Version", versions))[0] for _ in range(6)}

    assert statuses == {400}
    assert server.talk().session is not None
    assert server.post(json.loads(INITIALIZE)).status == 429


@pytest.mark.requirement("http:limits:sessions-held")
@pytest.mark.parametrize("version", ["2026-07-28, 2025-06-18", "1999-01-01", "", "2025-06-18 "])
def test_an_odd_version_opens_no_session_beyond_the_share(
    start_http: StartHttp, version: str
) -> None:
    """Whatever one header says, in every method."""
    server = start_http(config="http: {max_sessions: 2, sessions_per_client: 1}\n")
    head = head_with("MCP-Protocol-Version", (version,))
    held = server.talk()

    for method in ("POST", "GET", "DELETE", "PUT"):
        connection = opened(server)
        connection.sendall(
            f"{head.replace('POST', method, 1)}\r\nConnection: close\r\n\r\n{INITIALIZE}".encode()
        )
        assert b"mcp-session-id" not in said_until_closed(connection).lower(), method
        connection.close()

    assert "tools" in held.ask(1, "tools/list")["result"]


@pytest.mark.requirement("http:doors:once")
@given(st.lists(st.sampled_from([*sorted(LISTS), b"host", b"mcp-method", b"x-a", b"x-b"])))
def test_nothing_but_a_list_stands_twice(names: list[bytes]) -> None:
    """For every head there could be."""
    singles = [name for name in names if name not in LISTS and not name.startswith(b"x-")]

    assert (find_repeated(names) is not None) is (len(singles) > len(set(singles)))


@pytest.mark.requirement("http:doors:once")
@given(st.binary(max_size=200))
def test_the_body_says_nothing_about_where_it_ends(body: bytes) -> None:
    """Only the head does."""
    received = b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nContent-Length: 9\r\n" + body

    assert framing_fault(received) is None

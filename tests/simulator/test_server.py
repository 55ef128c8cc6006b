"""The HTTP server: connections, recording, waiting, clients that leave, stopping."""

import asyncio
import gc
import json
import socket
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import pytest
from openai import AsyncOpenAI

from simulator import Simulator
from tests.simulator.asking import KEY, connected, post, question, receive, send


def _socket(simulator: Simulator) -> socket.socket:
    where = urlsplit(simulator.base_url)
    return socket.create_connection((where.hostname, where.port), timeout=10)


def _raw_request(text: str, *more: str) -> bytes:
    body = json.dumps(question(text)).encode()
    lines = ["POST /v1/responses HTTP/1.1", "host: x", f"authorization: Bearer {KEY}", *more]
    head = "\r\n".join([*lines, f"content-length: {len(body)}", "", ""])
    return head.encode() + body


def _read_to_end(line: socket.socket) -> bytes:
    with line.makefile("rb") as file:
        return file.read()


def test_a_connection_is_reused_for_the_next_request(simulator: Simulator) -> None:
    """Two requests over one line carry the same connection number."""
    with connected(simulator) as line:
        send(line, question("one"))
        send(line, question("two"))
    post(simulator, question("three"))
    assert [request.connection for request in simulator.requests] == [1, 1, 2]


def test_a_request_is_recorded_as_it_arrived(simulator: Simulator) -> None:
    """Method, path, lower-case headers, parsed body and times in order are kept."""
    body = question("hello")
    post(simulator, body)
    post(simulator, b"{no json")
    first, second = simulator.requests
    assert (first.method, first.path, first.body) == ("POST", "/v1/responses", body)
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert second.body is None
    assert first.received_at <= second.received_at


def test_reset_forgets_requests_disconnects_and_turns(simulator: Simulator) -> None:
    """A script starts over after a reset."""
    script = question("simulate: 500, plain")
    assert [post(simulator, script).status for _ in range(2)] == [500, 200]
    simulator.reset()
    assert (simulator.requests, simulator.disconnects) == ([], 0)
    assert post(simulator, script).status == 500


def test_waiting_for_what_does_not_come_times_out(simulator: Simulator) -> None:
    """Both ways of waiting raise TimeoutError."""
    with pytest.raises(TimeoutError, match="0 of 1 requests"):
        simulator.wait_for_requests(1, timeout=0)
    with pytest.raises(TimeoutError, match="0 of 2 disconnects"):
        simulator.wait_for_disconnects(2, timeout=0)


def test_64_clients_can_wait_at_once_and_their_leaving_is_seen(simulator: Simulator) -> None:
    """Cancelled SDK calls close their connections, which the simulator counts."""

    async def hang_and_cancel() -> None:
        async with AsyncOpenAI(
            base_url=simulator.base_url, api_key=KEY, max_retries=0, timeout=30
        ) as client:
            calls = [
                asyncio.create_task(
                    client.responses.create(model="gpt-5.2", input="simulate: hang")
                )
                for _ in range(64)
            ]
            await asyncio.to_thread(simulator.wait_for_requests, 64, 30)
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)

    asyncio.run(hang_and_cancel())
    simulator.wait_for_disconnects(64)
    assert len({request.connection for request in simulator.requests}) == 64


def test_64_slow_answers_are_all_given(simulator: Simulator) -> None:
    """None of the connections is refused, and none left early."""

    async def ask_all() -> list[str]:
        async with AsyncOpenAI(
            base_url=simulator.base_url, api_key=KEY, max_retries=0, timeout=30
        ) as client:
            answers = await asyncio.gather(
                *(
                    client.responses.create(model="gpt-5.2", input="simulate: slow ms=50")
                    for _ in range(64)
                )
            )
            return [answer.output_text for answer in answers]

    assert all(asyncio.run(ask_all()))
    assert simulator.disconnects == 0


def test_a_client_that_leaves_after_its_answer_is_no_disconnect(simulator: Simulator) -> None:
    """Only a request without its whole answer counts."""
    post(simulator, question("hello"))
    post(simulator, question("simulate: slow ms=1"))
    with _socket(simulator) as line:
        line.sendall(_raw_request("simulate: hang"))
        simulator.wait_for_requests(3)
    simulator.wait_for_disconnects(1)
    assert simulator.disconnects == 1


def test_a_client_that_leaves_a_large_answer_unread_is_a_disconnect(simulator: Simulator) -> None:
    """Bytes that nobody took count as an answer under way."""
    with _socket(simulator) as line:
        line.sendall(_raw_request("simulate: large mb=30"))
        assert line.recv(10)
    simulator.wait_for_disconnects(1)


def test_a_client_that_leaves_a_slow_stream_is_a_disconnect(simulator: Simulator) -> None:
    """The stream has begun, so the client has seen that its request is worked on."""
    with connected(simulator) as line:
        body = json.dumps(question("simulate: slow ms=60000", stream=True))
        line.request("POST", "/v1/responses", body, {"authorization": f"Bearer {KEY}"})
        response = line.getresponse()
        assert response.readline() == b"event: response.created\n"
        response.close()
    simulator.wait_for_disconnects(1)


def test_stopping_does_not_wait_for_answers_under_way() -> None:
    """A hanging request ends with the simulator, without counting as a disconnect."""
    with Simulator() as simulator:
        line = _socket(simulator)
        line.sendall(_raw_request("simulate: hang"))
        simulator.wait_for_requests(1)
    with line, suppress(ConnectionResetError):
        assert line.recv(1) == b""
    assert simulator.disconnects == 0


def test_small_writes_are_not_held_back(simulator: Simulator) -> None:
    """With Nagle's algorithm on, each event after the first would wait 40 ms."""
    with connected(simulator) as line:
        send(line, question("hello"))
        (connection,) = simulator._connections
        inner = connection._transport.get_extra_info("socket")
        assert inner.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize("clients", [1, 5])
def test_stopping_as_clients_connect_leaves_nothing_open(clients: int) -> None:
    """A connection may be anywhere between the kernel's queue and its first byte."""
    for _ in range(20):
        with Simulator() as simulator, ExitStack() as lines:
            for _ in range(clients):
                lines.enter_context(_socket(simulator))
    gc.collect()
    assert simulator.disconnects == 0


def test_a_port_in_use_is_reported_to_the_caller(simulator: Simulator) -> None:
    """The error of the listening thread surfaces where the simulator is started."""
    taken = urlsplit(simulator.base_url).port or 0
    with pytest.raises(OSError, match="address"), Simulator(port=taken):
        pass


def test_requests_sent_ahead_are_answered_in_order(simulator: Simulator) -> None:
    """A second request waits in the buffer until the first one is answered."""
    with _socket(simulator) as line:
        line.sendall(
            _raw_request("simulate: slow ms=5 then=refusal")
            + _raw_request("plain one", "connection: close")
        )
        received = _read_to_end(line)
    assert received.count(b"HTTP/1.1 200 OK") == 2
    assert received.index(b"refusal") < received.index(b"plain one")


def test_a_request_may_arrive_byte_by_byte(simulator: Simulator) -> None:
    """No assumption is made about how TCP cuts the request."""
    with _socket(simulator) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in _raw_request("slowly", "connection: close"):
            line.sendall(bytes([byte]))
        assert b"slowly" in _read_to_end(line)


def test_a_body_may_come_in_chunks(simulator: Simulator) -> None:
    """Chunked request bodies are put together."""
    with connected(simulator) as line:
        text = json.dumps(question("in chunks")).encode()
        headers = {"authorization": f"Bearer {KEY}", "transfer-encoding": "chunked"}
        pieces = iter([text[:40], text[40:]])
        line.request("POST", "/v1/responses", pieces, headers, encode_chunked=True)
        assert receive(line).status == 200
    assert simulator.requests[0].body == question("in chunks")


def test_a_client_that_waits_for_permission_gets_it(simulator: Simulator) -> None:
    """`Expect: 100-continue` is answered before the body comes."""
    head, blank, body = _raw_request("big", "expect: 100-continue", "connection: close").partition(
        b"\r\n\r\n"
    )
    with _socket(simulator) as line:
        line.sendall(head + blank)
        assert line.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        line.sendall(body)
        assert _read_to_end(line).startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize(
    "raw",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n",
        b"x" * 70_000,
    ],
)
def test_bytes_that_are_no_request_are_refused_and_the_line_closed(
    simulator: Simulator, raw: bytes
) -> None:
    """What cannot be framed cannot be answered any better."""
    with _socket(simulator) as line:
        line.sendall(raw)
        assert _read_to_end(line).startswith(b"HTTP/1.1 400 Bad Request")
    assert simulator.requests == []


def test_the_delay_is_added_to_every_answer() -> None:
    """Answers still come, streamed or not, when each is held back."""
    with Simulator(delay_ms=1) as simulator:
        assert post(simulator, question("hello")).status == 200
        assert post(simulator, question("hello", stream=True)).events[-1]["type"] == (
            "response.completed"
        )

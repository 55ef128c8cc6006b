"""Whether anything was sent decides whether a call is counted, and all its attempts matter."""

from __future__ import annotations

import asyncio
import socket
import threading
import time

import pytest

from tebiki.errors import ConnectionFailed, UpstreamError
from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tebiki.responses.client import Access, Responder
from tebiki.responses.retry import RetryRule

REFUSAL = b"HTTP/1.1 500 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
TWICE = RetryRule(2, 0.0, 0.0, retries_lost_connections=True)


def failure_of(port: int) -> UpstreamError:
    """Ask whatever listens there, twice."""
    access = Access(f"http://127.0.0.1:{port}/v1", "test-key", "OPENAI_API_KEY")

    async def ask() -> UpstreamError:
        responder = Responder(access, Log("test", Redactor(None)), time.monotonic, lambda: 0.0)
        with pytest.raises(UpstreamError) as raised:
            await responder.create({"model": "gpt-5.2", "input": "hello"}, TWICE, 30.0)
        await responder.close()
        return raised.value

    return asyncio.run(ask())


def test_a_call_that_was_sent_once_was_sent() -> None:
    """Also when the last attempt finds nobody there."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]

    def answer_once() -> None:
        connection, _ = listener.accept()
        listener.close()
        with connection:
            connection.recv(65_536)
            connection.sendall(REFUSAL)

    answering = threading.Thread(target=answer_once)
    answering.start()
    failure = failure_of(port)
    answering.join()

    assert isinstance(failure, ConnectionFailed)
    assert (failure.attempts, failure.was_sent) == (2, True)


def test_a_call_that_found_nobody_was_not_sent() -> None:
    """However often it was tried."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    failure = failure_of(port)

    assert (failure.attempts, failure.was_sent) == (2, False)

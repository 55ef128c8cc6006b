"""Fetching from an issuer: what may be asked, how much is read, and for how long."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from tebiki.web.oauth import MOST_BYTES, fetch_document, is_safe, metadata_addresses
from tests.support.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"


@contextmanager
def answering(work: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server for one connection; gives its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                connection, _ = listening.accept()
                with connection:
                    connection.recv(65_536)
                    work(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/keys"
        thread.join(PATIENCE_SECONDS)


@pytest.mark.requirement("http:oauth:fetching")
def test_a_document_is_read() -> None:
    """As JSON."""
    with answering(lambda connection: connection.sendall(HEAD + b'{"keys": []}')) as address:
        assert fetch_document(address) == {"keys": []}


@pytest.mark.requirement("http:oauth:fetching")
def test_a_redirect_is_not_followed() -> None:
    """It could lead into a network that only we can reach."""
    moved = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"

    with (
        answering(lambda connection: connection.sendall(moved)) as address,
        pytest.raises(OSError, match="redirect"),
    ):
        fetch_document(address)


@pytest.mark.requirement("http:oauth:odd-documents")
@pytest.mark.parametrize(
    "said",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 two hundred\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{",
    ],
    ids=["another protocol", "no status", "a header without end", "half a chunk"],
)
def test_what_is_no_http_is_no_document(said: bytes) -> None:
    """As when another program has taken the issuer's port: no error of the server's own."""
    with (
        answering(lambda connection: connection.sendall(said)) as address,
        pytest.raises(ValueError, match="no HTTP"),
    ):
        fetch_document(address)


@pytest.mark.requirement("http:oauth:fetching")
def test_a_long_document_is_not_read_to_its_end() -> None:
    """Whether it says how long it is or not."""
    with (
        answering(lambda connection: connection.sendall(HEAD + b" " * (2 * MOST_BYTES))) as address,
        pytest.raises(ValueError, match="too long"),
    ):
        fetch_document(address)


@pytest.mark.requirement("http:oauth:fetching")
def test_a_document_that_drips_is_not_waited_for() -> None:
    """Each byte comes in time, and the whole never would."""
    ended = threading.Event()

    def drip(connection: socket.socket) -> None:
        connection.sendall(HEAD)
        while not ended.wait(0.01):
            connection.sendall(b" ")

    with answering(drip) as address:
        with pytest.raises(ValueError, match="too long"):
            fetch_document(address, seconds=0.3)
        ended.set()


@pytest.mark.requirement("http:oauth:fetching")
@pytest.mark.parametrize(
    "address",
    [
        "https://login.example/keys",
        "http://localhost:8080/keys",
        "http://127.0.0.1/keys",
        "http://[::1]:8080/keys",
    ],
)
def test_an_answer_by_tls_or_of_this_machine_is_believed(address: str) -> None:
    """Nobody on the way can change it."""
    assert is_safe(address)


@pytest.mark.requirement("http:oauth:fetching")
@pytest.mark.parametrize(
    "address",
    [
        "http://login.example/keys",
        "http://evil.example#@localhost/",
        "http://evil.example?@localhost/",
        "http://localhost@evil.example/",
        "http://localhost.evil.example/",
        "http://[::1",
        "file:///etc/passwd",
        "ftp://localhost/keys",
        "localhost/keys",
        "",
    ],
)
def test_any_other_is_not(address: str) -> None:
    """However alike it looks."""
    assert not is_safe(address)


@pytest.mark.requirement("http:oauth:fetching")
def test_an_issuer_with_a_path_is_asked_where_the_standards_say() -> None:
    """In the middle by the one, at the end by the other."""
    assert metadata_addresses("https://login.example/realms/a") == (
        "https://login.example/.well-known/oauth-authorization-server/realms/a",
        "https://login.example/realms/a/.well-known/openid-configuration",
        "https://login.example/realms/a/.well-known/oauth-authorization-server",
    )
    assert metadata_addresses("https://login.example")[0] == (
        "https://login.example/.well-known/oauth-authorization-server"
    )

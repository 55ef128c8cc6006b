"""Background answers behind gateways that begin a response and then cannot tell of it."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.interaction.test_background import BACKGROUND, TOOL, pending
from tests.interaction.test_ledger import calls_in, ledger_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.interaction.conftest import Connect

RESPONSE = {"id": "resp_1", "object": "response", "model": "gpt-5.2", "output": []}
CREATED = {"type": "response.created", "sequence_number": 0, "response": RESPONSE}
USED = {"input_tokens": 5, "output_tokens": 7}


class Told(NamedTuple):
    """What a gateway says of a response that runs."""

    status: int
    headers: dict[str, str]
    body: bytes


class Gateway(ThreadingHTTPServer):
    """Begins responses, says one thing of each, and cancels them; a silent one never does."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.told = Told(200, {}, b"")
        self.heard: list[str] = []
        self.speaks = threading.Event()
        self.speaks.set()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def base_url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Gateway

    def do_POST(self) -> None:
        """Begin a response, whose stream breaks off; or cancel it."""
        self.rfile.read(int(self.headers.get("content-length", 0)))
        is_create = self.path == "/v1/responses"
        self.server.heard.append("create" if is_create else "cancel")
        if is_create:
            event = f"event: response.created\ndata: {json.dumps(CREATED)}\n\n".encode()
            self._say(Told(200, {"content-type": "text/event-stream"}, event))
            return
        self.server.speaks.wait(60)
        cancelled = {**RESPONSE, "status": "cancelled", "usage": USED}
        self._say(Told(200, {"content-type": "application/json"}, json.dumps(cancelled).encode()))

    def do_GET(self) -> None:
        """Say what is to be said of it."""
        self._say(self.server.told)

    def _say(self, told: Told) -> None:
        self.send_response(told.status)
        for name, value in told.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(told.body)))
        self.end_headers()
        self.wfile.write(told.body)

    def log_message(self, *_: object) -> None:
        """Leave stderr to the tests."""


@pytest.fixture(name="gateway")
def _gateway() -> Iterator[Gateway]:
    """A gateway of one's own."""
    gateway = Gateway()
    yield gateway
    gateway.speaks.set()
    gateway.shutdown()
    gateway.server_close()


def told_json(value: Any) -> Told:
    """Say something in JSON."""
    return Told(200, {"content-type": "application/json"}, json.dumps(value).encode())


@pytest.mark.requirement("answers:background:untold")
@pytest.mark.parametrize(
    "told",
    [
        Told(302, {"location": "http://127.0.0.1:9/"}, b""),
        Told(401, {"content-type": "application/json"}, b"{}"),
        told_json({**RESPONSE, "id": "resp_of_somebody_else", "status": "completed"}),
        told_json([]),
        Told(200, {"content-type": "text/html"}, b"<html>log in</html>"),
    ],
    ids=["redirect", "refused", "foreign", "no object", "page"],
)
def test_what_nobody_can_follow_is_cancelled(
    start: Connect, gateway: Gateway, tmp_path: Path, told: Told
) -> None:
    """It would run on, and be paid for, unheard; the ledger has what it took."""
    gateway.told = told
    server = start(face="tebiki", env=BACKGROUND | {"OPENAI_BASE_URL": gateway.base_url})

    answer = server.call(1, TOOL, {"query": "weather"})
    server.finish()

    assert answer["error"]["code"] == -32001
    assert gateway.heard == ["create", "cancel"]
    assert pending(tmp_path) == []
    (line,) = calls_in(ledger_of(tmp_path))
    assert (line["outcome"], line["output_tokens"]) == ("failed", USED["output_tokens"])


@pytest.mark.requirement("answers:background:endless")
def test_nobody_waits_for_an_api_that_never_hears_of_a_cancellation(
    start: Connect, gateway: Gateway
) -> None:
    """The error comes before the API has answered."""
    gateway.told = told_json({**RESPONSE, "status": "in_progress"})
    gateway.speaks.clear()
    env = {"OPENAI_BASE_URL": gateway.base_url, "OPENAI_API_TIMEOUT": "3000"}
    server = start(face="tebiki", env=BACKGROUND | env)

    error = server.call(1, TOOL, {"query": "weather"})["error"]

    assert "not ready within 3 s" in error["data"]["message"]
    assert gateway.heard == ["create", "cancel"]
    assert not gateway.speaks.is_set()

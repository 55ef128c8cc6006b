"""An API that is none, on the real process: redirects, and replies that hide something."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from tests.interaction.answer_calls import answer, failure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator import Simulator
    from tests.interaction.conftest import Connect

STATUSES = (301, 302, 303, 307, 308)
HIDDEN = "\x1b[31m\u202e\u200b\U000e0068\U000e0069\ufeff\x07"


class Gateway(ThreadingHTTPServer):
    """Answers every request alike."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status, self.body, self.headers = 200, b"", {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def base_url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Gateway

    def do_POST(self) -> None:
        """Take the question and give what is to be given."""
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(self.server.status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *_: object) -> None:
        """Leave stderr to the tests."""


@pytest.fixture(name="gateway")
def _gateway() -> Iterator[Gateway]:
    """A gateway of one's own."""
    gateway = Gateway()
    yield gateway
    gateway.shutdown()
    gateway.server_close()


def reply(text: str, sources: list[dict[str, Any]], **more: Any) -> bytes:
    """A response of the API after a search."""
    action = {"type": "search", "query": "q", "sources": sources}
    output = [
        {"type": "web_search_call", "status": "completed", "action": action},
        {"type": "message", "content": [{"type": "output_text", "text": text}]},
    ]
    return json.dumps(
        {"id": "r", "model": "m", "status": "completed", "output": output, **more}
    ).encode()


@pytest.mark.requirement("answers:result:nothing-hidden", "mcp:guard:cleaned")
def test_nothing_hidden_reaches_the_client(start: Connect, gateway: Gateway) -> None:
    """Neither in the text nor in what is cited; emoji and joined words arrive whole."""
    server = start(env={"OPENAI_BASE_URL": gateway.base_url})
    gateway.headers = {"content-type": "application/json"}
    joined = "👩\u200d💻 می\u200cخواهم"
    gateway.body = reply(
        f"It{HIDDEN} is so. {joined}",
        [
            {"url": "https://a.jp", "title": f"A{HIDDEN} {joined}"},
            {"url": f"https://b.jp/{HIDDEN}", "title": "hidden"},
        ],
    )

    found = answer(server, "anything")

    assert found["answer"].startswith(f"It is so. {joined}\n\nSources:\n- https://a.jp (")
    assert [(one["url"], one["title"]) for one in found["citations"]] == [
        ("https://a.jp", f"A {joined}")
    ]


@pytest.mark.requirement("answers:result:nothing-hidden")
def test_nothing_hidden_is_in_what_goes_with_an_answer(start: Connect, gateway: Gateway) -> None:
    """Neither in why it is incomplete nor in the receipt; a name without an end is none."""
    server = start(env={"OPENAI_BASE_URL": gateway.base_url})
    gateway.headers = {"content-type": "application/json"}
    told = {"id": f"r{HIDDEN}", "model": "m" * 100_000, "status": "incomplete"}
    gateway.body = reply(
        "It is so.", [], **told, incomplete_details={"reason": f"so{HIDDEN} it is"}
    )

    result = server.call(1, "answer", {"query": "anything"})["result"]

    receipt = result["_meta"]["tebiki/receipt"]
    assert (receipt["response_id"], receipt["model"]) == ("r", "")
    assert "[Incomplete: so it is]" in result["structuredContent"]["answer"]


@pytest.mark.requirement("answers:result:nothing-hidden")
@pytest.mark.parametrize("tool", ["answer", "chatgpt_o3_search"])
def test_nothing_hidden_is_in_an_error(start: Connect, gateway: Gateway, tool: str) -> None:
    """In the words of the API itself either, and they have an end."""
    server = start(face="tebiki", env={"OPENAI_BASE_URL": gateway.base_url})
    gateway.headers = {"content-type": "application/json"}
    told = {"message": f"Not{HIDDEN} so. " + "And on. " * 10_000, "code": f"odd{HIDDEN}"}

    for gateway.status in (400, 200):
        gateway.body = (
            json.dumps({"error": told}).encode()
            if gateway.status == 400
            else reply("", [], status="failed", error=told)
        )
        error = json.dumps(server.call(1, tool, {"query": "x"}), ensure_ascii=False)

        assert "Not so. And on." in error
        assert len(error) < 3_000
        assert not any(sign in error for sign in HIDDEN.replace("[31m", ""))


@pytest.mark.requirement("answers:result:failed")
def test_a_number_of_thousands_of_digits_is_told_in_words(start: Connect, gateway: Gateway) -> None:
    """It is legal JSON, but nothing that Python reads; never an internal error."""
    server = start(env={"OPENAI_BASE_URL": gateway.base_url})
    gateway.headers = {"content-type": "application/json"}
    gateway.body = reply("x", [], usage=0).replace(b'"usage": 0', b'"usage": ' + b"9" * 5000)

    assert "not JSON" in failure(server, "anything")["data"]["message"]


@pytest.mark.requirement("answers:result:failed")
@pytest.mark.parametrize("body", [b"<" * 1_000_000, b"< " * 500_000, b" " * 1_000_000])
def test_a_huge_error_page_holds_nobody_up(start: Connect, gateway: Gateway, body: bytes) -> None:
    """It used to take minutes in the loop that all calls share; the next question is answered."""
    server = start(env={"OPENAI_BASE_URL": gateway.base_url})
    gateway.status, gateway.body = 400, body

    assert failure(server, "anything")["code"] == -32001


@pytest.mark.requirement("answers:errors:redirect")
def test_a_redirect_is_not_followed(
    start: Connect, simulator: Simulator, gateway: Gateway, subtests: pytest.Subtests
) -> None:
    """Whatever kind it is; the question stays here, and the error says where it pointed."""
    server = start("--debug", env={"OPENAI_BASE_URL": gateway.base_url})
    gateway.headers = {"location": f"{simulator.base_url}/responses?token=hunter2#hunter3"}

    for status in STATUSES:
        gateway.status = status
        with subtests.test(str(status)):
            words = failure(server, "plain")["data"]["message"]

            assert f"redirect ({status}) to 127.0.0.1" in words
            assert "openai.base_url" in words
            assert "hunter" not in words
    assert simulator.requests == []
    server.finish()
    assert "hunter" not in server.stderr

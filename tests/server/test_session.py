"""A call that cannot even begin: one answer, and nothing of it is left."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tebiki.protocol.eras import Identity
from tebiki.server.background import Background
from tebiki.server.calls import Desk
from tebiki.server.enquiries import Enquiries
from tebiki.server.error_map import ErrorMap
from tebiki.server.registry import Behaviour, Call, InThread, Tool, ToolResult
from tebiki.server.session import Session

if TYPE_CHECKING:
    import pytest

READS = Behaviour(read_only=True, destructive=False, idempotent=True, open_world=False)


class Ear:
    """Hears what a session says."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        """Take an answer."""
        self.heard.append(message)

    offer = send


def test_a_call_that_finds_no_thread_is_answered_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """With an incident; its work is not done later, and the end of input waits for nothing."""
    done: list[str] = []

    def work(_call: Call) -> ToolResult:
        done.append("work")
        return ToolResult({}, {})

    def no_thread(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    log, ear = Log("test", Redactor(None)), Ear()
    errors = ErrorMap(log)
    tool = Tool("t", "T", "Works.", "files", (), None, READS, InThread("test-session", work))
    desk = Desk([tool], errors, log)
    session = Session(
        identity=Identity("test", "1", None),
        desk=lambda: desk,
        enquiries=lambda: Enquiries((), (), errors),
        channel=ear,
        background=Background(log),
        errors=errors,
        log=log,
    )
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t"}}

    with monkeypatch.context() as system:
        system.setattr(threading.Thread, "start", no_thread)
        session.receive(json.dumps(call).encode())
    session.drain()

    (answer,) = ear.heard
    assert answer["id"] == 1
    assert "incident" in answer["error"]["message"]
    assert "new thread" in capfd.readouterr().err
    assert not done

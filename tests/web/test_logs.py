"""The access log tells what happened and never what was said."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import pytest

from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tebiki.web.serving import LogHandler
from tests.support.server_process import CANARY

if TYPE_CHECKING:
    from tests.web.conftest import StartHttp

SECRET = "quite-secret-words"


@pytest.mark.requirement("http:logs:access")
def test_each_request_is_a_line(start_http: StartHttp) -> None:
    """Method, route, status, time, client and tool; no query, no text, no id."""
    server = start_http()
    talk = server.talk()
    talk.call(1, "vault_read", {"path": f"{SECRET}.md", "full": True})
    server.request("GET", f"/healthz?token={SECRET}")
    server.request("GET", f"/{SECRET}", headers={"Authorization": f"Bearer {SECRET}"})
    server.request("GET", "/readyz", headers={"Origin": f"http://{SECRET}.example"})

    server.wait_for_stderr("tebiki: access ", 5)

    lines = [line for line in server.stderr.splitlines() if ": access " in line]
    assert lines[0].startswith("tebiki: access method=POST path=/mcp status=200 ms=")
    assert any("tool=vault_read" in line and "status=200" in line for line in lines)
    assert any("path=/healthz status=200" in line for line in lines)
    assert any("path=other status=404" in line for line in lines)
    assert any("path=/readyz status=403" in line for line in lines)
    assert SECRET not in server.stderr
    assert talk.session is not None
    assert talk.session not in server.stderr


@pytest.mark.requirement("http:logs:access")
def test_a_librarys_words_never_look_like_an_entry(capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever lines an exception's text has: only ours begin at the margin."""
    handler = LogHandler(Log("tebiki", Redactor(None)))
    words = f"went wrong\r\ntebiki: access client=admin\n{CANARY}\u2028tebiki: x"

    handler.emit(logging.LogRecord("mcp", logging.ERROR, "", 1, words, None, None))

    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == "tebiki: error: went wrong"
    assert [line for line in lines[1:] if not line.startswith("  ")] == []


@pytest.mark.requirement("http:logs:access")
def test_it_can_be_turned_off(start_http: StartHttp) -> None:
    """Some have a proxy that does it."""
    server = start_http(config="http: {access_log: false}\n")
    server.talk()

    server.stop()

    assert "access" not in server.stderr


@pytest.mark.requirement("http:logs:json")
def test_entries_as_objects(start_http: StartHttp) -> None:
    """One JSON object a line, for programs; scrubbed like the rest."""
    server = start_http(env={"LOG_FORMAT": "json", "DEBUG": "1"})
    server.talk().call(1, "answer", {"query": f"what is {CANARY}?"})

    server.wait_for_stderr('"message": "access"', 2)
    server.stop()

    entries = [json.loads(line) for line in server.stderr.splitlines()]
    assert {entry["name"] for entry in entries} == {"tebiki"}
    assert {"info", "debug"} <= {entry["level"] for entry in entries}
    access = [entry for entry in entries if entry["message"] == "access"]
    assert access[0]["path"] == "/mcp"
    assert access[0]["status"] == "200"
    assert CANARY not in server.stderr


@pytest.mark.requirement("http:logs:access")
def test_a_command_that_waits_for_its_browser_is_one_line(start_http: StartHttp) -> None:
    """It asks four times a second; another one that waits has a line of its own."""
    server = start_http()

    def ask(login: str) -> int:
        body = json.dumps({"nonce": "n", "login": login}).encode()
        headers = {"Content-Type": "application/json"}
        return server.request("POST", "/ui/proof", body, headers).status

    assert [ask(login) for login in ("", "a", "a", "a", "b", "b")] == [200] * 6
    assert server.request("GET", "/healthz").status == 200
    server.wait_for_stderr("path=/healthz")

    lines = [line for line in server.stderr.splitlines() if ": access " in line]
    assert sum("path=/ui/proof" in line for line in lines) == 3

"""`tebiki manuals publish` and `tebiki cluster`: what is said where nothing can be published."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Finished, run_command

if TYPE_CHECKING:
    from pathlib import Path

SHARED = "manuals: {engine: opensearch, opensearch: {%s}}\n"
SECRET = "not-to-be-repeated"


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """A workspace with one manual."""
    folder = tmp_path / "manuals" / "oven"
    folder.mkdir(parents=True)
    (folder / "guide.md").write_text("# Guide\n\nThe heater runs at 40 degrees.\n")
    return tmp_path


def run(home: Path, settings: str, *words: str) -> Finished:
    """Run a command with a settings file."""
    (home / "tebiki.yaml").write_text(settings)
    flags = (*words, "--config", str(home / "tebiki.yaml"))
    return run_command(home, *flags, face="tebiki", env={"SEARCH_PASSWORD": SECRET})


@pytest.mark.requirement("people:cluster:local")
@pytest.mark.parametrize("words", [("manuals", "publish", "oven"), ("cluster", "status")])
def test_on_one_machine_there_is_nothing_to_publish(home: Path, words: tuple[str, ...]) -> None:
    """The default engine searches the files themselves."""
    ended = run(home, "", *words)

    assert ended.code == 2
    assert "manuals.engine is local" in ended.stderr


@pytest.mark.requirement("people:cluster:settings")
@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("", "manuals.opensearch.addresses must name its nodes"),
        (f"addresses: ['https://u:{SECRET}@search:9200']", "without a user or a password in it"),
        (
            "addresses: ['http://search:9200'], user: u, password_env: SEARCH_PASSWORD",
            "would travel to search unencrypted; use https://",
        ),
        (
            "addresses: ['https://search:9200'], user: u, password_env: NO_SUCH_VARIABLE",
            "names NO_SUCH_VARIABLE, which is not set",
        ),
        ("addresses: ['https://search:9200'], prefix: Ab_c", "small letters, digits and -"),
        ("addresses: ['https://search:9200'], user: u", "belong together; set both, or none"),
        (
            "addresses: ['https://search:9200'], password_env: SEARCH_PASSWORD",
            "belong together; set both, or none",
        ),
        ("addresses: ['https://search:9200'], tls_ca: no/ca.pem", "there is no file no/ca.pem"),
    ],
)
def test_a_shared_index_is_refused_in_words(home: Path, section: str, said: str) -> None:
    """Before anything is sent anywhere, and before a server listens."""
    for words in (("cluster", "status"), ("--http", "127.0.0.1:0")):
        ended = run(home, SHARED % section, *words)

        assert ended.code == 2
        assert said in ended.stderr
        assert SECRET not in ended.stderr + ended.stdout


@pytest.mark.requirement("people:cluster:settings")
def test_doctor_goes_on_where_a_shared_index_is_refused(home: Path) -> None:
    """With a finding, and what else there is to be said."""
    ended = run(home, SHARED % "", "doctor", "--offline", "--json")

    findings = json.loads(ended.stdout)["findings"]
    (cluster,) = [one for one in findings if one["area"] == "cluster"]
    assert cluster["verdict"] == "fault"
    assert "must name its nodes" in cluster["words"]
    assert "stdio" in {one["area"] for one in findings}


class Foreign(BaseHTTPRequestHandler):
    """Answers whatever it is asked with the same words, which are not those of our OpenSearch."""

    status, kind, body = 200, "application/json", b""

    def answer(self) -> None:
        """Say it."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(self.status)
        self.send_header("Content-Type", self.kind)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    do_GET = do_PUT = do_POST = do_DELETE = answer  # noqa: N815 - the base class asks by these

    def log_message(self, *_words: object) -> None:
        """Say nothing of it here."""


@pytest.mark.requirement("people:cluster:foreign")
@pytest.mark.parametrize(
    ("status", "kind", "body", "said"),
    [
        (200, "text/html", b"<html>", "what answers is not OpenSearch"),
        (200, "application/json", b"{}", "what answers is not OpenSearch"),
        (200, "application/json", b"[1]", "what answers is not OpenSearch"),
        (200, "application/json", b"null", "what answers is not OpenSearch"),
        (200, "application/json", b"{nope", "what answers is not OpenSearch"),
        (301, "text/html", b"", "status 301, and no words of OpenSearch"),
        (404, "text/html", b"<html>", "status 404, and no words of OpenSearch"),
        (500, "text/html", b"<html>", "status 500, and no words of OpenSearch"),
        (401, "text/plain", b"no", "set manuals.opensearch.user"),
        (403, "application/json", b'{"error": {"reason": "no permissions"}}', "no permissions"),
        (200, "application/json", b'{"version": {"number": "8.15.0"}}', "8.15.0 of another kind"),
        (
            200,
            "application/json",
            b'{"version": {"number": "1.3.0", "distribution": "opensearch"}}',
            "OpenSearch 1.3.0; tebiki needs 2.0 or newer",
        ),
    ],
)
def test_what_is_no_cluster_for_us_is_told_so(
    home: Path, status: int, kind: str, body: bytes, said: str
) -> None:
    """By whoever publishes or asks; a find answers from this machine's copy."""
    answering = type("Answering", (Foreign,), {"status": status, "kind": kind, "body": body})
    with ThreadingHTTPServer(("127.0.0.1", 0), answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        there = SHARED % f"addresses: ['http://127.0.0.1:{server.server_port}']"
        for words in (("manuals", "publish", "oven"), ("cluster", "status")):
            ended = run(home, there, *words)
            assert ended.code == 2
            assert said in ended.stderr
        found = json.loads(run(home, there, "manuals", "find", "heater", "--json").stdout)
        server.shutdown()

    assert found["inline_hits"]["items"][0]["ref"]["path"] == "guide.md"
    assert found["complete"] is False


@pytest.mark.requirement("people:cluster:away")
def test_while_no_node_answers_the_copy_does(home: Path) -> None:
    """The same rows, and nothing is called complete that nobody can know."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    away = SHARED % f"addresses: ['http://127.0.0.1:{port}'], timeout_ms: 500"

    for words in (("manuals", "publish", "oven"), ("cluster", "status")):
        ended = run(home, away, *words)
        assert ended.code == 2
        assert f"OpenSearch does not answer at http://127.0.0.1:{port} (Connection refused)" in (
            ended.stderr
        )
        assert "manuals.opensearch.addresses" in ended.stderr
    assert "may not be the newest revision" in run(home, away, "manuals", "find", "heater").stdout
    found = json.loads(run(home, away, "manuals", "find", "heater", "--json").stdout)
    doctor = run(home, away, "doctor", "--offline", "--json")

    assert found["inline_hits"]["items"][0]["ref"]["path"] == "guide.md"
    assert found["complete"] is False
    findings = json.loads(doctor.stdout)["findings"]
    (cluster,) = [one for one in findings if one["area"] == "cluster"]
    assert cluster["verdict"] == "fault"
    assert "does not answer" in cluster["words"]

"""`make audit` against an index on loopback: what it asks, and how its answers end."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FLAW = {"id": "PYSEC-1", "fixed_in": ["9.9"], "withdrawn": None}
NO_HTTP = "no HTTP"
OLD = {"id": "PYSEC-2", "fixed_in": [], "withdrawn": "2026-01-01"}

Audit = Callable[[Mapping[str, Any]], subprocess.CompletedProcess[str]]


@pytest.fixture(name="audit")
def _audit() -> Iterator[Audit]:
    """Runs it with an index that knows this of some packages, and nothing of the others."""
    known: dict[str, Any] = {}

    class Index(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer as a package index does."""
            _, pypi, name, _version, last = self.path.split("/")
            rows = known.get(name, [])
            if rows == NO_HTTP:
                self.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n")
                return
            self.send_response(404 if rows is None or (pypi, last) != ("pypi", "json") else 200)
            self.end_headers()
            self.wfile.write(json.dumps({"vulnerabilities": rows}).encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def run(rows: Mapping[str, Any]) -> subprocess.CompletedProcess[str]:
        known.update(rows)
        here = f"http://127.0.0.1:{server.server_address[1]}/simple"
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        return subprocess.run(
            [sys.executable, "-m", "distribution.audit"],
            capture_output=True,
            check=False,
            text=True,
            cwd=ROOT,
            env=kept | {"PIP_INDEX_URL": here, "no_proxy": "*"},
        )

    yield run
    server.shutdown()
    server.server_close()


@pytest.mark.requirement("security:supply:audit")
def test_releases_without_flaws_pass(audit: Audit) -> None:
    """What was withdrawn is no flaw."""
    done = audit({"openai": [OLD]})

    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 with flaws" in done.stdout


@pytest.mark.requirement("security:supply:audit")
def test_a_known_flaw_fails(audit: Audit) -> None:
    """Named, with where it is mended; also beside one that could not be asked about."""
    done = audit({"openai": [FLAW], "anyio": None})

    assert done.returncode == 1
    assert "PYSEC-1, mended in 9.9" in done.stdout
    assert "openai==" in done.stdout


@pytest.mark.requirement("security:supply:audit")
def test_an_index_that_speaks_no_http_could_not_be_asked(audit: Audit) -> None:
    """Whatever it says, it has told of no flaw."""
    done = audit({"openai": NO_HTTP})

    assert done.returncode == 2, done.stderr
    assert "could not ask: SSH-2.0" in done.stdout


@pytest.mark.requirement("security:supply:audit")
def test_what_could_not_be_asked_is_said(audit: Audit) -> None:
    """It is not taken for the absence of flaws."""
    done = audit({"openai": None})

    assert done.returncode == 2
    assert "could not ask: HTTP Error 404" in done.stdout

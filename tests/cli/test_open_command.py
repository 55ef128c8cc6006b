"""`tebiki open`: a browser is led to the page, and nobody else learns how."""

from __future__ import annotations

import http.server
import json
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.web.page.own_key import KeyFile, new_key
from tests.support.browser_like import STATE
from tests.support.command import run_command
from tests.support.http_process import HttpProcess
from tests.support.launching import clean_environment, launch
from tests.support.overheard import PATIENCE_SECONDS, Overheard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BROWSER = """
import http.client, html, json, os, re, sys, urllib.parse
path = urllib.parse.unquote(sys.argv[1].removeprefix("file://"))
page = open(path).read()
address = html.unescape(re.search("url=([^\\"]+)", page)[1])
place, _, secret = address.partition("/#secret=")
host = place.removeprefix("http://")
connection = http.client.HTTPConnection(host)
headers = {"Origin": place, "Content-Type": "application/json"}
connection.request("POST", "/ui/session", json.dumps({"secret": secret}), headers)
status = connection.getresponse().status
seen = {"arguments": sys.argv[1:], "mode": oct(os.stat(path).st_mode & 0o777), "path": path}
seen |= {"secret": secret, "status": status}
json.dump(seen, open(os.path.join(os.environ["HOME"], "seen.json"), "w"))
"""


@pytest.fixture(name="browser")
def _browser(tmp_path: Path) -> dict[str, str]:
    """An environment whose browser posts the secret of the file that it is given."""
    script = tmp_path / "browser.py"
    script.write_text(BROWSER)
    return {"BROWSER": f"{sys.executable} {script} %s"}


def seen_by_the_browser(home: Path) -> dict[str, Any]:
    """What the browser was started with, and how it was answered."""
    seen: dict[str, Any] = json.loads((home / "seen.json").read_text())
    return seen


@pytest.mark.requirement("page:open:logs-in")
def test_open_logs_its_user_in(tmp_path: Path, browser: dict[str, str]) -> None:
    """By a file for this user alone, which is gone once it was used; no argument, no log tells."""
    with HttpProcess(tmp_path) as server:
        place = f"127.0.0.1:{server.port}"
        done = run_command(tmp_path, "open", "--http", place, "--json", face="tebiki", env=browser)
        seen = seen_by_the_browser(tmp_path)

        assert done.code == 0, done
        assert json.loads(done.stdout) == {"url": f"http://{place}/", "signed_in": True}
        assert (seen["status"], seen["mode"]) == (200, "0o600")
        assert seen["arguments"] == [f"file://{seen['path']}"]
        assert not list((tmp_path / STATE / "page").glob("open-*"))
        assert seen["secret"] not in server.stderr + done.stderr + done.stdout
        assert server.stop() == 0
    assert not list((tmp_path / STATE / "page").iterdir())


@pytest.mark.requirement("page:open:logs-in")
def test_where_tokens_are_needed_open_brings_no_secret(
    tmp_path: Path, browser: dict[str, str]
) -> None:
    """The browser is led to the page, where one posts a token."""
    made = run_command(tmp_path, "token", "new", "al", face="tebiki")
    with HttpProcess(tmp_path) as server:
        place = f"127.0.0.1:{server.port}"
        words = ("open", "--http", place, "--no-browser")
        done = run_command(tmp_path, *words, face="tebiki", env=browser)

    assert made.code == 0
    assert done.code == 0
    assert done.stderr.strip() == f"Sign in with a token at http://{place}/"
    assert "secret" not in done.stdout + done.stderr


@pytest.mark.requirement("page:open:serves")
def test_open_serves_in_the_foreground_where_nobody_does(
    tmp_path: Path, browser: dict[str, str]
) -> None:
    """Until it is told to stop; then nothing is left of it."""
    environment = clean_environment(tmp_path) | browser
    environment.pop("PYTHONWARNINGS")
    flags = ("open", "--http", "127.0.0.1:0")
    process = launch("tebiki", flags, environment, listens=False, cwd=tmp_path, own_group=True)
    assert process.stderr is not None
    overheard = Overheard(process.stderr)

    overheard.wait_for("method=POST path=/ui/session status=200")
    overheard.wait_for("path=/ui/proof", 2)
    process.send_signal(signal.SIGTERM)
    code = process.wait(PATIENCE_SECONDS)
    overheard.close()
    assert process.stdout is not None
    process.stdout.close()

    assert code == 0
    assert seen_by_the_browser(tmp_path)["status"] == 200
    assert not list((tmp_path / STATE / "page").iterdir())


@pytest.mark.requirement("page:open:says")
def test_without_a_browser_open_says_what_to_open(tmp_path: Path, browser: dict[str, str]) -> None:
    """The file, on stderr, and not what is in it; whoever opens it is signed in."""
    with HttpProcess(tmp_path) as server:
        flags = ("open", "--http", f"127.0.0.1:{server.port}", "--no-browser")
        environment = clean_environment(tmp_path) | browser
        process = launch("tebiki", flags, environment, listens=False, cwd=tmp_path)
        assert process.stderr is not None
        overheard = Overheard(process.stderr)
        overheard.wait_for(".html")
        [file] = (tmp_path / STATE / "page").glob("open-*.html")

        subprocess.run(
            [sys.executable, tmp_path / "browser.py", str(file)], env=environment, check=True
        )
        code = process.wait(PATIENCE_SECONDS)
        told = overheard.text
        overheard.close()
        assert process.stdout is not None
        process.stdout.close()

    seen = seen_by_the_browser(tmp_path)
    assert (code, seen["status"], seen["mode"]) == (0, 200, "0o600")
    assert f"within 60 seconds: {file}" in told
    assert seen["secret"] not in told
    assert not file.exists()


@pytest.mark.requirement("page:open:says")
@pytest.mark.parametrize("off", ["http:\n  page: false\n", "http:\n  bind: 0.0.0.0:0\n"])
def test_where_the_page_is_off_open_says_so(
    tmp_path: Path, browser: dict[str, str], off: str
) -> None:
    """By the setting, or because other machines reach the address; no server is started."""
    (tmp_path / "config.yaml").write_text(off)

    done = run_command(
        tmp_path, "open", "--config", str(tmp_path / "config.yaml"), face="tebiki", env=browser
    )

    assert done.code != 0
    assert "http.page" in done.stderr
    assert "serving" not in done.stderr
    assert not (tmp_path / "seen.json").exists()


class Impostor(http.server.BaseHTTPRequestHandler):
    """Listens where a server of ours once did, and says whatever it is asked to."""

    heard: list[bytes]
    reply: bytes

    def do_POST(self) -> None:
        """Take what is sent, and claim to be the one."""
        self.heard.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.reply)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def impostor(reply: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Another user's program at a port, and all it hears."""
    heard: list[bytes] = []
    handler = type("ThisImpostor", (Impostor,), {"heard": heard, "reply": reply})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, heard
        server.shutdown()


@pytest.mark.requirement("page:open:verifies")
@pytest.mark.parametrize(
    "reply",
    [
        b'{"proof": "%s", "used": false, "needs_token": false}' % (b"0" * 64),
        b'{"proof": 7}',
        b"[]",
        b"[" * 4000,
        b"\xff",
        b"",
    ],
)
def test_open_tells_an_impostor_nothing(
    tmp_path: Path, browser: dict[str, str], reply: bytes
) -> None:
    """Neither where it knows of a key that was left there, nor where it knows none."""
    with impostor(reply) as (port, heard):
        file = KeyFile(str(tmp_path / STATE), port)
        words = ("open", "--http", f"127.0.0.1:{port}")
        without = run_command(tmp_path, *words, face="tebiki", env=browser)
        file.write(new_key(), f"http://127.0.0.1:{port}")
        with_key = run_command(tmp_path, *words, face="tebiki", env=browser)

    assert (without.code, with_key.code) == (2, 2)
    assert "no tebiki server of yours" in with_key.stderr
    assert [set(json.loads(body)) for body in heard] == [{"nonce", "login"}]
    assert not (tmp_path / "seen.json").exists()
    assert not list((tmp_path / STATE / "page").glob("open-*"))


@pytest.mark.requirement("page:open:verifies")
def test_a_browser_is_led_to_the_number_that_was_asked(
    tmp_path: Path, browser: dict[str, str]
) -> None:
    """A name may lead elsewhere, to somebody who passes the question on and keeps the secret."""
    with HttpProcess(tmp_path, bind="localhost:0") as server:
        words = ("open", "--http", f"localhost:{server.port}", "--json")
        done = run_command(tmp_path, *words, face="tebiki", env=browser)

    assert json.loads(done.stdout)["url"] == f"http://127.0.0.1:{server.port}/"


@pytest.mark.requirement("page:open:verifies")
def test_a_key_that_others_can_read_is_none(tmp_path: Path) -> None:
    """Nor is a link to one, or what is no key."""
    key, file = new_key(), KeyFile(str(tmp_path), 1)
    file.write(key, "http://127.0.0.1:1")
    path = tmp_path / "page" / "1.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert file.read() == (key, "http://127.0.0.1:1")

    path.chmod(0o640)
    assert file.read() is None
    path.chmod(0o600)
    path.rename(path.with_suffix(".moved"))
    path.symlink_to(path.with_suffix(".moved"))
    assert file.read() is None
    path.unlink()
    path.write_text('{"key": "zz"}')
    path.chmod(0o600)
    assert file.read() is None

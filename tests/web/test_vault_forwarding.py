"""One server owns the notes, another forwards to it: clients cannot tell, others stay out."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from contextlib import ExitStack, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.vault.forwarder import PATH, Forwarder, OwnerPlace
from tebiki.vault.sealing import HEADER, Sealer
from tests.support.command import run_command
from tests.support.http_process import HttpProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECRET = "0123456789abcdef" * 4
VARIABLE = "NOTES_SECRET"
CONFIG = f"vault: {{owner_secret_env: {VARIABLE}}}\n"
FLAGS = ("--toolsets", "manuals,vault,notes")


class Pair:
    """The owner, and a server that forwards to it, perhaps by a detour."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self.owner = self.start("owner", CONFIG)
        self.notes = folder / "owner" / "vault"

    def start(self, name: str, config: str, secret: str = SECRET) -> HttpProcess:
        """Start a server with a home of its own."""
        home = self._folder / name
        (home / "manuals").mkdir(parents=True, exist_ok=True)
        (home / "config.yaml").write_text(config)
        return self._stack.enter_context(
            HttpProcess(home, *FLAGS, "--config", str(home / "config.yaml"), env={VARIABLE: secret})
        )

    def replica(self, port: int | None = None, secret: str = SECRET) -> HttpProcess:
        """Start a server that forwards."""
        url = f"http://127.0.0.1:{port or self.owner.port}"
        config = f"vault: {{owner_secret_env: {VARIABLE}, owner_url: '{url}'}}\n"
        return self.start("replica", config, secret)


@pytest.fixture(name="pair")
def _pair(tmp_path: Path) -> Iterator[Pair]:
    with ExitStack() as stack:
        yield Pair(tmp_path, stack)


def told(server: HttpProcess, tool: str, arguments: dict[str, Any]) -> Any:
    """What a client of a server gets."""
    result = server.talk(modern=True).call(1, tool, arguments)["result"]
    return result["structuredContent"]


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("vault_ls", {}),
    ("vault_create", {"path": "a/b.md", "content": "一行目\nsecond\n"}),
    ("vault_create", {"path": "a/b.md", "content": "again"}),
    ("vault_read", {"path": "a/b.md", "full": True}),
    ("vault_read", {"path": "a/b.md", "range": {"start_line": 2}}),
    ("vault_scan", {"path": "a/b.md"}),
    ("vault_append", {"path": "a/b.md", "content": "third 😀 \x00 \u2028"}),
    ("vault_replace", {"path": "a/b.md", "find": "second", "replace": "2"}),
    ("vault_replace", {"path": "a/b.md", "find": "2", "replace": "3", "if_match": "0" * 64}),
    ("vault_replace", {"path": "a/b.md", "find": "2", "replace": "3", "dry_run": True}),
    ("vault_find", {"query": "third"}),
    ("vault_read", {"path": "../etc/passwd", "full": True}),
    ("vault_read", {"path": "none.md", "full": True}),
    ("vault_create", {"path": ".system/x.md", "content": "x"}),
)


@pytest.mark.requirement("vault:forwarding:same")
def test_a_server_that_forwards_answers_as_the_owner_does(pair: Pair, tmp_path: Path) -> None:
    """Every tool, its failures included; the notes are the owner's alone."""
    replica = pair.replica()
    alone = pair.start("alone", "{}\n")

    forwarded = [told(replica, tool, arguments) for tool, arguments in CALLS]
    direct = [told(alone, tool, arguments) for tool, arguments in CALLS]

    assert forwarded == direct
    assert (pair.notes / "a" / "b.md").exists()
    assert not (tmp_path / "replica" / "vault").exists()


@pytest.mark.requirement("vault:forwarding:away")
def test_while_the_owner_is_away_the_notes_say_so(pair: Pair) -> None:
    """In words, with what may have been written; other tools go on, and it is found again."""
    replica = pair.replica()
    told(replica, "vault_create", {"path": "a.md", "content": "x\n"})
    pair.owner.stop()

    read = told(replica, "vault_read", {"path": "a.md", "full": True})
    write = told(replica, "vault_append", {"path": "a.md", "content": "y"})
    listed = told(replica, "manual_ls", {})

    assert read["code"] == write["code"] == "conflict"
    assert "on another server, which cannot be reached" in read["message"]
    assert "Nothing was written" in write["message"]
    assert "code" not in listed
    assert (pair.notes / "a.md").read_text() == "x\n"


@pytest.mark.requirement("vault:forwarding:sealed")
def test_only_who_has_the_secret_gets_in(pair: Pair) -> None:
    """Not without a seal, with another's, the same again, a changed one, or an old one."""
    call = {"id": "0" * 32, "tool": "vault_ls", "arguments": {}, "client": "a"}
    body = json.dumps(call).encode()
    now, sealer = time.time(), Sealer(SECRET)

    def post(seal: str | None, sent: bytes = body) -> int:
        headers = {} if seal is None else {HEADER: seal}
        return pair.owner.request("POST", PATH, sent, headers).status

    good = sealer.seal(now, "ab" * 16, body)
    assert post(good) == 200
    assert post(good) == 403
    assert post(None) == 403
    assert post("v1 1 2 3") == 403
    assert post(Sealer("x" * 64).seal(now, "cd" * 16, body)) == 403
    assert post(sealer.seal(now, "ef" * 16, body), body.replace(b"_ls", b"_xx")) == 403
    for seconds in (-3600, 3600):
        assert post(sealer.seal(now + seconds, os.urandom(16).hex(), body)) == 403
    huge = b" " * (13 * 1024 * 1024)
    assert post(sealer.seal(now, "12" * 16, huge), huge) == 413
    assert pair.owner.request("GET", PATH).status == 403


@pytest.mark.requirement("vault:forwarding:sealed")
@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"\xff", b'{"tool": 1}', b"[" * 100_000])
def test_a_sealed_call_that_makes_no_sense_breaks_nothing(pair: Pair, body: bytes) -> None:
    """Even from a server that we trust."""
    seal = Sealer(SECRET).seal(time.time(), os.urandom(16).hex(), body)

    status = pair.owner.request("POST", PATH, body, {HEADER: seal}).status

    assert status in {200, 500}
    assert told(pair.owner, "vault_ls", {})["items"] == []


class Impostor(BaseHTTPRequestHandler):
    """Refuses every call, in words that hide something."""

    def do_POST(self) -> None:
        """Refuse one."""
        self.rfile.read(int(self.headers["content-length"]))
        words = "no\x1b[31m\u202e such\u200b thing".encode()
        self.send_response(403)
        self.send_header("content-length", str(len(words)))
        self.end_headers()
        self.wfile.write(words)

    def log_message(self, *_: object) -> None:
        """Leave stderr to the tests."""


@pytest.mark.requirement("vault:forwarding:sealed")
def test_nothing_hidden_comes_from_what_is_no_owner(pair: Pair) -> None:
    """Its words are repeated, for a person to see what stands there."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Impostor) as impostor:
        threading.Thread(target=impostor.serve_forever, daemon=True).start()
        words = told(pair.replica(impostor.server_address[1]), "vault_ls", {})["message"]
        impostor.shutdown()

    assert words.startswith("The server that vault.owner_url names refused the call (403): no such")


@pytest.mark.requirement("vault:forwarding:sealed", "vault:forwarding:once")
def test_a_wrong_secret_and_a_circle_are_told(pair: Pair) -> None:
    """A forwarded call is never forwarded."""
    stranger = pair.replica(secret="f" * 64)
    words = told(stranger, "vault_ls", {})["message"]
    assert "refused the call (403)" in words
    assert "same secret" in words
    url = f"http://127.0.0.1:{stranger.port}"
    config = f"vault: {{owner_secret_env: {VARIABLE}, owner_url: '{url}'}}\n"

    circle = pair.start("circle", config, "f" * 64)

    assert "vault.owner_url must name the owner" in told(circle, "vault_ls", {})["message"]


class CutOnce:
    """A way to a port that is cut after so many bytes, the first time; later it is whole."""

    def __init__(self, port: int, request_bytes: int | None, answer_bytes: int | None) -> None:
        self._target = port
        self._budgets = [request_bytes, answer_bytes]
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Listen no more."""
        self._listener.close()

    def _serve(self) -> None:
        budgets = self._budgets
        with suppress(OSError):
            while True:
                here, _ = self._listener.accept()
                there = socket.create_connection(("127.0.0.1", self._target))
                ways = ((here, there, budgets[0]), (there, here, budgets[1]))
                for way in ways:
                    threading.Thread(target=_pump, args=way, daemon=True).start()
                budgets = [None, None]


def _pump(source: socket.socket, sink: socket.socket, budget: int | None) -> None:
    with suppress(OSError):
        while data := source.recv(65_536 if budget is None else max(1, min(budget, 65_536))):
            if budget is not None and budget <= 0:
                break
            if budget is not None:
                budget -= len(data)
            sink.sendall(data)
    for end in (source, sink):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()


@pytest.mark.requirement("vault:forwarding:once")
def test_a_line_cut_at_any_byte_loses_no_write_and_doubles_none(pair: Pair) -> None:
    """In the question or in the answer: the call is sent again, and the note has each line once."""
    told(pair.owner, "vault_create", {"path": "log.md", "content": "begin\n"})
    cuts: list[tuple[int | None, int | None]] = [(at, None) for at in range(0, 520, 40)]
    cuts += [(None, at) for at in range(0, 440, 40)]

    for number, (request_bytes, answer_bytes) in enumerate(cuts):
        way = CutOnce(pair.owner.port, request_bytes, answer_bytes)
        forwarder = Forwarder(
            OwnerPlace(f"http://127.0.0.1:{way.port}"),
            Sealer(SECRET),
            time.time,
            lambda: os.urandom(16).hex(),
        )
        arguments = {"path": "log.md", "content": f"line {number}"}
        given = forwarder.call("vault_append", arguments, "a", writes=True)
        way.close()
        assert given["written_path"] == "log.md"

    lines = (pair.notes / "log.md").read_text().split("\n")
    assert [line for line in lines if line] == ["begin", *(f"line {n}" for n in range(len(cuts)))]


@pytest.mark.requirement("vault:forwarding:settings")
@pytest.mark.parametrize(
    ("vault", "secret", "words"),
    [
        ("{owner_url: 'https://notes.example'}", SECRET, "needs vault.owner_secret_env"),
        (f"{{owner_secret_env: {VARIABLE}}}", "", "which is not set"),
        (f"{{owner_secret_env: {VARIABLE}}}", "short", "too short"),
        (
            f"{{owner_secret_env: {VARIABLE}, owner_url: 'http://notes.example'}}",
            SECRET,
            "must be https:// unless it is loopback",
        ),
    ],
)
def test_settings_that_do_not_lead_there_stop_the_start(
    tmp_path: Path, vault: str, secret: str, words: str
) -> None:
    """In one line, which does not repeat the secret."""
    (tmp_path / "config.yaml").write_text(f"vault: {vault}\n")

    ended = run_command(
        tmp_path,
        "--http",
        "127.0.0.1:0",
        "--config",
        str(tmp_path / "config.yaml"),
        face="tebiki",
        env={VARIABLE: secret},
    )

    assert ended.code != 0
    assert words in ended.stderr
    assert SECRET not in ended.stderr

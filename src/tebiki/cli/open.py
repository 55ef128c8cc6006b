"""`tebiki open`: the page in a browser, logged in as the user who typed it.

A server that listens already is asked to prove that it is this user's before anything is told to
it; where none does, one is started here and stays in the foreground. The secret of the login is
in no argument and no address that a log would keep: it stands in a file for this user alone, which
leads the browser to the page.
"""

from __future__ import annotations

import html
import http.client
import json
import os
import secrets
import socket
import threading
import time
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tebiki.app.app import App
from tebiki.cli import render
from tebiki.cli.arguments import chosen_toolsets
from tebiki.cli.commands import DONE
from tebiki.cli.parsers import CommandParser
from tebiki.config.sources import Given, load
from tebiki.errors import UsageError
from tebiki.named_tuples import NamedTuple
from tebiki.system.private_files import open_regular
from tebiki.web.page.own_key import SECRET_SECONDS, KeyFile, proof_text

if TYPE_CHECKING:
    import argparse

    from tebiki.app.faces import Face
    from tebiki.web.addresses import ListenAddress
    from tebiki.web.page.own_key import OwnKey
    from tebiki.web.settings import WebSettings

CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 30.0
"""A server that was just started first imports what it serves with."""

TOO_LATE = (
    "No browser came in time; run tebiki open again. A browser in a sandbox (snap, flatpak) may "
    "not read the file that signs you in: name another one in BROWSER."
)
LOOK_SECONDS = 0.25
LONGEST_PROOF = 4096


class Proof(NamedTuple):
    """What a server of ours tells: does one log in by a token, and was a secret used."""

    needs_token: bool
    was_used: bool


def run(face: Face, words: list[str]) -> int:
    """Open the page; starts a server where none listens, and serves until told to stop."""
    typed = parser().parse_args(words)
    given = Given(
        typed.config, http_bind=typed.http, manuals_root=typed.manuals, vault_root=typed.vault
    )
    loaded = load(given, face.config_path)
    app = App(face, loaded, chosen_toolsets(face, None), read_only=typed.read_only)
    for warning in loaded.warnings:
        app.log.warning(warning)
    settings = _settings(app)
    if not settings.page:
        raise UsageError("the page is off here: set http.page to true, or listen on loopback")
    if _is_listening(settings.place):
        _show(_own_server(app, settings.place), typed)
        return DONE
    return _serve(app, typed)


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(
        prog="tebiki open",
        description="Open the page in a browser, signed in. Where no server listens one is "
        "started, and serves until Ctrl-C.",
    )
    made.add_argument("--http", metavar="HOST:PORT", help="where the server listens (http.bind)")
    made.add_argument(
        "--manuals", metavar="DIR", help="folder of manuals for a server started here"
    )
    made.add_argument("--vault", metavar="DIR", help="folder of notes for a server started here")
    made.add_argument("--read-only", action="store_true", help="start one that changes nothing")
    made.add_argument(
        "--no-browser", action="store_true", help="only say what to open, and within which time"
    )
    made.add_shared()
    return made


class OwnServer(NamedTuple):
    """A server that has this user's key."""

    place: ListenAddress
    key: OwnKey
    folder: str

    @property
    def url(self) -> str:
        """The page, as a browser of this machine calls it."""
        return f"{_near(self.place).url('/')}"

    def prove(self, login: str = "") -> Proof | None:
        """Ask the server to prove itself; None when what listens there cannot."""
        nonce = secrets.token_hex(16)
        told = _ask(_near(self.place), {"nonce": nonce, "login": login})
        used, needs_token = told.get("used"), told.get("needs_token")
        signature = told.get("proof")
        said = proof_text(self.place.port, nonce, login, used=used, needs_token=needs_token)
        if not isinstance(signature, str) or not self.key.is_signed("server", said, signature):
            return None
        return Proof(bool(needs_token), bool(used))


class LoginFile:
    """The file that leads a browser to the page with a secret; it lives as long as the secret."""

    def __init__(self, server: OwnServer) -> None:
        self._server = server
        self.path = os.path.join(server.folder, f"open-{secrets.token_hex(8)}.html")
        secret = server.key.new_login(time.time())
        self.login = secret.split(".")[1]
        self._write(f"{server.url}#secret={secret}")

    def _write(self, address: str) -> None:
        shown = html.escape(address)
        page = (
            '<!doctype html><meta charset="utf-8"><title>tebiki</title>'
            '<meta name="referrer" content="no-referrer">'
            f'<meta http-equiv="refresh" content="0; url={shown}">'
            f'<a href="{shown}">tebiki</a>\n'
        )
        os.makedirs(self._server.folder, mode=0o700, exist_ok=True)
        sweep(self._server.folder, time.time() - SECRET_SECONDS)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with open(open_regular(self.path, flags), "w", encoding="utf-8") as file:
            file.write(page)

    def wait(self) -> bool:
        """Wait until a browser has come with the secret, as long as it is good."""
        until = time.monotonic() + SECRET_SECONDS
        while time.monotonic() < until:
            proof = self._server.prove(self.login)
            if proof is None:
                return False
            if proof.was_used:
                return True
            time.sleep(LOOK_SECONDS)
        return False

    def remove(self) -> None:
        """Take the file away."""
        with suppress(OSError):
            os.unlink(self.path)


def _settings(app: App) -> WebSettings:
    from tebiki.app.http import require_extra

    require_extra()
    from tebiki.app.http_settings import web_settings

    return web_settings(app.loaded.settings)


def _serve(app: App, typed: argparse.Namespace) -> int:
    """Serve here, and open the page once the server answers."""
    from tebiki.app.http import serve_http
    from tebiki.screens.page import make_page

    def open_page(place: ListenAddress) -> None:
        try:
            _show(_own_server(app, place), typed)
        except UsageError as failed:  # the server itself goes on
            app.log.warning(str(failed))

    def on_listening(place: ListenAddress) -> None:
        threading.Thread(target=open_page, args=(place,), name="open", daemon=True).start()

    try:
        serve_http(app, make_page, on_listening)
    finally:
        sweep(os.path.join(app.loaded.state_folder, "page"), time.time())
    return DONE


def sweep(folder: str, before: float) -> None:
    """Take away what commands that were killed have left: their secrets are good for nothing."""
    for left in Path(folder).glob("open-*.html"):
        with suppress(OSError):
            if left.stat().st_mtime <= before:
                left.unlink()


def _own_server(app: App, place: ListenAddress) -> OwnServer:
    """The server that listens, once it has proved to be this user's.

    Raises:
        UsageError: something else listens there.
    """
    file = KeyFile(app.loaded.state_folder, place.port)
    found = file.read()
    if found is not None:
        server = OwnServer(place, found[0], os.path.dirname(file.path))
        if server.prove() is not None:
            return server
    raise UsageError(
        f"{place} is taken by something that is no tebiki server of yours with its page on: "
        "end it, or choose another place (tebiki open --http :PORT)"
    )


def _show(server: OwnServer, typed: argparse.Namespace) -> None:
    """Lead a browser to the page; where one logs in by a token, without a secret."""
    proof = server.prove()
    if proof is None:
        raise UsageError(f"the server at {server.place} does not answer any more")
    if proof.needs_token:
        _lead(server.url, typed, f"sign in with a token at {server.url}")
        _tell(server, typed, signed_in=False)
        return
    try:
        file = LoginFile(server)
    except OSError as refused:
        raise UsageError(f"{server.folder} cannot be written: {refused.strerror}") from refused
    try:
        words = f"open this file in a browser within {SECRET_SECONDS} seconds: {file.path}"
        _lead(Path(file.path).as_uri(), typed, words)
        came = file.wait()
        if not came:
            render.err_line(TOO_LATE)
        _tell(server, typed, signed_in=came)
    finally:
        file.remove()


def _tell(server: OwnServer, typed: argparse.Namespace, *, signed_in: bool) -> None:
    if typed.json:
        render.out_json({"url": server.url, "signed_in": signed_in})


def _lead(address: str, typed: argparse.Namespace, otherwise: str) -> None:
    """Start a browser, or say what to open."""
    if typed.no_browser or not webbrowser.open(address):
        render.err_line(f"{otherwise[0].upper()}{otherwise[1:]}")


def _near(place: ListenAddress) -> ListenAddress:
    """The same place by its number: what listens everywhere listens on loopback too.

    A name could lead a browser to another number than the one that was asked for the proof, where
    somebody else passes questions on.
    """
    from tebiki.web.addresses import EVERY_ADDRESS

    is_named = place.host == "localhost" or place.host in EVERY_ADDRESS
    return place._replace(host="127.0.0.1") if is_named else place


def _is_listening(place: ListenAddress) -> bool:
    if not place.port:
        return False
    near = _near(place)
    try:
        socket.create_connection((near.host, near.port), CONNECT_SECONDS).close()
    except OSError:
        return False
    return True


def _ask(place: ListenAddress, body: dict[str, str]) -> dict[str, Any]:
    """Put a question to whatever listens; what cannot be read is an empty answer."""
    connection = http.client.HTTPConnection(place.host, place.port, timeout=ANSWER_SECONDS)
    headers = {"content-type": "application/json", "host": str(place)}
    try:
        connection.request("POST", "/ui/proof", json.dumps(body), headers)
        told = json.loads(connection.getresponse().read(LONGEST_PROOF))
    except (OSError, ValueError, http.client.HTTPException, RecursionError):
        return {}
    finally:
        connection.close()
    return told if isinstance(told, dict) else {}

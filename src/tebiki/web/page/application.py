"""The page as an application of its own: which address gives what, and to whom.

Not here: who is let in (`visits`), what a screen shows (the desk it is given).
"""

from __future__ import annotations

import asyncio
import hmac
from typing import TYPE_CHECKING, Any

from tebiki.named_tuples import NamedTuple
from tebiki.web.access_log import keep_quiet, note
from tebiki.web.page.files import LANGUAGE_COOKIE, STATIC_PATH
from tebiki.web.page.own_key import proof_text
from tebiki.web.page.replies import (
    NO_STORE,
    PageReply,
    RefusedRequest,
    failure,
    json_reply,
    send_reply,
)
from tebiki.web.page.requests import KEY_HEADER, PageRequest
from tebiki.web.page.visits import sign_picture

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tebiki.web.asgi import Receive, Scope, Send
    from tebiki.web.page.counter import Counter
    from tebiki.web.page.files import PageFiles
    from tebiki.web.page.own_key import OwnKey
    from tebiki.web.page.visits import Visit, Visits

SHELL_PATH = "/"
SESSION_PATH = "/ui/session"
PROOF_PATH = "/ui/proof"
API_PATH = "/ui/api/"

LONGEST_NONCE = 200

OFF = failure("not_found", "The page is off; MCP is served at /mcp.")


class PageFacts(NamedTuple):
    """What the page has to know of its server.

    `shown` is what a browser that is logged in is told besides; `port` makes the cookie's name one
    that no other server of this machine uses.
    """

    version: str
    port: int
    known_origins: frozenset[str]
    shown: Mapping[str, Any]

    @property
    def cookie(self) -> str:
        """The name of the cookie."""
        return f"tebiki_session_{self.port}"


class PageApplication:
    """Answers browsers; every other layer of the door has seen the request before."""

    def __init__(
        self,
        facts: PageFacts,
        files: PageFiles,
        *,
        visits: Visits,
        own: OwnKey,
        counter: Counter,
        is_on: Callable[[], bool],
    ) -> None:
        self._facts = facts
        self._files = files
        self._visits = visits
        self._own = own
        self._counter = counter
        self._is_on = is_on
        self._waited_for = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        request = PageRequest(scope)
        try:
            if request.path.startswith(API_PATH) and self._is_on():
                await self._api(request, scope, receive, send)
                return
            reply = await self._reply(request, scope, receive) if self._is_on() else OFF
        except RefusedRequest as refused:
            reply = refused.reply
        await send_reply(send, reply, without_body=request.method == "HEAD")

    async def _reply(self, request: PageRequest, scope: Scope, receive: Receive) -> PageReply:
        if request.path == SESSION_PATH:
            return await self._session(request, receive)
        if request.path == PROOF_PATH:
            return await self._prove(request, scope, receive)
        if request.method not in {"GET", "HEAD"}:
            return wrong_method("GET, HEAD")
        if request.path == SHELL_PATH:
            return await self._shell(request)
        found = None
        if request.path.startswith(STATIC_PATH):
            known = request.header(b"if-none-match")
            found = self._files.static(request.path, known.encode("latin-1") if known else None)
        return found or failure("not_found", "There is nothing here.")

    async def _shell(self, request: PageRequest) -> PageReply:
        chosen = request.query.get("language")
        language = request.language(chosen)
        visit = await self._visit_of_cookie(request)
        # A stranger learns what it takes to sign in, and nothing else.
        reply = self._files.shell(language, self._state(language, is_let_in=visit is not None))
        vary = (b"vary", b"accept-language, cookie")
        chose = ((b"set-cookie", _language_cookie(language)),) if chosen == language else ()
        return reply._replace(headers=(NO_STORE, vary, *chose))

    def _state(self, language: str, *, is_let_in: bool) -> dict[str, Any]:
        state: dict[str, Any] = {
            "language": language,
            "version": self._facts.version,
            "tokens": self._visits.needs_token(),
            "signed_in": is_let_in,
            "session": is_let_in,
        }
        return {**state, **self._facts.shown} if is_let_in else state

    async def _session(self, request: PageRequest, receive: Receive) -> PageReply:
        if request.method == "POST":
            return await self._log_in(request, receive)
        if request.method == "GET":
            request.require_own_page(self._facts.known_origins, writes=False)
            await self._visit(request)
            return json_reply(self._state(request.language(), is_let_in=True))
        if request.method == "DELETE":
            request.require_own_page(self._facts.known_origins, writes=True)
            visit = await self._visit(request)
            await self._visits.ask(lambda: self._visits.end(visit))
            gone = self._cookie("", request, seconds=0)
            return PageReply(204, headers=(NO_STORE, (b"set-cookie", gone)))
        return wrong_method("GET, POST, DELETE")

    async def _log_in(self, request: PageRequest, receive: Receive) -> PageReply:
        request.require_own_page(self._facts.known_origins, writes=True)
        visits = self._visits
        await visits.ask(lambda: visits.count_login(request.peer))
        body = await request.body(receive)
        opened = await visits.ask(lambda: visits.open(_text(body, "secret"), _text(body, "token")))
        if opened is None:
            if visits.needs_token():
                return failure("bad_login", "This token is not in force.")
            return failure(
                "used_link",
                "This link was used already, or is older than a minute; run tebiki open again.",
            )
        cookie = self._cookie(opened.cookie, request)
        return json_reply({"key": opened.key}, headers=((b"set-cookie", cookie),))

    async def _prove(self, request: PageRequest, scope: Scope, receive: Receive) -> PageReply:
        """Prove to a command of our own user that this is the server that left the key.

        What was asked comes back signed, so that nobody can prove it who has not the key; a browser
        has no use for it and sends an Origin, by which it is refused.
        """
        if request.method != "POST":
            return wrong_method("POST")
        if request.header(b"origin") is not None or request.header(b"sec-fetch-site") is not None:
            raise RefusedRequest("foreign_origin", "This is for commands, not for browsers.")
        body = await request.body(receive)
        nonce, login = _text(body, "nonce") or "", _text(body, "login") or ""
        if not 0 < len(nonce) <= LONGEST_NONCE or len(login) > LONGEST_NONCE:
            raise RefusedRequest("invalid_parameter", "nonce must be a short text.")
        visits = self._visits
        used = bool(login) and await visits.ask(lambda: visits.was_used(login))
        if login and login == self._waited_for:
            keep_quiet(scope)  # `tebiki open` asks four times a second while a browser starts
        self._waited_for = login
        needs_token = self._visits.needs_token()
        said = proof_text(self._facts.port, nonce, login, used=used, needs_token=needs_token)
        proof = self._own.sign("server", said)
        return json_reply({"proof": proof, "used": used, "needs_token": needs_token})

    async def _api(self, request: PageRequest, scope: Scope, receive: Receive, send: Send) -> None:
        writes = request.method not in {"GET", "HEAD"}
        request.require_own_page(self._facts.known_origins, writes=writes)
        route = self._counter.route_of(request)
        know = self._visit_by_address if route.is_picture else self._visit
        visit = await know(request)
        note(scope, "client", visit.principal.name)
        note(scope, "screen", route.name.partition(" ")[2])
        arguments = await self._counter.arguments(route, request, receive)
        asked = asyncio.ensure_future(self._counter.serve(route, arguments, visit, send))
        gone = asyncio.ensure_future(receive())
        try:
            await asyncio.wait((asked, gone), return_when=asyncio.FIRST_COMPLETED)
            if asked.done():
                asked.result()
        finally:
            # Whoever has gone waits for nothing: the work is called off with the task.
            asked.cancel()
            gone.cancel()

    async def _visit(self, request: PageRequest) -> Visit:
        """The visit of a request that shows both the cookie and the key.

        Raises:
            RefusedRequest: it does not, or the visit has ended.
        """
        cookie, key = request.cookies.get(self._facts.cookie), request.header(KEY_HEADER)
        if cookie is None or not key:
            raise RefusedRequest("no_session", "Sign in first.")
        visit = await self._visits.ask(lambda: self._visits.holds_key(cookie, key))
        if visit is None:
            raise RefusedRequest("session_ended", "The session has ended; sign in again.")
        return visit

    async def _visit_by_address(self, request: PageRequest) -> Visit:
        """The visit of a picture: an element of a page sends no header, so its address is signed.

        Raises:
            RefusedRequest: the address was not made for this visit.
        """
        visit = await self._visit_of_cookie(request)
        if visit is None:
            raise RefusedRequest("no_session", "Sign in first.")
        query = request.query
        signature = sign_picture(visit.owner, query.get("manual", ""), query.get("path", ""))
        if not hmac.compare_digest(signature.encode(), query.get("sig", "").encode()):
            raise RefusedRequest("forbidden", "This address of a picture is none of ours.")
        return visit

    async def _visit_of_cookie(self, request: PageRequest) -> Visit | None:
        cookie = request.cookies.get(self._facts.cookie)
        return await self._visits.ask(lambda: self._visits.of(cookie))

    def _cookie(self, value: str, request: PageRequest, seconds: int | None = None) -> bytes:
        parts = [f"{self._facts.cookie}={value}", "Path=/", "HttpOnly", "SameSite=Strict"]
        parts += ["Secure"] if request.is_secure else []
        parts += [f"Max-Age={seconds}"] if seconds is not None else []
        return "; ".join(parts).encode("latin-1")


def wrong_method(allowed: str) -> PageReply:
    """Say which methods an address takes."""
    reply = failure("wrong_method", f"This address takes {allowed}.")
    return reply._replace(headers=(*reply.headers, (b"allow", allowed.encode())))


def _text(body: dict[str, Any], name: str) -> str | None:
    value = body.get(name)
    return value if isinstance(value, str) else None


def _language_cookie(language: str) -> bytes:
    return f"{LANGUAGE_COOKIE}={language}; Path=/; SameSite=Strict; Max-Age=31536000".encode()

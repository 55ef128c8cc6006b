"""Who looks at the page: a visit begins with a login, and ends with its token or half a day idle.

A browser shows two things: a cookie that no script can read, and a key that no other origin can.
Cookies know no ports, so another user's program that listens on this machine may be sent the
cookie; the key, which the page keeps for its own origin, is never sent to anybody else. Only hashes
of both are kept, in the store that all workers share.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import secrets
from typing import TYPE_CHECKING, Any, TypeVar

from tebiki.named_tuples import NamedTuple
from tebiki.state.store import EVERYBODY, Shelf
from tebiki.web.page.replies import RefusedRequest
from tebiki.web.principals import LOCAL, Principal
from tebiki.web.tokens import digest_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.state.store import StateStore
    from tebiki.web.page.own_key import OwnKey
    from tebiki.web.tokens_in_force import KnownTokens

Given = TypeVar("Given")

IDLE_SECONDS = 12 * 60 * 60
RENEW_SECONDS = 5 * 60
"""A visit in use is written down again so often, not with each request."""

MINUTE = 60
LOGINS_A_MINUTE = 30
"""Of one address; a person needs one, and nobody guesses 256 bits."""

ID_BYTES = 32
LONGEST_NAME = 200
COOKIE_VALUE = re.compile(rf"([0-9a-f]{{{2 * ID_BYTES}}})~([A-Za-z0-9._:-]{{1,{LONGEST_NAME}}})")

KeptVisit = dict[str, Any] | None
"""What is kept of a visit; nothing once it was ended."""

VISITS: Shelf[KeptVisit] = Shelf("page visits", most=50, seconds=IDLE_SECONDS)
"""By principal: nobody's logins push out those of others."""

USED_SECRETS: Shelf[bool] = Shelf("page secrets", most=10_000, seconds=10 * MINUTE)
"""Secrets that were posted; kept far longer than any of them is good."""


class Visit(NamedTuple):
    """A browser that is logged in: as whom, and the hashes of its cookie and of its key."""

    principal: Principal
    identifier: str
    seal: str

    @property
    def owner(self) -> str:
        """The name by which everything is kept that this visit leaves behind.

        Whoever has only the cookie cannot tell it.
        """
        return f"{self.principal.name}/page:{self.seal}"


def sign_picture(owner: str, manual: str, path: str) -> str:
    """What makes the address of a picture good, for one visit alone.

    An element of a page can show no key, and every machine that knows the visit can check this.
    """
    named = f"{manual}\0{path}".encode("utf-8", "surrogatepass")
    return hmac.new(owner.encode(), named, "sha256").hexdigest()


class Opened(NamedTuple):
    """What a browser gets for a login: the cookie's value and the key."""

    cookie: str
    key: str


class Visits:
    """Lets browsers in, and knows them again."""

    def __init__(
        self, store: StateStore, tokens: KnownTokens | None, own: OwnKey, clock: Callable[[], float]
    ) -> None:
        self._store = store
        self._tokens = tokens
        self._own = own
        self._clock = clock

    async def ask(self, wanted: Callable[[], Given]) -> Given:
        """Ask something here from a loop, which a store on another machine must not hold up."""
        return await asyncio.to_thread(wanted) if self._store.waits else wanted()

    def needs_token(self) -> bool:
        """Tell whether one logs in by a token; otherwise `tebiki open` logs its own user in."""
        return self._tokens is not None and self._tokens.are_needed()

    def count_login(self, peer: str) -> None:
        """Count an attempt before anything of it is looked at.

        Raises:
            RefusedRequest: there were too many from this address.
        """
        if self._store.count("page logins", peer, MINUTE) > LOGINS_A_MINUTE:
            wait = MINUTE - int(self._clock()) % MINUTE
            raise RefusedRequest(
                "rate_limited", "Too many attempts to sign in; wait a minute.", retry_after=wait
            )

    def open(self, secret: str | None, token: str | None) -> Opened | None:
        """Begin a visit for a secret or a token that is good; a secret is good once."""
        if self.needs_token():
            name = self._name_of(token)
            if name is None or token is None:
                return None
            return self._begin(Principal(f"token:{name}"), digest_of(token))
        known = self._own.login_id(secret, self._clock()) if secret else None
        if known is None or not self._store.add(USED_SECRETS, EVERYBODY, known, True):
            return None
        return self._begin(LOCAL, None)

    def was_used(self, login: str) -> bool:
        """Tell whether somebody came with a secret."""
        return self._store.get(USED_SECRETS, EVERYBODY, login) is not None

    def of(self, cookie: str | None) -> Visit | None:
        """The visit of a cookie, if it goes on; `holds_key` asks for its key too."""
        found = self._kept(cookie)
        return None if found is None else found[0]

    def holds_key(self, cookie: str | None, key: str) -> Visit | None:
        """The visit of a cookie, for whoever has its key too; it goes on for half a day more."""
        found = self._kept(cookie)
        if found is None:
            return None
        visit, kept = found
        if not hmac.compare_digest(_hash(key), kept["key"]):
            return None
        now = self._clock()
        if abs(now - kept["seen"]) >= RENEW_SECONDS:
            name = visit.principal.name
            renewed: KeptVisit = {**kept, "seen": now}
            self._store.put(VISITS, name, visit.identifier, renewed)
        return visit

    def end(self, visit: Visit) -> None:
        """End a visit at once, for all workers."""
        self._store.put(VISITS, visit.principal.name, visit.identifier, None)

    def _kept(self, cookie: str | None) -> tuple[Visit, dict[str, Any]] | None:
        match = COOKIE_VALUE.fullmatch(cookie) if cookie is not None else None
        if match is None:
            return None
        name, identifier = match[2], _hash(match[1])
        kept = self._store.get(VISITS, name, identifier)
        if kept is None or not self._is_still_let_in(kept["token"], name):
            return None
        return Visit(Principal(name), identifier, kept["key"]), kept

    def _is_still_let_in(self, token: str | None, name: str) -> bool:
        """Tell whether what a visit was begun with is still good."""
        if token is None:
            return not self.needs_token()
        return self._tokens is not None and f"token:{self._tokens.name_of_digest(token)}" == name

    def _name_of(self, token: str | None) -> str | None:
        return self._tokens.name_of(token) if token and self._tokens is not None else None

    def _begin(self, principal: Principal, token: str | None) -> Opened:
        identifier, key = secrets.token_hex(ID_BYTES), secrets.token_hex(ID_BYTES)
        kept: KeptVisit = {"token": token, "key": _hash(key), "seen": self._clock()}
        self._store.put(VISITS, principal.name, _hash(identifier), kept)
        return Opened(f"{identifier}~{principal.name}", key)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

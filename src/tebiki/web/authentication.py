"""The doorkeeper: takes a request's token, finds its principal, or says what is missing.

The token is looked for in one place, the Authorization header; never in an address, where logs and
histories would keep it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple
from tebiki.web.access_log import note
from tebiki.web.addresses import well_known
from tebiki.web.asgi import answer, discard, header_values
from tebiki.web.principals import LOCAL, Principal, admit
from tebiki.web.tokens import PREFIX

if TYPE_CHECKING:
    from tebiki.web.asgi import Application, Receive, Scope, Send
    from tebiki.web.oauth import OAuthTokens
    from tebiki.web.settings import OAuth
    from tebiki.web.tokens_in_force import KnownTokens

LONGEST_TOKEN = 8 * 1024
"""Bytes; a signed token with many claims has two thousand."""

METADATA_PATH = "/.well-known/oauth-protected-resource"


class Issuer(NamedTuple):
    """What is asked of an issuer's tokens, and who reads them."""

    settings: OAuth
    tokens: OAuthTokens


class Keepers(NamedTuple):
    """Who can tell whose token it is; where nobody can, nobody is asked."""

    tokens: KnownTokens | None = None
    oauth: Issuer | None = None


class Doorkeeper:
    """Lets a request in under its principal's name."""

    def __init__(self, application: Application, keepers: Keepers) -> None:
        self._application = application
        self._tokens, self._oauth = keepers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if not self._is_token_needed():
            await self._application(admit(scope, LOCAL), receive, send)
            return
        token = bearer_token(header_values(scope, b"authorization"))
        principal = await self._principal(token) if token else None
        if principal is None:
            await discard(receive)
            await self._refuse(send, 401, "invalid_token", self._challenge())
        elif missing := self._missing_scope(principal):
            await discard(receive)
            await self._refuse(send, 403, "insufficient_scope", f"Needs the scope {missing}.")
        else:
            note(scope, "client", principal.name)
            await self._application(admit(scope, principal), receive, send)

    def _is_token_needed(self) -> bool:
        return self._oauth is not None or (self._tokens is not None and self._tokens.are_needed())

    def _challenge(self) -> str:
        if self._oauth is None and self._tokens is not None and not self._tokens.names():
            return "This server has no tokens; its owner can make one (tebiki token new NAME)."
        return "Send a valid bearer token."

    async def _principal(self, token: str) -> Principal | None:
        if self._tokens is not None:
            name = self._tokens.name_of(token)
            if name is not None:
                return Principal(f"token:{name}")
        if self._oauth is None or token.startswith(PREFIX):
            return None
        return await self._oauth.tokens.principal(token)

    def _missing_scope(self, principal: Principal) -> str | None:
        """The first scope that an OAuth token lacks; a token of ours may do everything."""
        if self._oauth is None or principal.name.startswith("token:"):
            return None
        wanted = self._oauth.settings.scopes
        return next((scope for scope in wanted if scope not in principal.scopes), None)

    async def _refuse(self, send: Send, status: int, error: str, words: str) -> None:
        challenge = f'Bearer error="{error}", error_description="{words}"'
        if self._oauth is not None:
            address = well_known(self._oauth.settings.audience, METADATA_PATH)
            challenge += f', resource_metadata="{address}"'
        header = (b"www-authenticate", challenge.encode("latin-1", "replace"))
        body = {"error": error, "error_description": words}
        await answer(send, status, body, (header,))


class ResourceMetadata:
    """Tells a client where to get a token (RFC 9728)."""

    def __init__(self, keepers: Keepers) -> None:
        self._oauth = keepers.oauth

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Serve one request."""
        if self._oauth is None:
            await answer(send, 404, {"error": "This server takes no OAuth tokens."})
            return
        settings = self._oauth.settings
        document = {
            "resource": settings.audience,
            "authorization_servers": [settings.issuer],
            "bearer_methods_supported": ["header"],
        }
        if settings.scopes:
            document["scopes_supported"] = list(settings.scopes)
        await answer(send, 200, document)


def bearer_token(headers: list[bytes]) -> str | None:
    """The token of a request: exactly one header, of the right kind, of a sane length."""
    if len(headers) != 1 or len(headers[0]) > LONGEST_TOKEN:
        return None
    kind, _, token = headers[0].decode("latin-1").partition(" ")
    return token.strip() or None if kind.lower() == "bearer" else None

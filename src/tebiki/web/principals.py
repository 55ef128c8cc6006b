"""Who is calling: one name for each client that is known, and one for all that are not.

As engines know a caller: whose the call is, and what its end means. In the modern era a closed
request calls off its call, unless the server itself is ending. In the handshake era only the
notification does; a connection that is merely lost does not.
Not here: how a token is checked (`tokens`, `oauth`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from tebiki.named_tuples import NamedTuple
from tebiki.protocol.eras import MODERN_VERSIONS
from tebiki.values.callers import SESSION_SIGN, Caller
from tebiki.web.asgi import header_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.web.asgi import Scope

KEY = "tebiki.principal"

MOST_REMEMBERED = 256
"""Principals whose form for the SDK is kept."""

SESSION_HEADER = b"mcp-session-id"


class Principal(NamedTuple):
    """A client as limits, state and the log know it."""

    name: str
    scopes: tuple[str, ...] = ()


LOCAL = Principal("local")
"""Whoever reaches a server on loopback that asks for no token."""


def admit(scope: Scope, principal: Principal) -> Scope:
    """The request with its principal; the SDK binds a session to it."""
    return {**scope, KEY: principal, "user": _user_of(principal)}


@lru_cache(MOST_REMEMBERED)
def _user_of(principal: Principal) -> AuthenticatedUser:
    """The principal as the SDK knows it; making one takes a twentieth of a small call."""
    # The token itself goes no further than the door.
    token = AccessToken(token="", client_id=principal.name, scopes=list(principal.scopes))
    return AuthenticatedUser(token)


def principal_of(scope: Scope) -> Principal:
    """The principal whom the door let in."""
    principal: Principal = scope[KEY]
    return principal


def owner_of(scope: Scope, protocol_version: str) -> str:
    """Under which name a request's state is kept: the session where there is one, or the principal.

    A session belongs to its principal (the SDK answers anybody else as if it did not exist), and
    the modern era has none, whatever its headers say.
    """
    name = principal_of(scope).name
    sessions = header_values(scope, SESSION_HEADER)
    if protocol_version in MODERN_VERSIONS or not sessions:
        return name
    return f"{name}{SESSION_SIGN}{sessions[0].decode('latin-1')}"


def caller_of(scope: Scope, version: str, context: Any, is_closing: Callable[[], bool]) -> Caller:
    """The caller of a request; `context` is the SDK's, where the SDK has read the request."""
    name = principal_of(scope).name
    if version in MODERN_VERSIONS or context is None:
        return Caller(name, is_called_off=lambda: not is_closing())
    # The SDK's own mark of a cancellation; where it has none, whoever cancels has called off.
    asked_for = getattr(
        getattr(context.session, "_request_outbound", None), "cancel_requested", None
    )

    def is_called_off() -> bool:
        return asked_for is None or asked_for.is_set()

    async def is_gone() -> bool:
        gone: bool = await context.request.is_disconnected()
        return gone

    return Caller(name, is_called_off, is_gone)

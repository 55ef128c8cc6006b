"""A request's caller as engines know it: whose it is, and what the end of its call means.

In the modern era a closed request calls off its call, unless the server itself is ending. In the
handshake era only the notification does; a connection that is merely lost does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.protocol.eras import MODERN_VERSIONS
from tebiki.values.callers import Caller
from tebiki.web.principals import principal_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.web.asgi import Scope


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

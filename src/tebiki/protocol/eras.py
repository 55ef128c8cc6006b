"""The two MCP eras as pure functions over params and results.

Handshake era: clients that send `initialize`; always answered 2025-06-18.
Modern era (2026-07-28): no handshake; each request carries its envelope in `params._meta`.
The era is a property of each request, so one connection may mix them.
"""

from __future__ import annotations

from typing import Any

from tebiki.errors import InvalidParams, UnsupportedVersion
from tebiki.named_tuples import NamedTuple

HANDSHAKE_VERSION = "2025-06-18"
MODERN_VERSION = "2026-07-28"
MODERN_VERSIONS = (MODERN_VERSION,)

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"

APPS_EXTENSION = "io.modelcontextprotocol/ui"
APP_MIME_TYPE = "text/html;profile=mcp-app"
"""By which both sides say that a host shows what a tool gives in a page of the server's own."""

LIST_TTL_MS = 3_600_000
"""How long a client may keep a list: the tools never change while a process lives."""

TOOLS_ONLY: dict[str, Any] = {"tools": {}}
"""The capabilities of a server that has tools and nothing else."""

CAPABILITY_OF = {
    "resources/list": "resources",
    "resources/templates/list": "resources",
    "resources/read": "resources",
    "prompts/list": "prompts",
    "prompts/get": "prompts",
    "completion/complete": "completions",
}
"""The methods that a server may be without, and what one declares that has them."""


class Identity(NamedTuple):
    """What the server calls itself, and what it says it can do."""

    name: str
    version: str
    instructions: str | None = None
    capabilities: dict[str, Any] = TOOLS_ONLY
    has_app: bool = False

    def offers_app_to(self, declared: Any) -> bool:
        """Tell whether we have an app, and a client that declares this would show it."""
        extensions = declared.get("extensions") if isinstance(declared, dict) else None
        apps = extensions.get(APPS_EXTENSION) if isinstance(extensions, dict) else None
        kinds = apps.get("mimeTypes", [APP_MIME_TYPE]) if isinstance(apps, dict) else None
        return self.has_app and isinstance(kinds, list) and APP_MIME_TYPE in kinds

    def capabilities_for(self, declared: Any) -> dict[str, Any]:
        """What a client is told; that there is an app only if it would show it."""
        if not self.offers_app_to(declared):
            return self.capabilities
        return {**self.capabilities, "extensions": {APPS_EXTENSION: {}}}

    def info(self) -> dict[str, str]:
        """The name and version as both eras send them."""
        return {"name": self.name, "version": self.version}


def is_modern(params: Any) -> bool:
    """Tell whether a request carries the modern envelope.

    Raises:
        InvalidParams: the envelope is incomplete.
        UnsupportedVersion: it names a revision we do not speak.
    """
    meta = meta_of(params)
    if VERSION_KEY not in meta:
        return False
    version = meta[VERSION_KEY]
    if not isinstance(version, str):
        raise InvalidParams(f"params._meta[{VERSION_KEY!r}] must be a string")
    if version not in MODERN_VERSIONS:
        raise UnsupportedVersion(version, MODERN_VERSIONS)
    if not isinstance(meta.get(CAPABILITIES_KEY), dict):
        raise InvalidParams(f"params._meta is missing the required object {CAPABILITIES_KEY!r}")
    return True


def meta_of(params: Any) -> dict[str, Any]:
    """The request's `_meta`, empty when there is none."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def declared_in(params: Any) -> Any:
    """The capabilities that a client of the modern era declares with a request."""
    return meta_of(params).get(CAPABILITIES_KEY)


def progress_token(params: Any) -> str | int | None:
    """The token under which a client wants progress, if it gave a usable one."""
    token = meta_of(params).get("progressToken")
    if isinstance(token, bool) or not isinstance(token, (str, int)):
        return None
    return token


def initialize_result(identity: Identity, declared: Any = None) -> dict[str, Any]:
    """Answer `initialize`, whatever version was asked for."""
    answer: dict[str, Any] = {
        "protocolVersion": HANDSHAKE_VERSION,
        "capabilities": identity.capabilities_for(declared),
        "serverInfo": identity.info(),
    }
    if identity.instructions is not None:
        answer["instructions"] = identity.instructions
    return answer


def discover_result(identity: Identity, declared: Any = None) -> dict[str, Any]:
    """Answer `server/discover`."""
    answer: dict[str, Any] = {
        "supportedVersions": list(MODERN_VERSIONS),
        "capabilities": identity.capabilities_for(declared),
    }
    if identity.instructions is not None:
        answer["instructions"] = identity.instructions
    return cacheable(complete(answer, identity))


def complete(result: dict[str, Any], identity: Identity) -> dict[str, Any]:
    """Stamp a result as the modern era wants it."""
    meta = {**result.get("_meta", {}), SERVER_INFO_KEY: identity.info()}
    return {**result, "resultType": "complete", "_meta": meta}


def cacheable(result: dict[str, Any], ttl_ms: int = LIST_TTL_MS) -> dict[str, Any]:
    """Add the hints by which a client may keep a list, or what it read."""
    return {**result, "ttlMs": ttl_ms, "cacheScope": "private"}

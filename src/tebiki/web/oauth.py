"""OAuth 2.1 as a resource server: signed tokens of one issuer, meant for this server.

The issuer's keys are fetched when they are first needed and kept for a while; a token that names a
key we do not know makes us look again, but not more than once in a while, so that a stranger with
invented tokens cannot make us hammer the issuer.
"""

from __future__ import annotations

import asyncio
import json
import urllib.request
from typing import TYPE_CHECKING, Any, NoReturn

import jwt

from tebiki.errors import BadSetting
from tebiki.web.addresses import LOOPBACK
from tebiki.web.principals import Principal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.web.settings import OAuth

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
"""Signatures by a key that only the issuer has; never a shared secret, never none."""

LEEWAY_SECONDS = 30
"""By which two machines' clocks may differ."""

KEYS_LAST_SECONDS = 3600.0
LOOK_AGAIN_SECONDS = 60.0
FETCH_SECONDS = 10.0
MOST_BYTES = 1024 * 1024

METADATA = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")


class Unavailable(Exception):
    """The issuer's keys cannot be had."""


class IssuerKeys:
    """The keys an issuer signs with, fetched as seldom as possible."""

    def __init__(
        self,
        settings: OAuth,
        clock: Callable[[], float],
        fetch: Callable[[str], Any] | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._fetch = fetch or fetched
        self._lock = asyncio.Lock()
        self._keys: dict[str, jwt.PyJWK] = {}
        self._looked = float("-inf")

    async def key(self, identifier: str) -> jwt.PyJWK | None:
        """The key a token names, if the issuer has it.

        Raises:
            Unavailable: the issuer does not answer, and no key was known.
        """
        age = self._clock() - self._looked
        if age < KEYS_LAST_SECONDS and identifier in self._keys:
            return self._keys[identifier]
        async with self._lock:
            if self._clock() - self._looked >= LOOK_AGAIN_SECONDS:
                self._looked = self._clock()
                await self._look()
        return self._keys.get(identifier)

    async def _look(self) -> None:
        try:
            self._keys = await asyncio.to_thread(self._fetch_keys)
        except (OSError, ValueError, jwt.PyJWTError) as failed:
            if not self._keys:
                raise Unavailable(type(failed).__name__) from failed

    def _fetch_keys(self) -> dict[str, jwt.PyJWK]:
        keys = {}
        for row in self._fetch(self._address())["keys"]:
            if row.get("kty") != "oct" and row.get("use", "sig") == "sig":
                keys[row.get("kid", "")] = jwt.PyJWK(row)
        return keys

    def _address(self) -> str:
        if self._settings.jwks_url is not None:
            return self._settings.jwks_url
        for path in METADATA:
            try:
                found = self._fetch(self._settings.issuer + path)
            except OSError:
                continue
            if str(found.get("issuer", "")).rstrip("/") != self._settings.issuer:
                raise ValueError("the metadata is of another issuer")
            return safe(str(found["jwks_uri"]))
        raise OSError("no metadata")


class OAuthTokens:
    """Tells whose token it is, by the issuer's signature."""

    def __init__(self, settings: OAuth, keys: IssuerKeys, complain: Callable[[str], None]) -> None:
        self._settings = settings
        self._keys = keys
        self._complain = complain

    async def principal(self, token: str) -> Principal | None:
        """The principal of a good token: signed, in time, of the issuer and for us."""
        try:
            head = jwt.get_unverified_header(token)
            key = await self._keys.key(str(head.get("kid", "")))
            return None if key is None else self._checked(token, key)
        except jwt.PyJWTError:
            return None
        except Unavailable as missing:
            self._complain(f"http.oauth: the issuer's keys cannot be fetched ({missing})")
            return None

    def _checked(self, token: str, key: jwt.PyJWK) -> Principal | None:
        issuer, audience = self._settings.issuer, self._settings.audience
        claims = jwt.decode(
            token,
            key,
            algorithms=ALGORITHMS,
            # Settings lose a slash at the end; tokens need not.
            issuer=[issuer, f"{issuer}/"],
            audience=[audience, f"{audience}/"],
            leeway=LEEWAY_SECONDS,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )
        client = claims.get("client_id", claims.get("azp", ""))
        return Principal(f"oauth:{client}:{claims['sub']}", _scopes(claims))


def _scopes(claims: dict[str, Any]) -> tuple[str, ...]:
    found = claims.get("scope", claims.get("scp", ""))
    return tuple(found.split()) if isinstance(found, str) else tuple(map(str, found))


def safe(address: str) -> str:
    """An address whose answer can be believed: https, or this machine.

    Raises:
        BadSetting: it is neither.
    """
    scheme, _, rest = address.partition("://")
    host = rest.partition("/")[0].rpartition("@")[2]
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if scheme == "https" or (scheme == "http" and name in LOOPBACK):
        return address
    raise BadSetting(f"http.oauth: {address} must be https")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """An issuer answers for itself; a redirect could lead anywhere."""

    def redirect_request(self, *_: Any) -> NoReturn:
        raise OSError("a redirect")


def fetched(address: str) -> Any:
    """A JSON document of the issuer.

    Raises:
        OSError: it cannot be had.
        ValueError: it is none.
    """
    opener = urllib.request.build_opener(_NoRedirects)
    request = urllib.request.Request(safe(address), headers={"Accept": "application/json"})  # noqa: S310  (`safe` allows no other scheme)
    with opener.open(request, timeout=FETCH_SECONDS) as response:
        body: bytes = response.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise ValueError("too long")
    return json.loads(body)

"""OAuth 2.1 as a resource server: signed tokens of one issuer, meant for this server.

The issuer's keys are fetched when they are first needed and kept for a while; a token that names a
key we do not know makes us look again, but not more than once in a while, so that a stranger with
invented tokens cannot make us hammer the issuer.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import time
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any, NoReturn

import jwt

from tebiki.errors import BadSetting
from tebiki.web.addresses import LOOPBACK, bracket, well_known
from tebiki.web.principals import Principal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.web.settings import OAuth

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
"""Signatures by a key that only the issuer has; never a shared secret, never none."""

LEEWAY_SECONDS = 30
"""By which two machines' clocks may differ."""

KEYS_LAST_SECONDS = 3600.0
"""After which the issuer is asked again: a key it has withdrawn opens no door for days."""

LOOK_AGAIN_SECONDS = 60.0
"""Between two looks for keys we do not know, however many tokens name one."""

TRY_AGAIN_SECONDS = 5.0
"""While no key is known at all, and nobody gets in."""

FETCH_SECONDS = 10.0
LOOK_SECONDS = 30.0
"""For one document, and for all that a look may need: metadata in two places, and the keys."""

MOST_BYTES = 1024 * 1024
"""Of a document; a set of keys has a few thousand."""

CHUNK_BYTES = 65_536

AUTHORIZATION_SERVER = "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"


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
        self._fetch = fetch or fetch_document
        self._lock = asyncio.Lock()
        self._keys: dict[str, jwt.PyJWK] = {}
        self._looked = float("-inf")
        self._patience = 0.0

    async def key(self, identifier: str) -> jwt.PyJWK | None:
        """The key a token names, if the issuer has it.

        Raises:
            Unavailable: the issuer does not answer, and no key was known.
        """
        age = self._clock() - self._looked
        if age < KEYS_LAST_SECONDS and identifier in self._keys:
            return self._keys[identifier]
        async with self._lock:
            if self._clock() - self._looked >= self._patience:
                self._looked = self._clock()
                await self._look()
        return self._keys.get(identifier)

    async def _look(self) -> None:
        self._patience = TRY_AGAIN_SECONDS
        try:
            # A thread that hangs all the same must not hold up those who wait for it.
            async with asyncio.timeout(LOOK_SECONDS):
                self._keys = await asyncio.to_thread(self._fetch_keys)
        except (OSError, ValueError) as failed:
            if not self._keys:
                raise Unavailable(type(failed).__name__) from failed
        if self._keys:
            self._patience = LOOK_AGAIN_SECONDS

    def _fetch_keys(self) -> dict[str, jwt.PyJWK]:
        document = self._fetch(self._address())
        rows = document.get("keys") if isinstance(document, dict) else None
        keys = {}
        for row in rows if isinstance(rows, list) else ():
            key = key_of(row) if isinstance(row, dict) else None
            if key is not None:
                keys[str(row.get("kid", ""))] = key
        if not keys:
            raise ValueError("no key that can be used")
        return keys

    def _address(self) -> str:
        if self._settings.jwks_url is not None:
            return self._settings.jwks_url
        for address in metadata_addresses(self._settings.issuer):
            try:
                found = self._fetch(address)
            except (OSError, ValueError):
                # Whoever does not have it may say so with a page of words.
                continue
            if not isinstance(found, dict) or not isinstance(found.get("jwks_uri"), str):
                continue
            if str(found.get("issuer", "")).rstrip("/") != self._settings.issuer:
                raise ValueError("the metadata is of another issuer")
            if not is_safe(found["jwks_uri"]):
                raise ValueError("the keys are where anybody can change them")
            return str(found["jwks_uri"])
        raise OSError("no metadata")


def metadata_addresses(issuer: str) -> tuple[str, ...]:
    """Where an issuer may tell about itself: RFC 8414, OpenID Connect, and what some do."""
    return (
        well_known(issuer, AUTHORIZATION_SERVER),
        f"{issuer}{OPENID}",
        f"{issuer}{AUTHORIZATION_SERVER}",
    )


def key_of(row: dict[str, Any]) -> jwt.PyJWK | None:
    """A key for signatures; none where it is for something else, or of a kind we cannot use.

    An issuer may well have some of those beside the ones it signs with.
    """
    if row.get("kty") == "oct" or row.get("use", "sig") != "sig":
        return None
    try:
        return jwt.PyJWK(row)
    except (jwt.PyJWTError, ValueError, TypeError):
        return None


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
            return None if key is None else self._check(token, key)
        except (jwt.PyJWTError, RecursionError):
            return None
        except Unavailable as missing:
            self._complain(f"http.oauth: the issuer's keys cannot be fetched ({missing})")
            return None

    def _check(self, token: str, key: jwt.PyJWK) -> Principal | None:
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
        return Principal(f"oauth:{_part(client)}:{_part(claims['sub'])}", _scopes(claims))


def _scopes(claims: dict[str, Any]) -> tuple[str, ...]:
    found = claims.get("scope", claims.get("scp", ""))
    if isinstance(found, str):
        return tuple(found.split())
    return tuple(map(str, found)) if isinstance(found, list) else ()


def _part(text: Any) -> str:
    """A part of a principal's name, in which no other part can begin."""
    return urllib.parse.quote(str(text), safe="")


def is_safe(address: str) -> bool:
    """Tell whether an address's answer can be believed: https, or this machine."""
    try:
        parts = urllib.parse.urlsplit(address)
    except ValueError:
        return False
    is_ours = bracket(parts.hostname or "") in LOOPBACK
    return parts.scheme == "https" or (parts.scheme == "http" and is_ours)


def safe(address: str) -> str:
    """An address that `is_safe`.

    Raises:
        BadSetting: it is not.
    """
    if is_safe(address):
        return address
    raise BadSetting(f"http.oauth: {address} must be https")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """An issuer answers for itself; a redirect could lead anywhere."""

    def redirect_request(self, *_: Any) -> NoReturn:
        raise OSError("a redirect")


def fetch_document(address: str, seconds: float = FETCH_SECONDS) -> Any:
    """A JSON document of the issuer, within that time.

    Raises:
        OSError: it cannot be had.
        ValueError: it is none.
    """
    request = urllib.request.Request(safe(address), headers={"Accept": "application/json"})  # noqa: S310  (`safe` allows no other scheme)
    try:
        return json.loads(_answer_to(request, seconds))
    except http.client.HTTPException as nonsense:
        # The one failure of a connection that is no OSError: whoever answered speaks no HTTP.
        raise ValueError("no HTTP") from nonsense


def _answer_to(request: urllib.request.Request, seconds: float) -> bytes:
    until = time.monotonic() + seconds
    opener = urllib.request.build_opener(_NoRedirects)
    with opener.open(request, timeout=seconds) as response:
        body = bytearray()
        while chunk := response.read1(CHUNK_BYTES):
            body += chunk
            # The time-out of a connection begins anew with every byte.
            if len(body) > MOST_BYTES or time.monotonic() > until:
                raise ValueError("too long")
    return bytes(body)

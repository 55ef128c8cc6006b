"""A request to the page, read with suspicion: query, cookies, body, and where it comes from.

A browser sends cookies along for whoever asks it to. What changes something must come from our own
page (`Origin`), and as JSON, which no form of another page can send.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from tebiki.web.addresses import ORIGIN
from tebiki.web.asgi import header_values
from tebiki.web.page.files import LANGUAGE_COOKIE, language_of
from tebiki.web.page.replies import JSON_TYPE, RefusedRequest

if TYPE_CHECKING:
    from collections.abc import Collection

    from tebiki.web.asgi import Receive, Scope

KEY_HEADER = b"x-tebiki-key"
SITE_HEADER = b"sec-fetch-site"
OWN_SITES = ("same-origin", "none")
"""What a browser says of a request of our own page, and of an address that a person has typed."""

MOST_FIELDS = 32
FOREIGN = "This was asked for by another page, and is refused."


class PageRequest:
    """One request; nothing in it is believed before it is looked at."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.method: str = scope["method"]
        self.path: str = scope["path"]

    def header(self, name: bytes) -> str | None:
        """A header that stands once; `Screening` has refused what stands twice."""
        values = header_values(self._scope, name)
        return values[0].decode("latin-1") if values else None

    @property
    def peer(self) -> str:
        """The address that connects."""
        client = self._scope.get("client")
        return str(client[0]) if client else ""

    @property
    def is_secure(self) -> bool:
        """Tell whether the browser came by https, whatever stands between."""
        return (self.header(b"origin") or "").lower().startswith("https:")

    @cached_property
    def cookies(self) -> dict[str, str]:
        """The cookies by name; one that stands twice is none."""
        found: dict[str, str] = {}
        twice: set[str] = set()
        for part in (self.header(b"cookie") or "").split(";"):
            name, _, value = part.strip().partition("=")
            (twice.add(name) if name in found else found.setdefault(name, value))
        return {name: value for name, value in found.items() if name not in twice}

    @cached_property
    def query(self) -> dict[str, str]:
        """What stands behind the question mark.

        Raises:
            RefusedRequest: a name stands twice, or it cannot be read.
        """
        try:
            pairs = parse_qsl(
                self._scope["query_string"].decode("ascii"),
                keep_blank_values=True,
                errors="strict",
                max_num_fields=MOST_FIELDS,
            )
        except ValueError as broken:
            raise RefusedRequest(
                "invalid_parameter", "The address cannot be read; percent-encode UTF-8."
            ) from broken
        if len(dict(pairs)) < len(pairs):
            raise RefusedRequest("invalid_parameter", "A name stands twice in the address.")
        return dict(pairs)

    def language(self, chosen: str | None = None) -> str:
        """Which language the visitor reads: as chosen, now or before, or as the browser says."""
        accepted = self.header(b"accept-language") or ""
        return language_of(chosen, self.cookies.get(LANGUAGE_COOKIE), accepted)

    def require_own_page(self, known_origins: Collection[str], *, writes: bool) -> None:
        """Let nothing pass that another page has asked for.

        Raises:
            RefusedRequest: it comes from elsewhere, or a write does not say where from.
        """
        site = self.header(SITE_HEADER)
        if site is not None and site not in OWN_SITES:
            raise RefusedRequest("foreign_origin", FOREIGN)
        origin = (self.header(b"origin") or "").lower()
        if not origin and not writes:
            return
        match = ORIGIN.fullmatch(origin)
        is_own = match is not None and match[2] == (self.header(b"host") or "").lower()
        if not is_own and origin not in known_origins:
            raise RefusedRequest("foreign_origin", FOREIGN)

    async def body(self, receive: Receive) -> dict[str, Any]:
        """The object in the body, which has been read whole by a layer before this one.

        Raises:
            RefusedRequest: it is not JSON, or no object.
        """
        data = (await receive()).get("body", b"")
        kind = (self.header(b"content-type") or "").partition(";")[0].strip().lower()
        if kind != JSON_TYPE:
            raise RefusedRequest("wrong_type", f"Send {JSON_TYPE}.")
        try:
            value = json.loads(data)
        except (ValueError, RecursionError) as broken:
            raise RefusedRequest("invalid_parameter", "The body is not JSON.") from broken
        if not isinstance(value, dict):
            raise RefusedRequest("invalid_parameter", "The body must be an object.")
        return value

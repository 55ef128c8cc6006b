"""Who is meant and who asks: the Host and Origin of a request; and how addresses are written.

Pure functions. A browser can be talked into sending requests to a server on its own machine; the
page it does that for is in `Origin`, and the name it was told is in `Host`. Both are compared
whole, never by how they begin or end.
"""

from __future__ import annotations

import ipaddress
import re

from tebiki.errors import BadSetting
from tebiki.named_tuples import NamedTuple

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})

AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?")
"""A name, an IPv4 address or an IPv6 address in brackets, perhaps with a port; nothing else."""

ORIGIN = re.compile(r"(https?)://([^/?#@\s]+)")

HIGHEST_PORT = 65_535

EVERY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104  (names, not bindings)

ALLOWED_HOSTS = "http.allowed_hosts (TEBIKI_HTTP_ALLOWED_HOSTS)"
"""The setting as people are told of it: both ways to set it."""


class ListenAddress(NamedTuple):
    """Where to listen."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Tell whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        """As a setting writes it."""
        return f"{bracket(self.host)}:{self.port}"

    def url(self, path: str = "") -> str:
        """The address as a client writes it."""
        return f"http://{self}{path}"


def place_of(text: str, default: ListenAddress) -> ListenAddress:
    """Read HOST:PORT, HOST, or :PORT; what is left out is the default's.

    Raises:
        BadSetting: it is none of these.
    """
    host, port = default
    match = AUTHORITY.fullmatch(text.strip().lower())
    if text.strip().startswith(":"):
        match = AUTHORITY.fullmatch(f"{bracket(host)}{text.strip()}")
    if match is not None and match[1].isdigit() and match[2] is None:
        # A number alone is a port: nobody writes an address like that.
        match = AUTHORITY.fullmatch(f"{bracket(host)}:{match[1]}")
    if match is None or int(match[2] or port) > HIGHEST_PORT:
        raise BadSetting(f"{text!r} is no address to listen on: say HOST:PORT, such as {default}")
    return ListenAddress(match[1].strip("[]"), int(match[2] or port))


def bracket(host: str) -> str:
    """A host as addresses write it: IPv6 in brackets, which part it from a port."""
    return f"[{host}]" if ":" in host else host


def well_known(url: str, suffix: str) -> str:
    """Where a document about an address is, as the standards have it: before the address's path."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host}{suffix}{slash}{path}"


class Guests(NamedTuple):
    """Whom the server answers to: names it is called by, and pages that may call it."""

    hosts: frozenset[str]
    origins: frozenset[str]

    def knows_host(self, hosts: list[bytes]) -> bool:
        """Tell whether a request was meant for us: exactly one Host, and one of ours."""
        return len(hosts) == 1 and self._is_ours(hosts[0].decode("latin-1"))

    def knows_origin(self, origins: list[bytes]) -> bool:
        """Tell whether no page asks, or one that may."""
        if not origins:
            return True
        if len(origins) > 1:
            return False
        text = origins[0].decode("latin-1").lower()
        return text in self.origins or _is_of_this_machine(text)

    def _is_ours(self, text: str) -> bool:
        match = AUTHORITY.fullmatch(text.lower())
        return match is not None and (match[0] in self.hosts or match[1] in self.hosts)


def start_hint(place: ListenAddress, guests: Guests) -> str | None:
    """What a person is told who listens on every address, and has not said by which names."""
    if place.host not in EVERY_ADDRESS or guests.hosts - LOOPBACK - {bracket(place.host)}:
        return None
    return (
        "other machines can connect, but only requests for localhost are answered: name the "
        f"addresses that clients use in {ALLOWED_HOSTS}, such as 192.0.2.7 or tebiki.example.org"
    )


def unknown_host_words(hosts: list[bytes]) -> str:
    """What a client is told that called us by a name which is none of ours."""
    match = AUTHORITY.fullmatch(hosts[0].decode("latin-1").lower()) if len(hosts) == 1 else None
    # Only what can be a name is repeated.
    named = f": {match[1]}" if match is not None else ""
    return f"Not a name of this server{named}; its owner can add it to {ALLOWED_HOSTS}."


def _is_of_this_machine(origin: str) -> bool:
    match = ORIGIN.fullmatch(origin)
    authority = AUTHORITY.fullmatch(match[2]) if match is not None else None
    return authority is not None and authority[1] in LOOPBACK


def guests_of(place: ListenAddress, hosts: list[str], origins: list[str]) -> Guests:
    """Make the list from what is listened on and what is configured.

    Raises:
        BadSetting: a configured name or origin is none.
    """
    named = [text.strip().lower() for text in hosts]
    for text in named:
        if AUTHORITY.fullmatch(text) is None:
            raise BadSetting(f"http.allowed_hosts: {text!r} is no host; say name or name:port")
    pages = [text.strip().lower().rstrip("/") for text in origins]
    for text in pages:
        if ORIGIN.fullmatch(text) is None:
            raise BadSetting(f"http.allowed_origins: {text!r} is no origin; say https://host")
    return Guests(frozenset({*LOOPBACK, bracket(place.host), *named}), frozenset(pages))

"""Which domains a search may use: what the API is asked for, and a check of what came back. Pure.

The API's own filter is not relied on: pages of a blocked domain do come back. What a reply shows is
hostile; an address whose host cannot be told counts as one outside every domain.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tebiki.responses.replies import Json, Reply

WEB = re.compile(r"https?:[/\\]*", re.IGNORECASE)
UNREAD = re.compile(r"[\t\r\n]")
"""What a browser leaves out wherever it stands."""

CARRIED = re.compile(r"https?:[/\\]+[^/\\?#&\s]+", re.IGNORECASE)
MOST_DECODINGS = 3


class DomainRule(NamedTuple):
    """The domains of one search: from these alone, unless there are none; never from those."""

    allowed: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()

    @property
    def any(self) -> bool:
        """Tell whether there is something to check."""
        return bool(self.allowed or self.blocked)

    def filters(self) -> Json:
        """The filters of the search tool, as the request has them."""
        blocked = [name for given in self.blocked if (name := bare_domain(given))]
        return {
            **({"allowed_domains": list(self.allowed)} if self.allowed else {}),
            **({"blocked_domains": blocked} if blocked else {}),
        }

    def permits(self, url: str) -> bool:
        """Tell whether a page may be used."""
        host = _host_of(url)
        if self.blocked and WEB.match(url.strip()) and not host:
            return False
        led_to = [host, *_hosts_within(url)] if self.blocked else []
        if any(_is_within(one, domain) for domain in self.blocked for one in led_to):
            return False
        return not self.allowed or any(_is_within(host, domain) for domain in self.allowed)

    def count_violations(self, reply: Reply) -> int:
        """How many pages a reply shows that it should not have used; each page once."""
        if not self.any:
            return 0
        return sum(1 for url in _pages(reply) if not self.permits(url))


ANY_DOMAIN = DomainRule()


def without_blocked(request: Json) -> Json:
    """The same request for an API that does not take blocked domains."""
    tools = []
    for tool in request["tools"]:
        kept = {key: value for key, value in tool.items() if key != "filters"}
        filters = {**tool.get("filters", {})}
        filters.pop("blocked_domains", None)
        tools.append({**kept, "filters": filters} if filters else kept)
    return {**request, "tools": tools}


def bare_domain(given: str) -> str:
    """A domain as names are compared: without scheme, path, port and dots around it, in ASCII."""
    name = given.strip().lower()
    name = name.partition("://")[2] or name
    name = name.split("/")[0].rpartition("@")[2].partition(":")[0]
    return _ascii(name.removeprefix("*").strip("."))


def _pages(reply: Reply) -> Iterable[str]:
    """Each address that a reply shows, once."""
    entries: list[Any] = [*reply.citations, *reply.sources, *reply.opened_pages]
    found = (_address(entry) for entry in entries)
    return dict.fromkeys(url for url in found if url.lower().startswith(("http://", "https://")))


def _address(entry: Any) -> str:
    value = (entry.get("url") or entry.get("link")) if isinstance(entry, dict) else entry
    return value.strip() if isinstance(value, str) else ""


def _host_of(url: str) -> str:
    """The host that a browser would ask, which reads addresses more kindly than a parser."""
    text = UNREAD.sub("", url.strip())
    begun = WEB.match(text)
    # A backslash is a slash to a browser, and so is any number of them.
    text = f"//{text[begun.end() :]}" if begun is not None else text
    try:
        host = urlsplit(text.replace("\\", "/")).hostname or ""
    except ValueError:
        return ""
    return _ascii(unquote(host).strip("."))


def _hosts_within(url: str) -> list[str]:
    """The hosts of the addresses that an address carries whole, as one that leads on does."""
    text = url
    for _ in range(MOST_DECODINGS):
        text = unquote(text)
    return [_host_of(found[0]) for found in CARRIED.finditer(text, 1)]


def _ascii(name: str) -> str:
    if name.isascii():
        return name
    try:
        return name.encode("idna").decode("ascii")
    except UnicodeError:
        return name


def _is_within(host: str, domain: str) -> bool:
    name = bare_domain(domain)
    return bool(name) and (host == name or host.endswith(f".{name}"))

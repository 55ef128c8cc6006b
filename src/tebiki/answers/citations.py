"""Who is cited: pure functions over a reply.

Everything here comes from the web and is hostile: an address that is not http(s) is no address, and
no text may break out of its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from tebiki.values.unseen import INVISIBLE, in_one_line, is_all_seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tebiki.responses.replies import Reply

# Letters written out: ignoring case would let a long s (ſ) pass for an s.
WEB_ADDRESS = re.compile(rf"[Hh][Tt][Tt][Pp][Ss]?://[^\s{INVISIBLE}]+")
OTHER_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
ISO_DATE = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)")
NOT_A_NAME = re.compile(r"(?:javascript|data|file|vbscript):", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Citation:
    """One source of an answer: an address or a name, and the day it is from."""

    url: str
    title: str | None
    published_at: str


@dataclass(frozen=True, slots=True)
class Source:
    """Something a reply refers to, before the day is settled."""

    url: str
    title: str | None = None
    day: str | None = None

    @property
    def is_web_address(self) -> bool:
        """Tell an address from a name."""
        return _is_address(self.url)


def rests_on_search(reply: Reply) -> bool:
    """Tell whether the answer rests on a search."""
    return bool(reply.searches or reply.citations)


def citations(
    reply: Reply, access_day: str, most: int, permits: Callable[[str], bool] = lambda _url: True
) -> list[Citation]:
    """Choose what to cite: the model's own citations, else everything the search listed.

    Named sources, which cannot be cited inline, are kept in either case. An address that is not
    permitted is never cited.
    """
    cited = _first_of_each(_read_cited(reply))
    listed = _first_of_each(_read_listed(reply))
    if cited:
        chosen = cited + [source for source in listed if not source.is_web_address]
    else:
        chosen = listed or [Source(url) for url in reply.opened_pages if _is_address(url)]
    chosen = [one for one in chosen if not one.is_web_address or permits(one.url)]
    days = {source.url: source.day for source in listed}
    return [
        Citation(source.url, source.title, source.day or days.get(source.url) or access_day)
        for source in chosen[:most]
    ]


def _read_cited(reply: Reply) -> Iterator[Source]:
    """Every citation whose address can be followed."""
    for entry in reply.citations:
        source = _read_linked(entry)
        if source is not None and source.is_web_address:
            yield source


def _read_listed(reply: Reply) -> Iterator[Source]:
    for entry in reply.sources:
        source = _source(entry)
        if source is not None:
            yield source


def _source(entry: Any) -> Source | None:
    """Read a source in any of the shapes it is known to have; None for an unknown one."""
    if isinstance(entry, str):
        return _read_linked({"url": entry})
    if not isinstance(entry, dict):
        return None
    return _read_linked(entry) or _read_named(entry)


def _read_linked(entry: dict[str, Any]) -> Source | None:
    """Read a source by its address, or by the identifier that stands in its place."""
    address = _address(entry.get("url")) or _address(entry.get("link"))
    if not address or (OTHER_SCHEME.match(address) and not _is_address(address)):
        # javascript:, data:, file: … name nothing a reader should follow.
        return None
    title = _line(entry.get("title")) or _line(entry.get("name"))
    return Source(address, title or None, _day(entry))


def _read_named(entry: dict[str, Any]) -> Source | None:
    """Read a source that has only a name, such as a weather service."""
    if _line(entry.get("url")) or _line(entry.get("link")):
        return None
    name = _line(entry.get("name")) or _line(entry.get("title"))
    if not name or NOT_A_NAME.match(name):
        return None
    return Source(name, _line(entry.get("type")) or None, _day(entry))


def _is_address(text: str) -> bool:
    return WEB_ADDRESS.fullmatch(text) is not None


def _address(value: Any) -> str:
    """What stands in an address's place; nothing where signs are hidden in it."""
    text = value.strip() if isinstance(value, str) else ""
    return text if is_all_seen(text) else ""


def _line(value: Any) -> str:
    """Text that stays on its line: nothing hidden is in it, and line breaks are blanks."""
    return in_one_line(value) if isinstance(value, str) else ""


def _day(entry: dict[str, Any]) -> str | None:
    for field in ("published_at", "published_date", "date"):
        value = entry.get(field)
        found = ISO_DATE.search(value) if isinstance(value, str) else None
        if found is not None and _is_day(found[1]):
            return found[1]
    return None


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _first_of_each(sources: Iterable[Source]) -> list[Source]:
    """Each address once, in order; the first occurrence wins, a later title fills a missing one."""
    unique: dict[str, Source] = {}
    for source in sources:
        known = unique.get(source.url)
        if known is None:
            unique[source.url] = source
        elif known.title is None or known.day is None:
            unique[source.url] = Source(
                source.url, known.title or source.title, known.day or source.day
            )
    return list(unique.values())

"""From a reply to results: pages that the search saw, cleaned, each once, the best first; pure.

Everything in a reply is hostile: an address is given out only as one of the reply's own sources
spells it, whatever the model wrote.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from tebiki.websearch.addresses import host_of, normalise, web_address
from tebiki.websearch.sanitising import plain_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tebiki.responses.replies import Reply

ISO_DAY = re.compile(r"\s*([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9])")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One page that was found."""

    title: str
    url: str
    snippet: str
    published_date: str | None = None
    relevance_score: float | None = None


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page that a reply shows to have been seen: its address as spelled there, and its title."""

    url: str
    title: str

    @property
    def name(self) -> str:
        """What to call the page when nothing better is known."""
        return self.title or plain_text(host_of(self.url))


@dataclass(frozen=True, slots=True)
class Findings:
    """The results of a reply, the best first, and how many rows were not grounded."""

    results: tuple[SearchResult, ...]
    dropped: int


def findings(rows: Iterable[Any], seen: Mapping[str, SeenPage]) -> Findings:
    """Keep the rows whose page was seen; when none is left, list the pages that were."""
    grounded: dict[str, SearchResult] = {}
    dropped = 0
    for row in rows:
        address = web_address(row.get("url")) if isinstance(row, dict) else None
        key = normalise(address) if address is not None else ""
        if key in seen:
            grounded.setdefault(key, _result(row, seen[key]))
        else:
            dropped += 1
    if not grounded:
        listed = (SearchResult(page.name, page.url, "") for page in seen.values())
        return Findings(tuple(listed), dropped)
    return Findings(tuple(sorted(grounded.values(), key=_rank)), dropped)


def seen_pages(reply: Reply) -> dict[str, SeenPage]:
    """Every page a reply proves, by normalised address: sources, then citations, then opened pages.

    The first spelling is kept, and the first title that is not empty.
    """
    pages: dict[str, SeenPage] = {}
    for entry in (*reply.sources, *reply.citations, *reply.opened_pages):
        address, title = _address_and_title(entry)
        if address is None:
            continue
        page = pages.setdefault(normalise(address), SeenPage(address, title))
        if not page.title and title:
            pages[normalise(address)] = SeenPage(page.url, title)
    return pages


def rows_in(text: str) -> list[Any] | None:
    """The rows of the model's JSON, whatever stands around it; None when there is no such JSON."""
    start = text.find("{")
    if start < 0:
        return None
    try:
        answer, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    rows = answer.get("results")
    return rows if isinstance(rows, list) else None


def _address_and_title(entry: Any) -> tuple[str | None, str]:
    """Read a source in any of the shapes it is known to have; an unknown one has no address."""
    if not isinstance(entry, dict):
        return web_address(entry), ""
    address = web_address(entry.get("url")) or web_address(entry.get("link"))
    return address, plain_text(entry.get("title")) or plain_text(entry.get("name"))


def _result(row: dict[str, Any], page: SeenPage) -> SearchResult:
    return SearchResult(
        title=plain_text(row.get("title")) or page.name,
        url=page.url,
        snippet=plain_text(row.get("snippet")),
        published_date=_day(row.get("publishedDate")),
        relevance_score=_score(row.get("relevanceScore")),
    )


def _day(value: Any) -> str | None:
    """The ISO day that a date or a moment starts with."""
    found = ISO_DAY.match(value) if isinstance(value, str) else None
    if found is None:
        return None
    try:
        return date.fromisoformat(found[1]).isoformat()
    except ValueError:
        return None


def _score(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if 0 <= value <= 1 else None


def _rank(result: SearchResult) -> tuple[bool, float]:
    """The best score first, no score last."""
    score = result.relevance_score
    return score is None, -(score or 0.0)

"""The parts of an answer before it becomes a response object: items, citations, pages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.asked import Asked

Item = dict[str, Any]

_HOSTS = (
    "www.weather.example",
    "news.example.com",
    "docs.example.org",
    "data.example.net",
    "www.city.example.jp",
    "blog.example.com",
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the simulated web."""

    url: str
    title: str
    date: str


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer's output items and how it ended."""

    output: Sequence[Item]
    status: str = "completed"
    error: Item | None = None
    incomplete_reason: str | None = None
    billed_searches: int | None = None
    """Where that is another number than the output shows."""


class CitedText:
    """Text under construction that knows where each of its citations stands."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.annotations: list[Item] = []

    def cite(self, sentence: str, page: Page) -> None:
        """Add a sentence and the link that backs it."""
        self.text += sentence + " "
        start = len(self.text)
        self.text += f"([{page.title}]({page.url}))"
        self.annotations.append(
            {
                "type": "url_citation",
                "start_index": start,
                "end_index": len(self.text),
                "title": page.title,
                "url": page.url,
            }
        )
        self.text += "\n"


def pages(asked: Asked, count: int) -> list[Page]:
    """Make up pages to find, all within the domains that the request allows."""
    hosts = asked.allowed_domains or _HOSTS
    return [
        Page(
            url=f"https://{hosts[place % len(hosts)]}/articles/{place + 1}",
            title=f"Article {place + 1}" if not asked.japanese else f"記事 {place + 1}",
            date=f"2026-0{place % 9 + 1}-1{place % 10}",
        )
        for place in range(count)
    ]


def url_sources(found: Iterable[Page]) -> list[Item]:
    """List pages the way the API lists the sources of a search."""
    return [{"type": "url", "url": page.url} for page in found]


def search_call(asked: Asked, sources: Sequence[Any] | None) -> Item:
    """Make the item of one search, with its sources when the request includes them."""
    query = asked.first_line
    action: Item = {"type": "search", "query": query, "queries": [query]}
    if sources is not None and asked.wants_sources:
        action["sources"] = list(sources)
    return {"type": "web_search_call", "status": "completed", "action": action}


def open_page(url: str) -> Item:
    """Make the item of one opened page."""
    action = {"type": "open_page", "url": url}
    return {"type": "web_search_call", "status": "completed", "action": action}


def text_part(text: str, annotations: Sequence[Any] = ()) -> Item:
    """Make one part of a message's content."""
    return {
        "type": "output_text",
        "annotations": list(annotations),
        "logprobs": [],
        "text": text,
    }


def message(*parts: Item, status: str = "completed") -> Item:
    """Make a message of the assistant."""
    return {"type": "message", "status": status, "content": list(parts), "role": "assistant"}

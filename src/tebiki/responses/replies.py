"""What the API sent, as values: text, searches, sources, citations, usage.

Reads raw JSON and not the SDK's types, because named sources are outside them. Whatever has an
unknown shape is passed over, never an error. Pure functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tebiki.responses.foreign_words import in_few_words, name_of
from tebiki.values.surrogates import without_lone_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]

MOST_TOKENS = 10**12
"""A count above this is no count; no price times it leaves what a number can hold."""

OPENINGS = ("open_page", "find_in_page")
"""Actions that read a page. In a tuple: a gateway may send a list in a name's place, which no set
can be asked for."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one response."""

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """One response of the API, sorted."""

    id: str
    model: str
    status: str
    incomplete_reason: str | None
    failure_message: str | None
    failure_code: str | None
    text: str
    citations: tuple[Json, ...]
    searches: tuple[Json, ...]
    usage: Usage
    billed_searches: int | None = None

    @property
    def searches_run(self) -> int:
        """How many searches are billed: as the API tells, or else as many as it shows."""
        if self.billed_searches is not None:
            return self.billed_searches
        return sum(1 for item in self.searches if _action(item).get("type", "search") == "search")

    @property
    def opened_pages(self) -> tuple[str, ...]:
        """Addresses of the pages the model really opened, in order, each once."""
        urls = (
            _text(_action(item).get("url"))
            for item in self.searches
            if _action(item).get("type") in OPENINGS and item.get("status") != "failed"
        )
        return tuple(dict.fromkeys(url for url in urls if url))

    @property
    def sources(self) -> tuple[Any, ...]:
        """Everything the searches listed as a source, in order, in whatever shape it has."""
        return tuple(
            source for item in self.searches for source in _list(_action(item).get("sources"))
        )


def reply_from_json(body: Json) -> Reply:
    """Sort one response object."""
    output = [item for item in _list(body.get("output")) if isinstance(item, dict)]
    parts = list(_content_parts(output))
    return Reply(
        id=name_of(body.get("id")),
        model=name_of(body.get("model")),
        status=name_of(body.get("status")) or "completed",
        incomplete_reason=name_of(_dict(body.get("incomplete_details")).get("reason")) or None,
        failure_message=in_few_words(_text(_dict(body.get("error")).get("message"))) or None,
        failure_code=name_of(_dict(body.get("error")).get("code")) or None,
        text=without_lone_surrogates("".join(_part_text(part) for part in parts)),
        citations=tuple(_citations(parts)),
        searches=tuple(item for item in output if item.get("type") == "web_search_call"),
        usage=_usage(_dict(body.get("usage"))),
        billed_searches=_told_count(
            _dict(_dict(body.get("tool_usage")).get("web_search")).get("num_requests")
        ),
    )


def _content_parts(output: list[Json]) -> Iterator[Json]:
    for item in output:
        if item.get("type") == "message":
            yield from (part for part in _list(item.get("content")) if isinstance(part, dict))


def _part_text(part: Json) -> str:
    """A refusal is what the model had to say."""
    if part.get("type") == "output_text":
        return _text(part.get("text"))
    return _text(part.get("refusal")) if part.get("type") == "refusal" else ""


def _citations(parts: list[Json]) -> Iterator[Json]:
    """Of each `url_citation`, flat or nested, the object that has the address."""
    for part in parts:
        for annotation in _list(part.get("annotations")):
            if isinstance(annotation, dict) and annotation.get("type") == "url_citation":
                nested = annotation.get("url_citation")
                yield nested if isinstance(nested, dict) else annotation


def _usage(usage: Json) -> Usage:
    return Usage(
        input=_count(usage.get("input_tokens")),
        output=_count(usage.get("output_tokens")),
        cached=_count(_dict(usage.get("input_tokens_details")).get("cached_tokens")),
        reasoning=_count(_dict(usage.get("output_tokens_details")).get("reasoning_tokens")),
    )


def _action(item: Json) -> Json:
    return _dict(item.get("action"))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _count(value: Any) -> int:
    return _told_count(value) or 0


def _told_count(value: Any) -> int | None:
    """A count, or None for whatever is none."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


def _dict(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []

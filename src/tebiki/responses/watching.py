"""Stream events for whoever waits: what is happening in a few words, and the text as it arrives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from tebiki.responses.foreign_words import in_few_words
from tebiki.values.phrases import phrase

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.responses.replies import Json


SEARCHING = phrase("searching the web")
"""Said of a search of which nothing more is known."""

TEXT_EVENTS = ("response.output_text.delta", "response.refusal.delta")


class Listener(Protocol):
    """Hears the text of an answer before it is complete."""

    def begin(self) -> None:
        """Forget what was heard: an attempt begins, perhaps after one that broke off."""

    def add(self, piece: str) -> None:
        """Take the next piece of the text."""


def event_watcher(
    watch: Callable[[str], None], listener: Listener | None = None, searching: str = SEARCHING
) -> Callable[[Json], None]:
    """Turn a listener for words, and perhaps one for the text, into one for events.

    `searching` is said of a search of which the event tells nothing.
    """

    def on_event(event: Json) -> None:
        if listener is not None and event.get("type") == "response.created":
            listener.begin()
        piece = event.get("delta")
        if listener is not None and event.get("type") in TEXT_EVENTS and isinstance(piece, str):
            listener.add(piece)
            return
        message = describe_event(event)
        if message is not None:
            watch(searching if message == SEARCHING else message)

    return on_event


def describe_event(event: Json) -> str | None:
    """Say what the model is doing; None for an event that tells a waiting person nothing."""
    match event.get("type"):
        case "response.web_search_call.searching" | "response.web_search_call.in_progress":
            return SEARCHING
        case "response.output_item.added" | "response.output_item.done":
            return _describe_item(event.get("item"))
        case "response.output_text.delta" | "response.refusal.delta":
            return phrase("writing …")
        case "response.created" | "response.in_progress":
            return phrase("thinking …")
        case _:
            return None


def _describe_item(item: Any) -> str | None:
    if not isinstance(item, dict) or item.get("type") != "web_search_call":
        return None
    action = item.get("action")
    if not isinstance(action, dict):
        return None
    url = action.get("url")
    if isinstance(url, str):
        return phrase("reading {place}", place=in_few_words(_host(url)))
    query = _query_of(action)
    return search_words(in_few_words(query)) if query else None


def search_words(query: str) -> str:
    """Say what is searched for."""
    return phrase("searching: {query}", query=query.strip())


def _query_of(action: Json) -> str | None:
    """What a search asks; newer models list several, and may leave the one out."""
    listed = action.get("queries")
    queries = [action.get("query"), *(listed if isinstance(listed, list) else ())]
    return next((query for query in queries if isinstance(query, str) and query.strip()), None)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or url
    except ValueError:
        return "a page"

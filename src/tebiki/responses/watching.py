"""Stream events in a few words, for progress: pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.responses.replies import Json


def event_watcher(watch: Callable[[str], None]) -> Callable[[Json], None]:
    """Turn a listener for words into one for events."""

    def on_event(event: Json) -> None:
        message = describe_event(event)
        if message is not None:
            watch(message)

    return on_event


def describe_event(event: Json) -> str | None:
    """Say what the model is doing; None for an event that tells a waiting person nothing."""
    match event.get("type"):
        case "response.web_search_call.searching" | "response.web_search_call.in_progress":
            return "searching the web"
        case "response.output_item.added" | "response.output_item.done":
            return _describe_item(event.get("item"))
        case "response.output_text.delta" | "response.refusal.delta":
            return "writing …"
        case "response.created" | "response.in_progress":
            return "thinking …"
        case _:
            return None


def _describe_item(item: Any) -> str | None:
    if not isinstance(item, dict) or item.get("type") != "web_search_call":
        return None
    action = item.get("action")
    if not isinstance(action, dict):
        return None
    query, url = action.get("query"), action.get("url")
    if isinstance(url, str):
        return f"reading {_host(url)}"
    return f"searching: {query}" if isinstance(query, str) else None


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or url
    except ValueError:
        return "a page"

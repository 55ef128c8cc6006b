"""What those who wait hear of a stream: words, and the text if they want it."""

from __future__ import annotations

from typing import Any

import pytest

from tebiki.responses.watching import event_watcher

EVENTS: list[dict[str, Any]] = [
    {"type": "response.created"},
    {"type": "response.output_text.delta", "delta": "Hel"},
    {"type": "response.output_text.delta", "delta": "lo"},
    {"type": "response.created"},
    {"type": "response.web_search_call.searching"},
    {"type": "response.refusal.delta", "delta": "No."},
    {"type": "response.output_text.delta", "delta": None},
    {"type": "response.output_text.done", "text": "No."},
    {"type": ["odd"], "delta": "no name"},
]


class Heard:
    """Keeps what was heard."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def begin(self) -> None:
        """Begin anew."""
        self.texts.append("")

    def add(self, piece: str) -> None:
        """Keep a piece."""
        self.texts[-1] += piece


@pytest.mark.requirement("wire:progress:words")
def test_text_goes_to_the_listener_and_words_to_the_watcher() -> None:
    """An attempt that begins again begins with nothing."""
    words: list[str] = []
    heard = Heard()
    on_event = event_watcher(words.append, heard)

    for event in EVENTS:
        on_event(event)

    assert heard.texts == ["Hello", "No."]
    assert words == ["thinking …", "thinking …", "searching the web", "writing …"]


@pytest.mark.requirement("websearch:progress:told")
@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({"type": "search", "query": "tea"}, ["searching: tea"]),
        # Written by a model that had read pages.
        ({"type": "search", "query": "te\x1b[31ma\u202e\U000e0068"}, ["searching: tea"]),
        (
            {"type": "search", "query": "", "queries": [" green tea ", "tea"]},
            ["searching: green tea"],
        ),
        ({"type": "search", "queries": [None, 5, "tea"]}, ["searching: tea"]),
        ({"type": "search", "queries": "tea"}, []),
        ({"type": "open_page", "url": "https://a.jp/x?y"}, ["reading a.jp"]),
    ],
)
def test_a_search_is_named(action: dict[str, Any], words: list[str]) -> None:
    """By the query, or the first of several."""
    heard: list[str] = []

    item = {"type": "web_search_call", "action": action}
    event_watcher(heard.append)({"type": "response.output_item.done", "item": item})

    assert heard == words


@pytest.mark.requirement("websearch:progress:told")
def test_a_search_that_tells_nothing_is_named_by_who_asked() -> None:
    """The search tool knows what it searches for."""
    heard: list[str] = []

    event_watcher(heard.append, searching="searching: tea")(EVENTS[4])

    assert heard == ["searching: tea"]


def test_without_a_listener_writing_is_only_told() -> None:
    """As progress always was."""
    words: list[str] = []
    on_event = event_watcher(words.append)

    for event in EVENTS[:3]:
        on_event(event)

    assert words == ["thinking …", "writing …", "writing …"]

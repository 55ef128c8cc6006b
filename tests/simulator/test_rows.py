"""The scenarios that answer with search results as JSON."""

from typing import Any

import pytest

from simulator import Simulator
from tests.simulator.asking import (
    items,
    output_text,
    post,
    question,
    rows,
    schema_format,
    simulate,
    sources,
)


def _body(simulator: Simulator, script: str, **more: Any) -> dict[str, Any]:
    answer = simulate(simulator, script, text=schema_format(), **more)
    assert answer.status == 200
    body: dict[str, Any] = answer.body
    return body


def _urls(found: list[dict[str, Any]]) -> list[str]:
    return [each["url"] for each in found]


def test_results_are_grounded_in_the_sources(simulator: Simulator) -> None:
    """Each row's URL is a source, and each row has the fields of the schema."""
    body = _body(simulator, "results")
    assert _urls(rows(body)) == _urls(sources(body))
    for row in rows(body):
        assert set(row) == {"title", "url", "snippet", "publishedDate", "relevanceScore"}


@pytest.mark.parametrize(
    ("instructions", "count"),
    [
        ("Return at most 7 results.", 7),
        ("limit: 3", 3),
        ("最大 12 件まで", 12),
        ("20件", 20),
        ("up to 900", 50),
        ("Bring it up to date from 2026-10-09 on. Return some.", 5),
    ],
)
def test_the_number_of_rows_follows_the_instructions(
    simulator: Simulator, instructions: str, count: int
) -> None:
    """As well as a model would read them."""
    assert len(rows(_body(simulator, "results", instructions=instructions))) == count


def test_the_number_of_rows_may_stand_in_the_input(simulator: Simulator) -> None:
    """When the instructions do not tell."""
    body = post(simulator, question("tea\nlimit=2", text=schema_format())).body
    assert len(rows(body)) == 2


def test_invented_rows_are_in_no_source(simulator: Simulator) -> None:
    """Two of them, around the good ones."""
    body = _body(simulator, "invented")
    invented = set(_urls(rows(body))) - set(_urls(sources(body)))
    assert invented == {"https://invented.example/1", "https://invented.example/2"}


def test_tracking_rows_spell_no_source_as_it_is(simulator: Simulator) -> None:
    """All are the same pages: sources, and one that was opened."""
    body = _body(simulator, "tracking")
    spelled = _urls(rows(body))
    assert not set(spelled) & set(_urls(sources(body)))
    for sign in ("utm_source=", ":443/", "gclid=", "#", "NEWS.EXAMPLE.COM", "/articles/4/"):
        assert any(sign in url for url in spelled)
    assert spelled[-1].startswith("https://opened.example/page?")
    assert items(body, "web_search_call")[1]["action"]["url"] == "https://opened.example/page"


def test_dirty_rows_need_cleaning(simulator: Simulator) -> None:
    """Markup, entities, control and bidi characters, wrong scores and dates, long text."""
    first, second, third, fourth = rows(_body(simulator, "dirty"))
    assert "<b>" in first["title"]
    assert "\u202e" in first["title"]
    assert "\x00" in first["snippet"]
    assert "\r\n" in first["snippet"]
    assert len(second["snippet"]) > 500
    assert not second["title"].strip()
    assert not any(0 <= row["relevanceScore"] <= 1 for row in (second, third, fourth))
    assert third["publishedDate"] == "last Tuesday"


@pytest.mark.parametrize(("name", "source_count"), [("no_results", 0), ("rows_empty", 5)])
def test_rows_can_be_empty(simulator: Simulator, name: str, source_count: int) -> None:
    """With or without sources."""
    body = _body(simulator, name)
    assert rows(body) == []
    assert len(sources(body)) == source_count


@pytest.mark.parametrize(("name", "source_count"), [("prose", 5), ("prose_bare", 0)])
def test_text_can_be_no_json(simulator: Simulator, name: str, source_count: int) -> None:
    """With or without sources."""
    body = _body(simulator, name)
    assert output_text(body).startswith("I found")
    assert len(sources(body)) == source_count


def test_urls_of_other_schemes_are_mixed_in(simulator: Simulator) -> None:
    """Even as sources."""
    body = _body(simulator, "javascript_url")
    assert _urls(rows(body)) == _urls(sources(body))
    schemes = {url.partition(":")[0] for url in _urls(rows(body))}
    assert schemes == {"javascript", "ftp", "https"}


def test_duplicate_rows_share_a_page(simulator: Simulator) -> None:
    """Once spelled the same, once not."""
    urls = _urls(rows(_body(simulator, "duplicate_rows")))
    assert urls[3] == urls[0]
    assert urls[4].startswith(urls[1])

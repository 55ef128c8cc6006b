"""Web search on a real server, against the loopback API: requests, results, progress."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from tests.interaction.differences import expected
from tests.interaction.search_calls import FACE, PROGRESS, TOOL, body, call, search

if TYPE_CHECKING:
    from simulator import Simulator
    from tests.interaction.conftest import Connect
    from tests.interaction.search_calls import Json


@pytest.mark.requirement(
    "wire:definitions:bounds",
    "websearch:arguments:schema",
    "websearch:arguments:description",
    "websearch:face:both",
    "config:faces:names",
)
def test_the_face_serves_one_tool(connect: Connect) -> None:
    """Named and described as ever, with bounds, defaults and choices in its schema."""
    tools = connect(face=FACE).ask(1, "tools/list")["result"]["tools"]

    assert [tool["name"] for tool in tools] == [TOOL]
    assert tools[0]["description"].startswith("ChatGPT o3の検索機能を使用してWeb検索を実行します")
    schema = tools[0]["inputSchema"]
    bare = {
        name: {key: value for key, value in entry.items() if key != "description"}
        for name, entry in schema["properties"].items()
    }
    assert bare == {
        "query": {"type": "string", "minLength": 1, "maxLength": 500},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "language": {
            "type": "string",
            "enum": ["auto", "ja", "en", "zh", "ko", "fr", "de", "es", "it", "pt", "ru"],
            "default": "auto",
        },
        "timeframe": {
            "type": "string",
            "enum": ["recent", "past_week", "past_month", "past_year"],
        },
    }
    assert schema["required"] == ["query"]
    assert schema["additionalProperties"] is False
    hints = tools[0]["annotations"]
    assert (hints["readOnlyHint"], hints["openWorldHint"]) == (True, True)


@pytest.mark.requirement("websearch:face:both")
def test_the_product_serves_it_too(start: Connect) -> None:
    """Beside the answers."""
    assert search(start(face="tebiki"), "天気")["results"]


@pytest.mark.requirement(
    "websearch:arguments:query",
    "websearch:request:required-search",
    "websearch:request:language-and-limit",
    "websearch:model:setting",
    "mcp:models:known-families",
)
def test_the_request_is_exactly_this(start: Connect, simulator: Simulator) -> None:
    """The search is required, its sources are asked for, the answer is strict JSON."""
    search(start(face=FACE), "  東京の天気\n")

    sent = dict(body(simulator))
    told = sent.pop("instructions")
    answer = sent.pop("text")["format"]
    assert sent == {
        "model": "o3",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "東京の天気"}]}],
        "tools": [{"type": "web_search"}],
        "tool_choice": "required",
        "include": ["web_search_call.action.sources"],
    }
    assert "at most 10 results" in told
    assert "language of the query" in told
    assert "published on" not in told
    assert (answer["type"], answer["strict"]) == ("json_schema", True)
    row = answer["schema"]["properties"]["results"]["items"]
    assert list(row["properties"]) == row["required"]
    assert row["required"] == ["title", "url", "snippet", "publishedDate", "relevanceScore"]


@pytest.mark.requirement("websearch:request:timeframe")
@pytest.mark.parametrize(
    ("timeframe", "days"),
    [("recent", 3), ("past_week", 7), ("past_month", 31), ("past_year", 366)],
)
def test_a_timeframe_becomes_a_day(
    start: Connect, simulator: Simulator, timeframe: str, days: int
) -> None:
    """The earliest one, counted in Tokyo."""
    tokyo = timezone(timedelta(hours=9))
    before = datetime.now(tokyo).date()

    search(start(face=FACE), "天気", timeframe=timeframe)

    # Two days, should the test run over midnight.
    possible = {before, datetime.now(tokyo).date()}
    earliest = {f"on {day - timedelta(days=days)} or later" for day in possible}
    assert any(words in body(simulator)["instructions"] for words in earliest)


@pytest.mark.requirement(
    "wire:arguments:null-is-absent",
    "websearch:arguments:limit",
    "websearch:arguments:unknown-keys",
    "websearch:request:language-and-limit",
)
def test_language_and_limit_are_asked_for(start: Connect, simulator: Simulator) -> None:
    """`5.0` is 5, and null is as good as nothing."""
    server = start(face=FACE)

    found = search(server, "weather", limit=5.0, language="ko", timeframe=None)
    told = body(simulator)["instructions"]
    search(server, "weather again", limit=None, language=None)

    assert "at most 5 results" in told
    assert "ISO 639-1 code ko." in told
    assert len(found["results"]) == 5
    assert "at most 10 results" in body(simulator)["instructions"]


BAD_ARGUMENTS: list[tuple[Any, str]] = [
    ({}, "query is required"),
    ({"query": None}, "query is required"),
    ({"query": " \n"}, "query is required"),
    ({"query": 5}, "query must be a string"),
    ({"query": "x" * 501}, "at most 500 characters"),
    ({"query": "x", "limit": 0}, "limit must be an integer from 1 to 50, got 0"),
    ({"query": "x", "limit": 51}, "limit must be an integer from 1 to 50, got 51"),
    ({"query": "x", "limit": 5.5}, "limit must be an integer"),
    ({"query": "x", "limit": "5"}, "limit must be an integer"),
    ({"query": "x", "limit": True}, "limit must be an integer"),
    ({"query": "x", "language": "xx"}, "language must be one of auto, ja"),
    ({"query": "x", "language": "JA"}, "language must be one of auto, ja"),
    ({"query": "x", "timeframe": "yesterday"}, "timeframe must be one of recent"),
    ({"query": "x", "sort": "new"}, "known: query, limit, language, timeframe"),
    ("x", "arguments must be an object"),
    (None, "query is required"),
]


@pytest.mark.requirement(
    "wire:errors:search-arguments",
    "wire:arguments:object",
    "websearch:arguments:query",
    "websearch:arguments:limit",
    "websearch:arguments:choices",
    "websearch:arguments:unknown-keys",
)
def test_bad_arguments_are_refused(
    start: Connect, simulator: Simulator, subtests: pytest.Subtests
) -> None:
    """Before anything is sent."""
    server = start(face=FACE)
    no_object = expected(server, "arguments that are no object", None)

    for number, (arguments, words) in enumerate(BAD_ARGUMENTS):
        with subtests.test(words):
            error = server.call(number, TOOL, arguments)["error"]

            if isinstance(arguments, str) and no_object is not None:
                assert error == no_object
            else:
                assert error["code"] == -32602
                assert words in error["data"]["details"]
            assert simulator.requests == []


@pytest.mark.requirement("websearch:arguments:query")
def test_a_query_of_500_characters_is_taken(start: Connect) -> None:
    """Blanks around it do not count."""
    assert search(start(face=FACE), f"  {'天' * 500}  ")["results"]


@pytest.mark.requirement(
    "wire:results:twice",
    "wire:results:own-schema",
    "websearch:result:shape",
    "websearch:result:row",
)
def test_the_result_is_there_twice(start: Connect) -> None:
    """As text and as structure, and as the output schema says."""
    server = start(face=FACE)
    schema = server.ask("list", "tools/list")["result"]["tools"][0]["outputSchema"]

    result = call(server, "天気")

    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    jsonschema.validate(result["structuredContent"], schema)
    assert result["structuredContent"]["totalCount"] == 10
    assert result["structuredContent"]["results"][0] == {
        "title": "記事 1",
        "url": "https://www.weather.example/articles/1",
        "snippet": "What 記事 1 says, in one sentence.",
        "publishedDate": "2026-01-10",
        "relevanceScore": 0.95,
    }


@pytest.mark.requirement("websearch:grounding:dropped", "websearch:receipt:meta")
def test_invented_pages_are_dropped(start: Connect) -> None:
    """And counted in the receipt."""
    result = call(start(face=FACE), "simulate: invented", limit=5)

    urls = [row["url"] for row in result["structuredContent"]["results"]]
    assert len(urls) == 5
    assert not any("invented" in url for url in urls)
    assert result["_meta"]["tebiki/receipt"]["dropped"] == 2


@pytest.mark.requirement(
    "websearch:grounding:normalised",
    "websearch:grounding:opened-pages",
    "websearch:grounding:spelling",
    "websearch:result:cut",
)
def test_other_spellings_are_the_same_page(start: Connect) -> None:
    """The source's spelling is given out; a page the model opened counts as seen."""
    result = call(start(face=FACE), "simulate: tracking", limit=6)

    urls = [row["url"] for row in result["structuredContent"]["results"]]
    assert urls == [
        "https://www.weather.example/articles/1",
        "https://news.example.com/articles/2",
        "https://docs.example.org/articles/3",
        "https://data.example.net/articles/4",
        "https://www.city.example.jp/articles/5",
        "https://blog.example.com/articles/6",
    ]
    assert result["structuredContent"]["totalCount"] == 7
    assert result["_meta"]["tebiki/receipt"]["dropped"] == 0
    assert result["_meta"]["tebiki/receipt"]["pages_opened"] == 1


@pytest.mark.requirement(
    "websearch:result:row",
    "websearch:result:plain-text",
    "websearch:result:odd-scores",
    "mcp:guard:cleaned",
)
def test_title_and_snippet_are_plain(start: Connect) -> None:
    """No tags, entities, control or bidi signs; odd dates and scores are left out."""
    first, *others = search(start(face=FACE), "simulate: dirty")["results"]

    assert first["title"] == "Bold & alert(1)title"
    assert first["snippet"] == "First line second third line."
    assert others[0]["title"] == "news.example.com"
    assert len(others[0]["snippet"]) == 500
    assert all("relevanceScore" not in row for row in others)
    assert ["publishedDate" in row for row in others] == [True, False, False]


@pytest.mark.requirement("websearch:result:duplicates")
def test_duplicates_are_merged(start: Connect) -> None:
    """The first stays; a duplicate was not made up."""
    result = call(start(face=FACE), "simulate: duplicate_rows")

    titles = [row["title"] for row in result["structuredContent"]["results"]]
    assert titles == ["Article 1", "Article 2", "Article 3"]
    assert result["structuredContent"]["totalCount"] == 3
    assert result["_meta"]["tebiki/receipt"]["dropped"] == 0


@pytest.mark.requirement("websearch:result:web-only")
def test_only_web_pages_are_given_out(start: Connect) -> None:
    """Whatever the search itself listed."""
    result = call(start(face=FACE), "simulate: javascript_url", limit=5)

    urls = [row["url"] for row in result["structuredContent"]["results"]]
    assert len(urls) == 5
    assert all(url.startswith("https://") for url in urls)
    assert result["_meta"]["tebiki/receipt"]["dropped"] == 2


@pytest.mark.requirement("websearch:grounding:sources-instead")
@pytest.mark.parametrize("scenario", ["rows_empty", "prose"])
def test_the_sources_stand_in_for_rows(start: Connect, scenario: str) -> None:
    """By host, without a snippet, cut to the limit like any others."""
    found = search(start(face=FACE), f"simulate: {scenario}", limit=3)

    assert found["totalCount"] == 3
    assert found["results"][0] == {
        "title": "www.weather.example",
        "url": "https://www.weather.example/articles/1",
        "snippet": "",
    }


@pytest.mark.requirement("websearch:grounding:sources-instead", "websearch:result:cut")
@pytest.mark.parametrize(
    ("scenario", "count"),
    [("searched", 3), ("nested", 2), ("sources_only", 6), ("many", 12), ("opened", 1), ("odd", 2)],
)
def test_prose_with_any_kind_of_source_is_a_result(
    start: Connect, scenario: str, count: int
) -> None:
    """Sources in every shape, citations flat and nested, opened pages; each page once."""
    found = search(start(face=FACE), f"simulate: {scenario}", limit=2)

    assert found["totalCount"] == count
    assert len(found["results"]) == min(2, count)
    assert all(row["url"].startswith("https://") for row in found["results"])


@pytest.mark.requirement("websearch:grounding:empty")
def test_nothing_found_is_an_empty_result(start: Connect) -> None:
    """Not an error."""
    assert search(start(face=FACE), "simulate: no_results") == {"results": [], "totalCount": 0}


@pytest.mark.requirement("websearch:receipt:meta")
def test_the_receipt_says_what_it_took(start: Connect) -> None:
    """As for answers, and what was dropped."""
    receipt = call(start(face=FACE), "天気")["_meta"]["tebiki/receipt"]

    assert receipt["model"].startswith("o3-")
    assert receipt["response_id"].startswith("resp_")
    assert (receipt["searches"], receipt["pages_opened"]) == (1, 0)
    assert receipt["tokens"]["input"] > 0
    assert (receipt["attempts"], receipt["dropped"]) == (1, 0)
    assert receipt["elapsed_ms"] >= 0


@pytest.mark.requirement("wire:progress:same-result")
@pytest.mark.parametrize("scenario", ["results", "tracking", "dirty", "rows_empty", "prose"])
def test_progress_changes_nothing_about_the_result(start: Connect, scenario: str) -> None:
    """Streamed or not, the same rows."""
    server = start(face=FACE)
    arguments = {"query": f"simulate: {scenario}"}

    plain = server.call(1, TOOL, arguments)["result"]
    streamed = server.call(2, TOOL, arguments, _meta=PROGRESS)["result"]

    assert streamed["structuredContent"] == plain["structuredContent"]


@pytest.mark.requirement(
    "wire:progress:before-the-answer", "wire:progress:no-token", "websearch:progress:told"
)
def test_progress_tells_what_is_going_on(start: Connect, simulator: Simulator) -> None:
    """Under the client's token, before the answer; without a token nothing is streamed."""
    server = start(face=FACE)
    search(server, "天気")
    assert "stream" not in body(simulator)

    arguments = {"query": "simulate: slow ms=900 steps=3 then=results"}
    server.begin_call(1, TOOL, arguments, _meta=PROGRESS)
    messages = [server.next_message()]
    while "id" not in messages[-1]:
        messages.append(server.next_message())

    *progress, answer = messages
    assert body(simulator)["stream"] is True
    assert progress[0]["params"]["message"] == f"searching: {arguments['query']} (o3)"
    assert "thinking …" in [message["params"]["message"] for message in progress]
    assert {message["params"]["progressToken"] for message in progress} == {"p"}
    assert answer["result"]["structuredContent"]["results"]


@pytest.mark.requirement("wire:cancel:upstream-closed", "websearch:time:cancelled")
@pytest.mark.parametrize("meta", [{}, PROGRESS], ids=["plain", "streamed"])
def test_cancelling_closes_the_upstream_connection(
    start: Connect, simulator: Simulator, meta: Json
) -> None:
    """Seen at the API; no answer ever comes, and the next search works."""
    server = start(face=FACE)

    server.begin_call("c", TOOL, {"query": "simulate: slow ms=60000"}, _meta=meta)
    simulator.wait_for_requests(1)
    server.cancel("c")
    simulator.wait_for_disconnects(1)

    assert search(server, "天気")["results"]
    assert [message for message in server.finish() if "id" in message] == []


@pytest.mark.requirement("wire:cancel:no-retries", "websearch:time:cancelled")
def test_cancelling_stops_the_retries(start: Connect, simulator: Simulator) -> None:
    """A search that waits for its next attempt never makes it."""
    server = start("--debug", face=FACE)

    server.begin_call("c", TOOL, {"query": "simulate: 429 retry_after=19"})
    server.wait_for_stderr("retry attempt=2")
    server.cancel("c")

    assert server.finish() == []
    assert len(simulator.requests) == 1

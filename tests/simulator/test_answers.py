"""The scenarios that answer in prose, as the raw body shows them and as the SDK reads them."""

from typing import Any

import pytest
from openai import OpenAI
from openai.types.responses import Response

from simulator import Simulator
from simulator.answers import ANSWERS
from simulator.rows import ROWS
from tests.simulator.asking import (
    OUTSIDE_THE_TYPES,
    annotations,
    items,
    output_text,
    post,
    question,
    schema_format,
    simulate,
    sources,
)

_NAMED = {"type": "api", "name": "oai-weather"}


def _body(simulator: Simulator, script: str, **more: Any) -> dict[str, Any]:
    answer = simulate(simulator, script, **more)
    assert answer.status == 200
    body: dict[str, Any] = answer.body
    return body


@pytest.mark.parametrize("name", sorted({*ANSWERS, *ROWS} - OUTSIDE_THE_TYPES))
def test_a_well_formed_answer_validates_with_the_sdk(simulator: Simulator, name: str) -> None:
    """Every field has the type that the SDK declares."""
    body = _body(simulator, name)
    read = Response.model_validate(body)
    assert read.tool_usage is not None
    searches = [item for item in body["output"] if item.get("action", {}).get("type") == "search"]
    assert read.tool_usage.web_search.num_requests == len(searches)
    assert read.usage is not None
    assert read.usage.total_tokens == read.usage.input_tokens + read.usage.output_tokens


@pytest.mark.parametrize("name", sorted(OUTSIDE_THE_TYPES))
def test_an_answer_outside_the_types_can_still_be_read(client: OpenAI, name: str) -> None:
    """The SDK constructs it without validating."""
    answer = client.responses.create(**question(f"simulate: {name}"))
    assert isinstance(answer, Response)
    assert answer.output_text


def test_a_request_with_everything_is_echoed_validly(simulator: Simulator) -> None:
    """What was asked for comes back in the response object."""
    tool = {"type": "web_search", "filters": {"allowed_domains": ["a.example"]}}
    asked = question(
        "hello",
        instructions="x" * 8000,
        metadata={"a": "b"},
        reasoning={"effort": "high", "summary": "auto"},
        text={"verbosity": "low", **schema_format()},
        tools=[tool],
        temperature=0,
        store=False,
    )
    body = post(simulator, asked).body
    Response.model_validate(body)
    for name in ("instructions", "metadata", "temperature", "store"):
        assert body[name] == asked[name]
    assert body["reasoning"] == {"effort": "high", "summary": "auto"}
    assert body["text"]["format"]["schema"] == asked["text"]["format"]["schema"]
    assert body["usage"]["input_tokens_details"]["cached_tokens"] > 0


@pytest.mark.parametrize(
    ("model", "snapshot", "thinks"),
    [
        ("gpt-5.2", "gpt-5.2-2025-12-11", True),
        ("o3", "o3-2025-04-16", True),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-05-13", False),
        ("future-model", "future-model-2025-12-11", False),
    ],
)
def test_the_model_is_the_dated_snapshot(
    simulator: Simulator, model: str, snapshot: str, thinks: bool
) -> None:
    """Reasoning models also show that they have thought."""
    body = _body(simulator, "plain", model=model)
    assert body["model"] == snapshot
    assert bool(items(body, "reasoning")) is thinks
    assert (body["usage"]["output_tokens_details"]["reasoning_tokens"] > 0) is thinks


@pytest.mark.parametrize("name", ["searched", "many", "duplicates", "named_and_cited", "parts"])
def test_citations_point_at_their_links(simulator: Simulator, name: str) -> None:
    """The indices cut the link out of the text."""
    part = items(_body(simulator, name), "message")[-1]["content"][-1]
    assert part["annotations"]
    for found in part["annotations"]:
        link = part["text"][found["start_index"] : found["end_index"]]
        assert link == f"([{found['title']}]({found['url']}))"


def test_sources_come_only_when_they_are_included(simulator: Simulator) -> None:
    """Without the include the search tells its query only."""
    assert len(sources(_body(simulator, "searched"))) == 3
    assert sources(_body(simulator, "searched", include=[])) == []


def test_results_stay_within_the_allowed_domains(simulator: Simulator) -> None:
    """Sources and citations obey the filter."""
    tool = {"type": "web_search", "filters": {"allowed_domains": ["a.example", "b.example"]}}
    found = sources(_body(simulator, "many", tools=[tool]))
    assert {source["url"].split("/")[2] for source in found} == {"a.example", "b.example"}


def test_a_nested_citation_has_its_url_one_level_down(simulator: Simulator) -> None:
    """The older form of the API."""
    for found in annotations(_body(simulator, "nested")):
        assert set(found) == {"type", "url_citation"}
        assert found["url_citation"]["url"].startswith("https://")


def test_named_sources_have_no_url(simulator: Simulator) -> None:
    """Alone or beside citations."""
    assert sources(_body(simulator, "named")) == [_NAMED]
    assert annotations(_body(simulator, "named")) == []
    both = _body(simulator, "named_and_cited")
    assert (sources(both)[-1], len(annotations(both))) == (_NAMED, 1)


def test_sources_only_come_in_several_shapes(simulator: Simulator) -> None:
    """Strings and objects, with titles and dates under several names."""
    body = _body(simulator, "sources_only")
    assert annotations(body) == []
    shapes = sources(body)
    assert isinstance(shapes[0], str)
    names = {name for shape in shapes[1:] for name in shape}
    assert {"url", "link", "title", "name", "published_at", "published_date", "date"} <= names


def test_counts_of_citations(simulator: Simulator) -> None:
    """Twelve for `many`, one URL under two titles for `duplicates`."""
    assert len({found["url"] for found in annotations(_body(simulator, "many"))}) == 12
    first, again, _ = annotations(_body(simulator, "duplicates"))
    assert first["url"] == again["url"]
    assert first["title"] != again["title"]


def test_searches_can_leave_no_trace_of_where(simulator: Simulator) -> None:
    """`bare_search` has no sources, `opened` has no search."""
    (search,) = items(_body(simulator, "bare_search"), "web_search_call")
    assert "sources" not in search["action"]
    (opened,) = items(_body(simulator, "opened"), "web_search_call")
    assert opened["action"]["type"] == "open_page"


def test_odd_shapes_surround_a_good_citation(simulator: Simulator) -> None:
    """A client must find the one among the rest."""
    body = _body(simulator, "odd")
    assert {type(found) for found in annotations(body)} == {int, type(None), list, str, dict}
    assert annotations(body)[-1]["url"].startswith("https://")
    assert {type(found) for found in sources(body)} == {int, type(None), list, str, dict}


@pytest.mark.parametrize(
    ("script", "heading", "dated"),
    [
        ("dated_sources", "\nSources:\n", True),
        ("undated_sources", "\nSources:\n", False),
        ("markdown_sources", "\n## Sources\n", True),
        ("markdown_sources style=bold", "\n**Sources:**\n", True),
        ("markdown_sources style=bold dates=no", "\n**Sources:**\n", False),
    ],
)
def test_a_model_may_write_its_own_sources_section(
    simulator: Simulator, script: str, heading: str, dated: bool
) -> None:
    """With or without dates, plain or as Markdown."""
    text = output_text(_body(simulator, script))
    section = text.partition(heading)[2]
    assert section.startswith("- https://")
    assert ("(2026-" in section) is dated


@pytest.mark.parametrize(
    ("name", "status", "has_text"),
    [
        ("refusal", "completed", False),
        ("incomplete", "incomplete", True),
        ("incomplete_empty", "incomplete", False),
        ("failed", "failed", False),
        ("empty", "completed", False),
    ],
)
def test_an_answer_can_end_badly(
    simulator: Simulator, name: str, status: str, has_text: bool
) -> None:
    """The status says how, and what text there is remains."""
    body = _body(simulator, name)
    assert body["status"] == status
    assert bool(output_text(body)) is has_text
    assert (body["error"] is not None) is (name == "failed")
    assert (body["incomplete_details"] is not None) is (status == "incomplete")
    assert (body["completed_at"] is not None) is (status == "completed")


def test_a_refusal_is_a_part_of_the_message(simulator: Simulator) -> None:
    """In the language of the question."""
    (said,) = items(_body(simulator, "refusal"), "message")
    assert said["content"] == [{"type": "refusal", "refusal": "I can't help with that."}]


def test_text_can_come_in_parts(client: OpenAI) -> None:
    """The SDK joins them without anything between."""
    answer = client.responses.create(model="gpt-5.2", input="simulate: parts")
    assert answer.output_text.startswith("First part. Second part. About")


def test_a_lone_surrogate_is_escaped_in_the_body(simulator: Simulator) -> None:
    """The bytes are valid, the text they stand for is not."""
    answer = simulate(simulator, "surrogate")
    assert rb"\ud83d" in answer.raw
    assert "\ud83d" in output_text(answer.body)


def test_a_large_answer_is_as_large_as_asked_for(simulator: Simulator) -> None:
    """Five megabytes unless told otherwise."""
    assert len(simulate(simulator, "large").raw) > 5 * 1024 * 1024
    assert 1024 * 512 < len(simulate(simulator, "large mb=0.5").raw) < 1024 * 600

"""Answers as events: the sequence, the types, and the response that comes out in the end."""

from typing import Any

import openai
import pytest
from openai import OpenAI
from openai.types.responses import ResponseErrorEvent, ResponseStreamEvent
from pydantic import TypeAdapter

from simulator import Simulator
from simulator.answers import ANSWERS
from simulator.rows import ROWS
from tests.simulator.asking import (
    OUTSIDE_THE_TYPES,
    output_text,
    question,
    schema_format,
    simulate,
)

_EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
_NAMES = sorted({*ANSWERS, *ROWS})


def _types(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"].removeprefix("response.") for event in events]


@pytest.mark.parametrize("name", _NAMES)
def test_the_final_response_equals_the_plain_one(simulator: Simulator, name: str) -> None:
    """To the last byte of every id."""
    plain = simulate(simulator, name)
    events = simulate(simulator, name, stream=True).events
    assert events[-1]["type"] == f"response.{plain.body['status']}"
    assert events[-1]["response"] == plain.body


@pytest.mark.parametrize("name", _NAMES)
def test_events_are_numbered_and_add_up_to_the_response(simulator: Simulator, name: str) -> None:
    """Deltas make the text, finished items make the output."""
    events = simulate(simulator, name, stream=True).events
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    final = events[-1]["response"]
    deltas = [event["delta"] for event in events if event["type"].endswith("output_text.delta")]
    assert "".join(deltas) == output_text(final)
    done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    assert done == final["output"]


@pytest.mark.parametrize("name", sorted(set(_NAMES) - OUTSIDE_THE_TYPES))
def test_events_of_a_well_formed_answer_validate_with_the_sdk(
    simulator: Simulator, name: str
) -> None:
    """Each event has the fields that the SDK declares for its type."""
    for event in simulate(simulator, name, stream=True).events:
        assert _EVENT.validate_python(event).type == event["type"]


def test_the_events_come_in_the_apis_order(simulator: Simulator) -> None:
    """Reasoning, search, opened page, message."""
    answer = simulate(simulator, "searched", stream=True)
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["transfer-encoding"] == "chunked"
    search = ["output_item.added"]
    search += [f"web_search_call.{stage}" for stage in ("in_progress", "searching", "completed")]
    search += ["output_item.done"]
    assert _types(answer.events) == [
        *("created", "in_progress"),
        *("output_item.added", "output_item.done"),
        *search,
        *search,
        *("output_item.added", "content_part.added"),
        *["output_text.delta"] * 6,
        *["output_text.annotation.added"] * 2,
        *("output_text.done", "content_part.done", "output_item.done"),
        "completed",
    ]


def test_each_frame_names_its_event(simulator: Simulator) -> None:
    """The `event:` line says what the data says."""
    answer = simulate(simulator, "plain", stream=True)
    names = [line[7:] for line in answer.raw.decode().split("\n") if line.startswith("event: ")]
    assert names == [event["type"] for event in answer.events]


def test_a_refusal_is_streamed_as_one(simulator: Simulator) -> None:
    """With events of its own."""
    types = _types(simulate(simulator, "refusal", stream=True).events)
    assert "refusal.delta" in types
    assert "refusal.done" in types
    assert "output_text.delta" not in types


def test_what_has_begun_shows_nothing_of_the_end(simulator: Simulator) -> None:
    """The first events carry an empty response in progress."""
    created = simulate(simulator, "incomplete", stream=True).events[0]["response"]
    assert (created["status"], created["output"], created["usage"]) == ("in_progress", [], None)
    assert created["incomplete_details"] is None


@pytest.mark.parametrize("steps", [1, 3])
def test_a_slow_stream_shows_progress(simulator: Simulator, steps: int) -> None:
    """One `in_progress` after each pause."""
    script = f"slow ms=3 steps={steps} then=searched"
    types = _types(simulate(simulator, script, stream=True).events)
    assert types[: steps + 2] == ["created", *["in_progress"] * steps, "output_item.added"]
    assert types[-1] == "completed"


@pytest.mark.parametrize("name", ["plain", "searched", "parts", "refusal", "many", "results"])
def test_the_sdks_stream_helper_builds_the_same_response(client: OpenAI, name: str) -> None:
    """It fails when events are out of order."""
    asked = question(f"simulate: {name}")
    with client.responses.stream(**asked) as stream:
        final = stream.get_final_response()
    plain = client.responses.create(**asked)
    assert final.output_text == plain.output_text
    assert (final.id, final.usage) == (plain.id, plain.usage)


def test_a_schema_is_streamed_too(client: OpenAI) -> None:
    """The deltas make the JSON text."""
    with client.responses.stream(**question("tea", text=schema_format())) as stream:
        text = "".join(
            event.delta for event in stream if event.type == "response.output_text.delta"
        )
    assert text.startswith('{"results": [')


def test_a_stream_can_fail_midway(client: OpenAI, simulator: Simulator) -> None:
    """As an event, or in the nested form that the SDK raises; unstreamed it is a 500."""
    ask: Any = client.responses.create
    flat = list(ask(model="gpt-5.2", input="simulate: stream_error", stream=True))
    assert isinstance(flat[-1], ResponseErrorEvent)
    assert flat[0].type == "response.created"
    assert flat[-1].sequence_number == len(flat) - 1
    with pytest.raises(openai.APIError, match="server had an error"):
        list(ask(model="gpt-5.2", input="simulate: stream_error shape=nested", stream=True))
    assert simulate(simulator, "stream_error").status == 500

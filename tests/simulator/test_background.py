"""Background responses, driven by the official SDK: what the API keeps, tells again and cancels."""

import http.client
from typing import Any

import openai
import pytest
from openai import OpenAI

from simulator import Simulator
from tests.simulator.asking import SEARCH, Answered, simulate


def begin(client: OpenAI, text: str, **more: Any) -> Any:
    """Create a background response and take all its events."""
    created = client.responses.create(
        model="gpt-5.2", input=text, background=True, stream=True, **SEARCH, **more
    )
    return list(created)


def test_a_stream_may_be_taken_up_after_any_event(client: OpenAI) -> None:
    """The rest is the same as it was, and ends in the same response."""
    events = begin(client, "weather")
    name = events[0].response.id

    for after in (0, 3, len(events) - 2):
        include: Any = ["web_search_call.action.sources"]
        rest = client.responses.retrieve(name, stream=True, starting_after=after, include=include)
        assert [event.to_dict() for event in rest] == [
            event.to_dict() for event in events[after + 1 :]
        ]


def test_sources_are_told_again_only_when_asked_for(client: OpenAI) -> None:
    """As `include` is of each request."""
    name = begin(client, "weather")[0].response.id

    bare = client.responses.retrieve(name).to_dict()
    whole = client.responses.retrieve(name, include=["web_search_call.action.sources"]).to_dict()

    assert "sources" not in str(bare)
    assert "sources" in str(whole)
    assert bare["status"] == whole["status"] == "completed"


def test_a_response_goes_on_after_its_stream_has_dropped(
    client: OpenAI, simulator: Simulator
) -> None:
    """Half of it was told; the rest can be had."""
    with pytest.raises(http.client.IncompleteRead) as caught:
        simulate(simulator, "dropped_midway", background=True, stream=True)
    heard = Answered(200, {}, caught.value.partial).events
    name, last = heard[0]["response"]["id"], heard[-1]["sequence_number"]

    rest = list(client.responses.retrieve(name, stream=True, starting_after=last))

    assert rest[0].sequence_number == last + 1
    assert rest[-1].type == "response.completed"


def test_a_response_that_runs_can_be_cancelled(client: OpenAI) -> None:
    """Once or twice; one that has ended stays as it is."""
    queued = client.responses.create(model="gpt-5.2", input="simulate: hang", background=True)
    done = begin(client, "hello")[0].response.id

    assert queued.status == "queued"
    assert client.responses.retrieve(queued.id).status == "in_progress"
    assert [client.responses.cancel(queued.id).status for _ in "ab"] == ["cancelled"] * 2
    assert client.responses.cancel(done).status == "completed"


def test_what_the_api_would_refuse_is_refused(client: OpenAI, simulator: Simulator) -> None:
    """Foreign ids, responses that are not streamed or not stored, odd places."""
    mine = begin(client, "hello")[0].response.id
    unstreamed = client.responses.create(model="gpt-5.2", input="hello", background=True).id
    plain = client.responses.create(model="gpt-5.2", input="hello").id

    with OpenAI(api_key="sk-another-123456", base_url=simulator.base_url, max_retries=0) as other:
        for who, name in ((other, mine), (client, "resp_nobody"), (client, plain)):
            with pytest.raises(openai.NotFoundError, match="not found"):
                who.responses.retrieve(name)
            with pytest.raises(openai.NotFoundError, match="not found"):
                who.responses.cancel(name)
    with pytest.raises(openai.BadRequestError, match="not created with 'stream'"):
        client.responses.retrieve(unstreamed, stream=True)
    with pytest.raises(openai.BadRequestError, match="starting_after"):
        client.responses.retrieve(mine, stream=True, extra_query={"starting_after": "x"})
    with pytest.raises(openai.BadRequestError, match="store"):
        begin(client, "hello", store=False)


def test_responses_may_be_lost(client: OpenAI, simulator: Simulator) -> None:
    """As the API loses them after a while."""
    name = begin(client, "hello")[0].response.id

    simulator.forget_responses()

    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(name)

"""The engine by itself: fallback of the model, days, what is asked and what is unusable."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.errors import BadReply, ModelNotFound, ServerFault, UpstreamError
from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tebiki.responses.client import Exchange, Responder
from tebiki.responses.replies import reply_from_json
from tebiki.responses.retry import RetryRule
from tebiki.tools.search import NAME, search_form
from tebiki.websearch.searcher import Searcher, SearchOutcome, SearchQuery, SearchSettings
from tests.support.ledgers import meter_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Json = dict[str, Any]

MIDNIGHT_IN_TOKYO = 1_794_754_800.0
"""2026-11-15T15:00:00Z: in Tokyo the sixteenth has just begun."""

RULE = RetryRule(max_attempts=3, base_delay_seconds=1, most_delay_seconds=20)
SETTINGS = SearchSettings(
    NAME, "o3", "gpt-5.2", timeout_seconds=30, rule=RULE, model_variable="OPENAI_MODEL"
)


class Scripted(Responder):
    """An API that knows some models and gives one body, or fails in one way."""

    def __init__(
        self,
        body: Json | UpstreamError | None = None,
        *,
        models: Iterable[str] = ("o3", "gpt-5.2"),
        events: Iterable[Json] = (),
        attempts_to_miss: int = 1,
    ) -> None:
        self._body = listed(1) if body is None else body
        self._models = set(models)
        self._events = tuple(events)
        self._attempts_to_miss = attempts_to_miss
        self.asked: list[tuple[Json, RetryRule, float]] = []

    async def make_ready(self) -> None:
        """Be ready."""

    async def create(
        self,
        request: Json,
        rule: RetryRule,
        timeout_seconds: float,
        on_event: Callable[[Json], None] | None = None,
    ) -> Exchange:
        """Play the script, letting other calls come between."""
        self.asked.append((request, rule, timeout_seconds))
        await asyncio.sleep(0)
        if request["model"] not in self._models:
            unknown = ModelNotFound(f"no model {request['model']}", code="model_not_found")
            unknown.attempts = self._attempts_to_miss
            raise unknown
        if isinstance(self._body, UpstreamError):
            raise self._body
        if on_event is not None:
            for event in self._events:
                on_event(event)
        return Exchange(reply_from_json(self._body), attempts=1, elapsed_ms=5)

    @property
    def models_asked(self) -> list[str]:
        """In order."""
        return [request["model"] for request, _, _ in self.asked]


def said(text: str, *sources: str, **more: Any) -> Json:
    """A response that searched and then said something."""
    search = {"type": "search", "query": "q", "sources": list(sources)}
    part = {"type": "output_text", "text": text, "annotations": []}
    output = [
        {"type": "web_search_call", "action": search},
        {"type": "message", "content": [part]},
    ]
    return {"id": "resp_1", "model": "o3-2025", "status": "completed", "output": output, **more}


def listed(count: int) -> Json:
    """A response that lists so many pages, all of them seen."""
    urls = [f"https://a.jp/{place}" for place in range(count)]
    rows = [{"title": "T", "url": url, "snippet": "S"} for url in urls]
    return said(json.dumps({"results": rows}), *urls)


def searcher(api: Scripted, settings: SearchSettings = SETTINGS) -> Searcher:
    """An engine in front of a scripted API."""
    log = Log("test", Redactor(None))
    return Searcher(settings, api, meter_of(), lambda: MIDNIGHT_IN_TOKYO, log)


def query(limit: int = 10, timeframe: str | None = None) -> SearchQuery:
    """A search with the tool's defaults."""
    return SearchQuery("天気", limit, "auto", timeframe)


def search(api: Scripted, asked: SearchQuery | None = None) -> SearchOutcome:
    """Search once."""
    return asyncio.run(searcher(api).search(asked or query()))


@pytest.mark.requirement("websearch:result:cut")
def test_results_are_cut_to_the_limit() -> None:
    """The count is from before the cut."""
    outcome = search(Scripted(listed(12)), query(limit=3))

    assert [result.url for result in outcome.results] == [f"https://a.jp/{n}" for n in range(3)]
    assert outcome.total_count == 12
    assert search_form(outcome) == {
        "results": [{"title": "T", "url": f"https://a.jp/{n}", "snippet": "S"} for n in range(3)],
        "totalCount": 12,
    }


def test_sources_are_cut_to_the_limit_too() -> None:
    """When they have to stand in."""
    outcome = search(Scripted(said("prose", "https://a.jp", "https://b.jp")), query(limit=1))

    assert search_form(outcome)["results"] == [
        {"title": "a.jp", "url": "https://a.jp", "snippet": ""}
    ]
    assert outcome.total_count == 2


def test_the_receipt_counts_what_was_made_up() -> None:
    """Beside what the call took."""
    rows = [{"url": "https://a.jp"}, {"url": "https://invented.jp"}]

    receipt = search(Scripted(said(json.dumps({"results": rows}), "https://a.jp"))).receipt()

    assert receipt["dropped"] == 1
    assert (receipt["model"], receipt["searches"], receipt["attempts"]) == ("o3-2025", 1, 1)


@pytest.mark.requirement("websearch:request:timeframe")
def test_the_day_is_that_of_tokyo() -> None:
    """At 15:00 UTC the next day has begun."""
    api = Scripted()

    search(api, query(timeframe="recent"))

    told = api.asked[0][0]["instructions"]
    assert "Today is 2026-11-16" in told
    assert "on 2026-11-13 or later" in told


def test_the_rule_and_the_time_are_those_of_the_settings() -> None:
    """The engine adds no patience of its own."""
    api = Scripted()

    search(api)

    assert api.asked[0][1:] == (RULE, 30)


@pytest.mark.requirement("websearch:model:fallback")
def test_an_unknown_model_is_replaced_and_remembered(capfd: pytest.CaptureFixture[str]) -> None:
    """Warned about once, even when two calls find out side by side."""
    api = Scripted(models=["gpt-5.2"])
    engine = searcher(api)

    async def two_and_one_more() -> None:
        await asyncio.gather(engine.search(query()), engine.search(query()))
        await engine.search(query())

    asyncio.run(two_and_one_more())

    assert sorted(api.models_asked[:4]) == ["gpt-5.2", "gpt-5.2", "o3", "o3"]
    assert api.models_asked[4:] == ["gpt-5.2"]
    assert capfd.readouterr().err == (
        "test: warning: the API does not know the search model o3; "
        "using gpt-5.2 instead (set websearch.model or OPENAI_MODEL)\n"
    )


@pytest.mark.parametrize(
    ("fallback", "asked"),
    [(None, ["o3"]), ("o3", ["o3"]), ("o9", ["o3", "o9"])],
    ids=["none", "the same", "unknown too"],
)
def test_without_a_known_model_the_search_fails(fallback: str | None, asked: list[str]) -> None:
    """One retry at most."""
    api = Scripted(models=[])
    settings = replace(SETTINGS, fallback_model=fallback)

    with pytest.raises(ModelNotFound):
        asyncio.run(searcher(api, settings).search(query()))
    assert api.models_asked == asked


def test_attempts_are_those_of_both_models() -> None:
    """But for the request that found the model missing; whether it ends well or not."""
    well = search(Scripted(models=["gpt-5.2"], attempts_to_miss=2))
    with pytest.raises(ServerFault) as failure:
        search(Scripted(ServerFault("busy"), models=["gpt-5.2"], attempts_to_miss=2))

    assert (well.exchange.attempts, failure.value.attempts) == (2, 2)


def test_other_failures_do_not_change_the_model() -> None:
    """They come through as they are."""
    api = Scripted(ServerFault("busy"))

    with pytest.raises(ServerFault, match="busy"):
        search(api)
    assert api.models_asked == ["o3"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (said("<b>No</b>\nidea"), "The model listed no results and named no sources: No idea"),
        (said(""), "named no sources: (no text)"),
        (
            said('{"results":[', status="incomplete", incomplete_details={"reason": "x"}),
            "The search was cut short (x) and named no sources",
        ),
        (said("", status="incomplete"), "cut short (no reason given)"),
        (said("{}", "https://a.jp", status="failed", error={"message": "broken"}), "broken"),
        (said("{}", status="failed"), "The API reported that the search failed"),
    ],
)
def test_an_unusable_answer_says_why(body: Json, words: str) -> None:
    """With what the model had to say, made plain."""
    with pytest.raises(BadReply) as failure:
        search(Scripted(body))

    assert words in str(failure.value)


def test_a_cut_answer_that_can_be_read_is_used() -> None:
    """What counts is whether there are rows."""
    assert search(Scripted(listed(2) | {"status": "incomplete"})).total_count == 2


@pytest.mark.requirement("wire:progress:words")
def test_progress_tells_what_the_model_does() -> None:
    """Both models by name when the first is not there."""
    heard: list[str] = []
    events = [{"type": "response.created"}, {"type": "response.output_text.delta"}, {"type": "x"}]
    engine = searcher(Scripted(models=["gpt-5.2"], events=events))

    asyncio.run(engine.search(query(), heard.append))

    asked = [f"searching: {query().query} ({model})" for model in ("o3", "gpt-5.2")]
    assert heard == [*asked, "thinking …", "writing …"]

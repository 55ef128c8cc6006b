"""Answers on the real process, against the loopback API: requests, results, citations, receipts."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.answers.policy import BUILTIN_POLICY, POLICY_REVISION
from tests.interaction.answer_calls import answer, failure

if TYPE_CHECKING:
    from simulator import Simulator
    from tests.interaction.conftest import Connect

ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
SOURCES_HEADING = re.compile(r"^(?:## |\*\*)?Sources", re.MULTILINE)


def today() -> str:
    """The day in Tokyo."""
    return datetime.now(timezone(timedelta(hours=9))).date().isoformat()


@pytest.mark.requirement(
    "answers:result:model", "answers:result:used-search", "answers:done:general-knowledge"
)
def test_general_knowledge_needs_no_search(start: Connect) -> None:
    """No search, no citation, no section."""
    found = answer(start(), "HTTP 404 の意味")

    assert found["used_search"] is False
    assert found["citations"] == []
    assert "Sources:" not in found["answer"]
    assert found["model"] == "gpt-5.2"


@pytest.mark.requirement("answers:sources:appended", "answers:done:todays-weather")
def test_todays_weather_comes_with_source_and_date(start: Connect) -> None:
    """A search, a citation, and the day at the end."""
    found = answer(start(), f"本日 {today()} の東京の天気")

    assert found["used_search"] is True
    assert found["citations"]
    assert "\n\nSources:\n- " in found["answer"]
    assert found["answer"].endswith(f"({today()})")


@pytest.mark.requirement(
    "answers:request:exact", "answers:request:options", "answers:policy:built-in"
)
def test_the_request_is_exactly_this(start: Connect, simulator: Simulator) -> None:
    """Nothing else is sent by default."""
    answer(start(), "HTTP 404 の意味")

    assert simulator.requests[0].body == {
        "model": "gpt-5.2",
        "instructions": BUILTIN_POLICY,
        "input": [
            {
                "role": "user",
                "content": [
                    {
                        "type": "input_text",
                        "text": "HTTP 404 の意味\n[Hints] recency_days=60, max_results=5.",
                    }
                ],
            }
        ],
        "tools": [{"type": "web_search"}],
        "include": ["web_search_call.action.sources"],
        "text": {"verbosity": "medium"},
        "reasoning": {"effort": "medium"},
    }
    assert POLICY_REVISION in BUILTIN_POLICY


@pytest.mark.requirement(
    "answers:request:hints", "answers:request:domains", "answers:request:numbers"
)
@pytest.mark.parametrize(
    ("arguments", "hints"),
    [
        ({"recency_days": 7.0, "max_results": 3}, "recency_days=7, max_results=3."),
        ({"recency_days": 0.5}, "recency_days=0.5, max_results=5."),
        ({"recency_days": 0, "max_results": 1e2}, "recency_days=0, max_results=100."),
        ({"recency_days": 1e21}, "recency_days=1e+21, max_results=5."),
        ({"recency_days": 1e-7}, "recency_days=1e-7, max_results=5."),
        ({"recency_days": -1}, "recency_days=-1, max_results=5."),
        (
            {"domains": ["jma.go.jp", "tenki.jp"]},
            "recency_days=60, max_results=5. domains: jma.go.jp, tenki.jp",
        ),
        ({"domains": []}, "recency_days=60, max_results=5."),
    ],
)
def test_hints_follow_the_query(
    start: Connect, simulator: Simulator, arguments: dict[str, Any], hints: str
) -> None:
    """Numbers print as JavaScript prints them."""
    answer(start(), "q", **arguments)

    text = simulator.requests[0].body["input"][0]["content"][0]["text"]
    assert text == f"q\n[Hints] {hints}"


@pytest.mark.requirement("answers:request:models", "answers:result:model", "config:profiles:answer")
@pytest.mark.parametrize(
    ("model", "has_text", "has_reasoning"),
    [
        ("gpt-5.2", True, True),
        ("gpt-5-mini", True, True),
        ("o3", False, True),
        ("o4-mini", False, True),
        ("gpt-4.1-mini", False, False),
        ("gpt-6-sol", True, True),
        ("gpt-6.1-sol", True, True),
    ],
)
def test_a_model_gets_only_what_it_knows(
    start: Connect, simulator: Simulator, model: str, has_text: bool, has_reasoning: bool
) -> None:
    """Verbosity for gpt-5 and newer, effort for those, o3 and o4."""
    found = answer(start(env={"MODEL_ANSWER": model}), "HTTP 404")

    assert ("text" in simulator.requests[0].body) is has_text
    assert ("reasoning" in simulator.requests[0].body) is has_reasoning
    assert found["model"] == model


@pytest.mark.requirement(
    "answers:citations:url-citations-first",
    "answers:citations:sources-instead",
    "answers:citations:named-after",
    "answers:citations:named-shape",
    "answers:citations:at-most",
    "answers:citations:published-at",
    "answers:sources:appended",
)
def test_citations_in_their_forms(start: Connect) -> None:
    """Flat, nested, named, listed; never more than configured."""
    server = start()

    nested = answer(server, "simulate: nested")
    named = answer(server, "simulate: named")
    both = answer(server, "simulate: named_and_cited")
    many = answer(server, "simulate: many")
    listed = answer(server, "simulate: sources_only")

    assert nested["citations"][0]["url"].startswith("https://")
    assert named["citations"] == [{"url": "oai-weather", "title": "api", "published_at": today()}]
    assert f"- oai-weather ({today()})" in named["answer"]
    assert both["citations"][-1]["url"] == "oai-weather"
    assert both["citations"][0]["url"].startswith("https://")
    assert len(many["citations"]) == 3
    assert len(listed["citations"]) == 3
    assert all(ISO_DATE.fullmatch(c["published_at"]) for c in listed["citations"])


@pytest.mark.requirement("answers:citations:url-citations-first")
def test_the_first_of_duplicates_wins(start: Connect) -> None:
    """One citation for an address, with the first title."""
    cited = answer(start(), "simulate: duplicates")["citations"]

    assert len({citation["url"] for citation in cited}) == len(cited)
    assert cited[0]["title"].startswith("Article 1")


@pytest.mark.requirement("answers:result:used-search", "answers:sources:bare-search")
def test_a_search_without_any_source_is_still_named(start: Connect) -> None:
    """`Sources:` names the search itself; `citations` stays empty."""
    found = answer(start(), "simulate: bare_search")

    assert found["used_search"] is True
    assert found["citations"] == []
    assert found["answer"].endswith(f"\n\nSources:\n- web_search ({today()})")


@pytest.mark.requirement("answers:sources:dated-left-alone", "answers:sources:markdown-heading")
@pytest.mark.parametrize(
    "query",
    [
        "simulate: dated_sources",
        "simulate: markdown_sources",
        "simulate: markdown_sources style=bold",
    ],
)
def test_a_dated_sources_section_is_left_alone(start: Connect, query: str) -> None:
    """Whatever way its heading is written."""
    found = answer(start(), query)

    assert len(SOURCES_HEADING.findall(found["answer"])) == 1


@pytest.mark.requirement("answers:sources:undated-filled", "answers:sources:markdown-heading")
@pytest.mark.parametrize(
    "query", ["simulate: undated_sources", "simulate: markdown_sources dates=no"]
)
def test_an_undated_sources_section_gets_dates(start: Connect, query: str) -> None:
    """The dated lines follow under the same heading."""
    found = answer(start(), query)

    assert len(SOURCES_HEADING.findall(found["answer"])) == 1
    assert found["answer"].endswith(f"({today()})")


@pytest.mark.requirement("answers:citations:unknown-shapes")
def test_unknown_shapes_are_ignored(start: Connect) -> None:
    """Never an error."""
    found = answer(start(), "simulate: odd")

    assert found["used_search"] is True
    assert all(isinstance(citation["url"], str) for citation in found["citations"])


@pytest.mark.requirement("answers:result:refusal")
def test_a_refusal_is_an_answer(start: Connect) -> None:
    """It is what the model had to say."""
    assert answer(start(), "simulate: refusal")["answer"] == "I can't help with that."


@pytest.mark.requirement("answers:result:incomplete")
def test_an_incomplete_answer_says_why(start: Connect) -> None:
    """The text is kept and a notice follows; without text it is an error."""
    server = start()

    assert answer(server, "simulate: incomplete")["answer"].endswith(
        "\n\n[Incomplete: the output limit was reached]"
    )
    assert "incomplete" in failure(server, "simulate: incomplete_empty")["data"]["message"]


@pytest.mark.requirement("wire:bad-input:lone-surrogate")
def test_a_lone_surrogate_from_upstream_is_replaced(start: Connect) -> None:
    """Everything that leaves can be read as UTF-8."""
    found = answer(start(), "simulate: surrogate")

    assert "\ufffd" in found["answer"]
    assert found["answer"].encode("utf-8")


@pytest.mark.requirement("wire:bad-input:lone-surrogate")
def test_a_lone_surrogate_in_the_query_is_served(start: Connect) -> None:
    """It is legal JSON; the API gets a replacement character."""
    server = start()

    server.send(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call",'
        b'"params":{"name":"answer","arguments":{"query":"HTTP 404 \\ud800"}}}'
    )

    assert "result" in server.answer_to(1)


@pytest.mark.requirement("answers:receipt:meta")
def test_the_receipt_says_what_it_took(start: Connect) -> None:
    """Beside the four keys, in `_meta`."""
    result = start().call(1, "answer", {"query": "本日の天気"})["result"]

    receipt = result["_meta"]["tebiki/receipt"]
    assert receipt["model"].startswith("gpt-5.2-")
    assert receipt["response_id"].startswith("resp_")
    assert receipt["searches"] >= 1
    assert receipt["tokens"]["input"] > 0
    assert receipt["attempts"] == 1
    assert receipt["elapsed_ms"] >= 0

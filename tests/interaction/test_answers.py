"""Answers on the real process, against the loopback API: requests, results, retries, errors."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.answers.policy import BUILTIN_POLICY, POLICY_REVISION
from tests.server_process import CANARY

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.responses.simulator import Simulator
    from tests.interaction.conftest import Connect
    from tests.talk import Talk

ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
SOURCES_HEADING = re.compile(r"^(?:## |\*\*)?Sources", re.MULTILINE)


def today() -> str:
    """The day in Tokyo."""
    return datetime.now(timezone(timedelta(hours=9))).date().isoformat()


def answer(server: Talk, query: str, **arguments: Any) -> dict[str, Any]:
    """Ask and return the structured answer."""
    result = server.call(query, "answer", {"query": query, **arguments})["result"]
    content: dict[str, Any] = result["structuredContent"]
    return content


def failure(server: Talk, query: str) -> dict[str, Any]:
    """Ask and return the error."""
    error: dict[str, Any] = server.call(query, "answer", {"query": query})["error"]
    return error


def with_yaml(home: Path, face: str, text: str) -> None:
    """Write a face's default configuration file."""
    folder = home / ".config" / face
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(text, encoding="utf-8")


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
    ],
)
def test_a_model_gets_only_what_it_knows(
    start: Connect, simulator: Simulator, model: str, has_text: bool, has_reasoning: bool
) -> None:
    """Verbosity for gpt-5, effort for gpt-5, o3 and o4."""
    found = answer(start(env={"MODEL_ANSWER": model}), "HTTP 404")

    assert ("text" in simulator.requests[0].body) is has_text
    assert ("reasoning" in simulator.requests[0].body) is has_reasoning
    assert found["model"] == model


@pytest.mark.requirement("answers:tools:profiles", "config:profiles:inherit")
def test_profiles_inherit_from_answer(start: Connect, simulator: Simulator, tmp_path: Path) -> None:
    """Field by field; a tool without a profile of its own uses `answer`."""
    with_yaml(
        tmp_path,
        "openai-responses-mcp",
        "model_profiles:\n  answer: {model: gpt-5-base, verbosity: low}\n"
        "  answer_detailed: {reasoning_effort: xhigh}\n",
    )
    server = start()

    for number, tool in enumerate(["answer", "answer_detailed", "answer_quick"]):
        server.call(number, tool, {"query": "HTTP 404"})

    sent = [
        (body["model"], body["reasoning"]["effort"], body["text"]["verbosity"])
        for body in (request.body for request in simulator.requests)
    ]
    assert sent == [
        ("gpt-5-base", "medium", "low"),
        ("gpt-5-base", "xhigh", "low"),
        ("gpt-5-base", "medium", "low"),
    ]


@pytest.mark.requirement("config:profiles:null")
def test_a_null_profile_makes_the_call_fail(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """The server starts; the call says what is missing; nothing is sent."""
    with_yaml(tmp_path, "openai-responses-mcp", "model_profiles:\n  answer: null\n")
    server = start()

    errors = [
        server.call(number, tool, {"query": "x"})["error"]
        for number, tool in enumerate(["answer", "answer_detailed", "answer_quick"])
    ]

    assert errors[0]["data"]["message"] == "model_profiles.answer is required"
    assert all("model_profiles.answer is required" in e["data"]["message"] for e in errors)
    assert simulator.requests == []


@pytest.mark.requirement(
    "answers:request:domains", "answers:request:options", "config:search:defaults"
)
def test_search_tool_options_are_passed_when_set(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """Off by default; `strict` turns domains into a filter."""
    with_yaml(
        tmp_path,
        "openai-responses-mcp",
        "search:\n  domain_filter: strict\n  context_size: high\n"
        "  user_location: {country: JP, city: Tokyo, timezone: Asia/Tokyo}\n"
        "  defaults: {domains: [go.jp], max_results: 7, recency_days: 3}\n",
    )

    answer(start(), "HTTP 404")

    assert simulator.requests[0].body["tools"] == [
        {
            "type": "web_search",
            "filters": {"allowed_domains": ["go.jp"]},
            "search_context_size": "high",
            "user_location": {
                "type": "approximate",
                "city": "Tokyo",
                "country": "JP",
                "timezone": "Asia/Tokyo",
            },
        }
    ]
    text = simulator.requests[0].body["input"][0]["content"][0]["text"]
    assert text.endswith("recency_days=3, max_results=7. domains: go.jp")


@pytest.mark.requirement("answers:policy:file", "answers:policy:read-again", "config:policy:system")
@pytest.mark.parametrize(
    ("merge", "expected"),
    [
        ("replace", "家訓"),
        ("prepend", f"家訓\n\n{BUILTIN_POLICY}"),
        ("append", f"{BUILTIN_POLICY.rstrip()}\n\n家訓"),
    ],
)
def test_a_policy_file_meets_the_builtin_policy(
    start: Connect, simulator: Simulator, tmp_path: Path, merge: str, expected: str
) -> None:
    """It is read again for each call."""
    policy = tmp_path / "policy.md"
    policy.write_text("old", encoding="utf-8")
    with_yaml(
        tmp_path,
        "openai-responses-mcp",
        f"policy: {{system: {{source: file, path: '{policy}', merge: {merge}}}}}\n",
    )
    server = start()
    answer(server, "HTTP 404")

    policy.write_text("家訓\n", encoding="utf-8")
    answer(server, "HTTP 404 again")

    assert simulator.requests[1].body["instructions"] == expected


@pytest.mark.requirement("answers:policy:unreadable")
def test_an_unreadable_policy_file_is_a_warning(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """The built-in policy is used instead."""
    with_yaml(
        tmp_path, "openai-responses-mcp", "policy: {system: {source: file, path: ~/missing.md}}\n"
    )
    server = start()

    answer(server, "HTTP 404")
    server.finish()

    assert simulator.requests[0].body["instructions"] == BUILTIN_POLICY
    assert "warning: policy file ~/missing.md cannot be read" in server.stderr


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


@pytest.mark.requirement("answers:retry:passing-failures")
@pytest.mark.parametrize("status", ["429", "500", "502", "503", "529"])
def test_passing_failures_are_retried(start: Connect, simulator: Simulator, status: str) -> None:
    """429 and 5xx, until it works."""
    result = start().call(1, "answer", {"query": f"simulate: {status}, plain"})["result"]

    assert result["_meta"]["tebiki/receipt"]["attempts"] == 2
    assert len(simulator.requests) == 2


@pytest.mark.requirement(
    "wire:errors:answers", "answers:result:failed", "answers:retry:nothing-else"
)
@pytest.mark.parametrize(
    "scenario",
    ["400", "401", "403", "404", "409", "malformed", "html", "not_object", "dropped", "failed"],
)
def test_other_failures_are_not_retried(
    start: Connect, simulator: Simulator, scenario: str
) -> None:
    """One request, one error."""
    error = failure(start(), f"simulate: {scenario}")

    assert (error["code"], error["message"]) == (-32001, "answer failed")
    assert error["data"]["message"]
    assert set(error["data"]) == {"message"}
    assert len(simulator.requests) == 1


@pytest.mark.requirement("answers:retry:attempts", "config:request:retries")
@pytest.mark.parametrize("retries", [0, 2])
def test_attempts_are_limited(start: Connect, simulator: Simulator, retries: int) -> None:
    """At most `max_retries` + 1 requests, each visible in the debug log."""
    server = start("--debug", env={"OPENAI_MAX_RETRIES": str(retries)})

    failure(server, "simulate: 503")
    server.finish()

    assert len(simulator.requests) == retries + 1
    assert server.stderr.count("error attempt=") == retries + 1
    assert f"error attempt={retries + 1} status=503" in server.stderr


@pytest.mark.requirement("answers:retry:retry-after")
@pytest.mark.parametrize("hint", ["retry_after=1", "retry_after_ms=1000", "retry_after_date=2"])
def test_retry_after_is_honoured(start: Connect, simulator: Simulator, hint: str) -> None:
    """The second request comes no sooner than the API asked."""
    answer(start(), f"simulate: 429 {hint}, plain")

    first, second = simulator.requests
    assert second.received_at - first.received_at >= 0.9


@pytest.mark.requirement("answers:retry:retry-after")
def test_retry_after_is_capped_by_the_time_left(start: Connect, simulator: Simulator) -> None:
    """An hour is not waited for when an attempt may take one second."""
    server = start(env={"OPENAI_API_TIMEOUT": "1000"})

    found = answer(server, "simulate: 429 retry_after=3600, plain")

    assert found["used_search"] is False
    assert len(simulator.requests) == 2


@pytest.mark.requirement("answers:retry:nothing-else")
def test_a_used_up_quota_is_not_retried(start: Connect, simulator: Simulator) -> None:
    """Waiting does not cure it."""
    failure(start(), "simulate: 429 code=insufficient_quota")

    assert len(simulator.requests) == 1


@pytest.mark.requirement("answers:time:one-attempt", "config:request:timeout")
@pytest.mark.parametrize("meta", [{}, {"progressToken": "p"}], ids=["plain", "streamed"])
def test_a_timeout_ends_the_call(
    start: Connect, simulator: Simulator, meta: dict[str, Any]
) -> None:
    """It bounds the attempt in total, is not retried, and closes the connection."""
    server = start(env={"OPENAI_API_TIMEOUT": "300"})

    server.begin_call(1, "answer", {"query": "simulate: slow ms=60000"}, _meta=meta)
    error = server.answer_to(1)["error"]
    simulator.wait_for_disconnects(1)

    assert error["data"]["message"].startswith("The API did not answer within 0.3 s; ")
    assert len(simulator.requests) == 1


@pytest.mark.requirement("answers:errors:broken-stream")
@pytest.mark.parametrize("scenario", ["stream_error", "dropped_midway"])
def test_a_stream_that_breaks_is_an_error(start: Connect, scenario: str) -> None:
    """Half an answer is no answer."""
    server = start(env={"OPENAI_MAX_RETRIES": "0"})

    server.begin_call(1, "answer", {"query": f"simulate: {scenario}"}, _meta={"progressToken": 1})

    assert server.answer_to(1)["error"]["message"] == "answer failed"


@pytest.mark.requirement("answers:errors:missing-key")
def test_a_missing_key_is_said_with_its_name(connect: Connect) -> None:
    """The server starts; the call tells what to set."""
    server = connect()

    assert failure(server, "x")["data"] == {"message": "Missing API key: set OPENAI_API_KEY"}


@pytest.mark.requirement("answers:errors:missing-key", "config:openai:key-variable")
def test_the_key_variable_can_be_renamed(
    connect: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """`openai.api_key_env` names it, in errors too."""
    with_yaml(tmp_path, "openai-responses-mcp", "openai: {api_key_env: MY_KEY}\n")
    address = {"OPENAI_BASE_URL": simulator.base_url, "OPENAI_API_KEY": "ignored"}

    missing = failure(connect(env=address), "x")
    answer(connect(env=address | {"MY_KEY": f" {CANARY}\n"}), "HTTP 404")

    assert missing["data"]["message"] == "Missing API key: set MY_KEY"
    assert simulator.requests[0].headers["authorization"] == f"Bearer {CANARY}"


@pytest.mark.requirement("answers:errors:api-words", "answers:errors:scrubbed")
def test_upstream_errors_say_what_to_do(start: Connect) -> None:
    """The API's own message, and one sentence more for 401, 403 and an unknown model."""
    rejected = failure(start(), "simulate: 401")["data"]["message"]
    forbidden = failure(start(), "simulate: 403")["data"]["message"]
    unknown = failure(start(env={"MODEL_ANSWER": "missing-model"}), "x")["data"]["message"]

    assert rejected.startswith("Incorrect API key provided: [redacted]")
    assert rejected.endswith("Check the API key and what it is allowed to do.")
    assert forbidden.endswith("Check the API key and what it is allowed to do.")
    assert "missing-model" in unknown
    assert unknown.endswith("Check the model id in your settings (--show-config prints them).")


@pytest.mark.requirement("wire:errors:answers-debug", "answers:result:empty")
def test_a_debug_answer_tells_more(start: Connect) -> None:
    """Status, type and name; the message is cut."""
    server = start("--debug", env={"OPENAI_MAX_RETRIES": "0"})

    limited = failure(server, "simulate: 429")["data"]
    profile = failure(server, "simulate: empty")["data"]

    assert limited["status"] == 429
    assert limited["name"] == "RateLimitError"
    assert set(limited) == {"message", "status", "type", "name"}
    assert (profile["status"], profile["type"]) == ("-", "-")


@pytest.mark.requirement("answers:errors:unreachable", "config:openai:base-url")
def test_an_unreachable_api_is_an_error(start: Connect) -> None:
    """Said in words, with what was tried."""
    server = start(env={"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})

    message = failure(server, "x")["data"]["message"]
    assert message.startswith("The API could not be reached at http://127.0.0.1:9/v1: ")
    assert message.endswith("Check the network, openai.base_url and the proxy variables.")


@pytest.mark.requirement("answers:errors:unreachable")
@pytest.mark.parametrize(
    "env",
    [
        {"ALL_PROXY": "socks5://127.0.0.1:1"},
        {"HTTP_PROXY": "foo://bar"},
        {"SSL_CERT_FILE": "/nope.pem"},
    ],
    ids=lambda env: next(iter(env)),
)
def test_an_environment_that_breaks_the_client_is_said(start: Connect, env: dict[str, str]) -> None:
    """In words, with what to look at; nothing is thrown onto stderr."""
    server = start(env=env)

    error = failure(server, "x")
    server.finish()

    assert (error["code"], error["message"]) == (-32001, "answer failed")
    assert "proxy" in error["data"]["message"]
    assert "Traceback" not in server.stderr


@pytest.mark.requirement("answers:errors:gateway")
@pytest.mark.parametrize(
    ("body", "words"),
    [("html", "Gateway Sorry."), ("empty", "HTTP status 502.")],
)
def test_a_gateways_own_words_are_kept(start: Connect, body: str, words: str) -> None:
    """An error that is not in the API's form still says what happened."""
    server = start(env={"OPENAI_MAX_RETRIES": "0"})

    message = failure(server, f"simulate: 502 body={body}")["data"]["message"]

    assert message == words


@pytest.mark.requirement("config:profiles:null-filled")
def test_a_partly_null_profile_is_filled_by_defaults(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """A model from the environment makes a null profile usable; nothing null is sent."""
    with_yaml(tmp_path, "openai-responses-mcp", "model_profiles:\n  answer: null\n")

    answer(start(env={"MODEL_ANSWER": "gpt-5-x"}), "HTTP 404")

    body = simulator.requests[0].body
    assert (body["model"], body["text"], body["reasoning"]) == (
        "gpt-5-x",
        {"verbosity": "medium"},
        {"effort": "medium"},
    )


@pytest.mark.requirement("config:profiles:null")
def test_a_profile_of_its_own_does_not_need_answer(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """Only what inherits from a null profile fails with it."""
    with_yaml(
        tmp_path,
        "openai-responses-mcp",
        "model_profiles:\n  answer: null\n  answer_detailed: {model: o3}\n",
    )
    server = start()

    detailed = server.call(1, "answer_detailed", {"query": "HTTP 404"})
    quick = server.call(2, "answer_quick", {"query": "HTTP 404"})

    assert detailed["result"]["structuredContent"]["model"] == "o3"
    assert quick["error"]["data"]["message"] == "model_profiles.answer is required"
    assert len(simulator.requests) == 1

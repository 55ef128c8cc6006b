"""Answers on the real process as the settings file has them: profiles, search options, policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tebiki.answers.policy import BUILTIN_POLICY
from tests.interaction.answer_calls import answer
from tests.interaction.settings_file import write_settings

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator
    from tests.interaction.conftest import Connect


@pytest.mark.requirement("answers:tools:profiles", "config:profiles:inherit")
def test_profiles_inherit_from_answer(start: Connect, simulator: Simulator, tmp_path: Path) -> None:
    """Field by field; a tool without a profile of its own uses `answer`."""
    write_settings(
        tmp_path,
        "openai_responses_mcp",
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
    write_settings(tmp_path, "openai_responses_mcp", "model_profiles:\n  answer: null\n")
    server = start()

    errors = [
        server.call(number, tool, {"query": "x"})["error"]
        for number, tool in enumerate(["answer", "answer_detailed", "answer_quick"])
    ]

    assert errors[0]["data"]["message"] == "model_profiles.answer is required"
    assert all("model_profiles.answer is required" in e["data"]["message"] for e in errors)
    assert simulator.requests == []


@pytest.mark.requirement("config:profiles:null-filled")
def test_a_partly_null_profile_is_filled_by_defaults(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """A model from the environment makes a null profile usable; nothing null is sent."""
    write_settings(tmp_path, "openai_responses_mcp", "model_profiles:\n  answer: null\n")

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
    write_settings(
        tmp_path,
        "openai_responses_mcp",
        "model_profiles:\n  answer: null\n  answer_detailed: {model: o3}\n",
    )
    server = start()

    detailed = server.call(1, "answer_detailed", {"query": "HTTP 404"})
    quick = server.call(2, "answer_quick", {"query": "HTTP 404"})

    assert detailed["result"]["structuredContent"]["model"] == "o3"
    assert quick["error"]["data"]["message"] == "model_profiles.answer is required"
    assert len(simulator.requests) == 1


@pytest.mark.requirement(
    "answers:request:domains", "answers:request:options", "config:search:defaults"
)
def test_search_tool_options_are_passed_when_set(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """Off by default; `strict` turns domains into a filter."""
    write_settings(
        tmp_path,
        "openai_responses_mcp",
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
    write_settings(
        tmp_path,
        "openai_responses_mcp",
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
    write_settings(
        tmp_path, "openai_responses_mcp", "policy: {system: {source: file, path: ~/missing.md}}\n"
    )
    server = start()

    answer(server, "HTTP 404")
    server.finish()

    assert simulator.requests[0].body["instructions"] == BUILTIN_POLICY
    assert "warning: policy file ~/missing.md cannot be read" in server.stderr

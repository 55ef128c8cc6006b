"""Which scenario a request gets, and that every scenario can be had."""

from typing import Any

import pytest

from simulator import Simulator
from simulator.scenarios import scenario_names
from tests.simulator.asking import (
    items,
    output_text,
    post,
    question,
    rows,
    schema_format,
    simulate,
)


def test_each_request_with_the_same_line_gets_the_next_step(simulator: Simulator) -> None:
    """The last step repeats; what follows the first line does not matter."""
    script = "simulate: 429 retry_after=1, 503, plain"
    answers = [post(simulator, question(f"{script}\nattempt {turn}")) for turn in range(5)]
    assert [answer.status for answer in answers] == [429, 503, 200, 200, 200]


def test_scripts_that_differ_are_played_separately(simulator: Simulator) -> None:
    """A step of one script does not advance another."""
    assert simulate(simulator, "500, plain").status == 500
    assert simulate(simulator, "500, refusal").status == 500
    assert simulate(simulator, "500, plain").status == 200


def test_the_last_text_of_the_last_user_message_holds_the_script(simulator: Simulator) -> None:
    """Earlier turns of a conversation are history."""
    body = question("simulate: 409")
    body["input"] = [{"role": "user", "content": "simulate: 500"}, *body["input"]]
    body["input"].append({"role": "assistant", "content": "simulate: 503"})
    assert post(simulator, body).status == 409


@pytest.mark.parametrize(
    "script",
    ["", "unheard_of", "plain x=1", "large mb=big", "slow ms", "plain,", "slow then=unheard_of"],
)
def test_a_script_that_cannot_be_played_is_refused(simulator: Simulator, script: str) -> None:
    """A mistake in a test shows at once."""
    answer = simulate(simulator, script)
    assert (answer.status, answer.error["code"]) == (400, "invalid_script")


@pytest.mark.parametrize(
    "text",
    [
        "東京の天気は?",
        "Weather in Tokyo",
        "What happened today?",
        "最新の情報",
        "本日の予定",
        "NEWS",
    ],
)
def test_a_question_about_the_present_is_searched_for(simulator: Simulator, text: str) -> None:
    """The answer holds a search and a page that was opened."""
    body = post(simulator, question(text)).body
    actions = [call["action"]["type"] for call in items(body, "web_search_call")]
    assert actions == ["search", "open_page"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("HTTP 404 の意味", "見つからない"),
        ("What is HTTP 404?", "no resource"),
        ("光合成とは", "「光合成とは」"),
        ("Photosynthesis", '"Photosynthesis"'),
    ],
)
def test_any_other_question_is_answered_at_once(simulator: Simulator, text: str, word: str) -> None:
    """The answer is in the question's language and is about it."""
    body = post(simulator, question(text)).body
    assert word in output_text(body)
    assert items(body, "web_search_call") == []


def test_without_a_search_tool_nothing_is_searched_for(simulator: Simulator) -> None:
    """Nor when the request forbids it."""
    changes: list[dict[str, Any]] = [{"tools": []}, {"tool_choice": "none"}]
    for change in changes:
        body = post(simulator, question("today's weather") | change).body
        assert items(body, "web_search_call") == []


def test_a_request_can_force_a_search(simulator: Simulator) -> None:
    """`tool_choice` may require the tool or name it."""
    for choice in ("required", {"type": "web_search"}):
        body = post(simulator, question("Photosynthesis", tool_choice=choice)).body
        assert items(body, "web_search_call")
        assert body["tool_choice"] == choice


def test_a_schema_makes_results_the_default(simulator: Simulator) -> None:
    """Also after a delay."""
    for text in ("Photosynthesis", "today's weather", "simulate: slow ms=1"):
        assert len(rows(post(simulator, question(text, text=schema_format())).body)) == 5


def test_every_scenario_exists() -> None:
    """A scenario cannot vanish unnoticed."""
    expected = """
        plain searched nested named named_and_cited sources_only many duplicates bare_search
        opened odd dated_sources undated_sources markdown_sources refusal incomplete
        incomplete_empty failed empty parts surrogate large 400 401 403 404 409 429 500 502 503
        529 slow hang stalled flood dropped dropped_midway malformed html not_object stream_error
        leak results invented tracking dirty no_results rows_empty prose prose_bare javascript_url
        duplicate_rows leaky
    """
    assert scenario_names() == sorted(expected.split())

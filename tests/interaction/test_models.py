"""Models that move and domains that are ruled out, on the real process of each face."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from simulator import Simulator
from tebiki.answers.policy import BUILTIN_POLICY
from tests.interaction import search_calls
from tests.interaction.settings_file import write_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interaction.conftest import Connect
    from tests.support.talk import Json, Talk

FACE = "openai_responses_mcp"
EFFORT = ', "reasoning": {"effort": "medium"}'
BOTH = f', "text": {{"verbosity": "medium"}}{EFFORT}'


def written(model: str, extra: str) -> str:
    """The request for a question, sign by sign, as it has been since the first release."""
    told = json.dumps(BUILTIN_POLICY)
    return (
        f'{{"model": "{model}", "instructions": {told}, "input": [{{"role": "user", "content": '
        '[{"type": "input_text", "text": "q\\n[Hints] recency_days=60, max_results=5."}]}], '
        '"tools": [{"type": "web_search"}], "include": ["web_search_call.action.sources"]'
        f"{extra}}}"
    )


@pytest.mark.requirement(
    "answers:request:exact", "answers:request:models", "mcp:models:known-families"
)
@pytest.mark.parametrize("face", [FACE, "tebiki"])
@pytest.mark.parametrize(
    ("model", "extra"),
    [
        *((model, BOTH) for model in ("gpt-5", "gpt-5.2", "gpt-5-mini", "gpt-5.6-sol")),
        *((model, EFFORT) for model in ("o3", "o3-pro", "o4-mini")),
        ("gpt-4o", ""),
    ],
)
def test_requests_of_known_families_never_change(
    start: Connect, simulator: Simulator, face: str, model: str, extra: str
) -> None:
    """Whatever the tables learn about newer ones."""
    receipt(start(face=face, env={"MODEL_ANSWER": model}), "q")

    assert json.dumps(simulator.requests[0].body) == written(model, extra)


def result(server: Talk, query: str, tool: str = "answer") -> Json:
    """Ask and return the whole result."""
    found: Json = server.call(query, tool, {"query": query})["result"]
    return found


def receipt(server: Talk, query: str, tool: str = "answer") -> Json:
    """Ask and return the receipt."""
    found: Json = result(server, query, tool)["_meta"]["tebiki/receipt"]
    return found


@pytest.mark.requirement("answers:models:ending-told")
@pytest.mark.parametrize(
    ("face", "tool", "variable"),
    [
        (FACE, "answer", "MODEL_ANSWER"),
        (FACE, "answer_detailed", "MODEL_ANSWER_DETAILED"),
        ("mcp_o3_search", search_calls.TOOL, "OPENAI_MODEL"),
    ],
)
def test_the_first_call_warns_of_a_model_that_ends(
    start: Connect, face: str, tool: str, variable: str
) -> None:
    """Once, in the log and in that call's receipt, with the successor and the command."""
    server = start(face=face, env={variable: "gpt-5-mini"})

    first, second = receipt(server, "one", tool), receipt(server, "two", tool)
    server.finish()

    assert f"export {variable}=gpt-5.6-terra" in first["model_notice"]
    assert "model_notice" not in second
    assert server.stderr.count("warning: gpt-5-mini ") == 1


@pytest.mark.requirement("answers:models:ending-told")
@pytest.mark.parametrize("face", [FACE, "mcp_o3_search"])
def test_defaults_warn_of_nothing(start: Connect, face: str) -> None:
    """Also the search's own default, which ends: it has a substitute."""
    server = start(face=face)
    tool = "answer" if face == FACE else search_calls.TOOL

    told = receipt(server, "one", tool)
    server.finish()

    assert "model_notice" not in told
    assert "shut down" not in server.stderr


@pytest.mark.requirement("websearch:model:default-gone")
def test_a_default_that_is_gone_is_replaced_without_a_warning(start: Connect) -> None:
    """The search succeeds; one note says which model is used instead."""
    with Simulator(gone=["o3"]) as simulator:
        env = {"OPENAI_BASE_URL": simulator.base_url}
        server = start(face="mcp_o3_search", env=env)
        found = [search_calls.search(server, query) for query in ("one", "two")]
        server.finish()
        models = [request.body["model"] for request in simulator.requests]

    assert all(one["results"] for one in found)
    assert models == ["o3", "gpt-5.2", "gpt-5.2"]
    assert server.stderr.count("does not know the search model o3; using gpt-5.2") == 1
    assert "warning" not in server.stderr


@pytest.mark.requirement("answers:receipt:billed-searches")
def test_billed_searches_are_those_that_the_api_tells(start: Connect) -> None:
    """One call of the tool may ask several things, and each is billed."""
    assert receipt(start(), "simulate: searched billed=3")["searches"] == 3


@pytest.mark.requirement("answers:domains:blocked", "websearch:domains:ruled-out")
def test_blocked_domains_are_sent_and_checked(start: Connect, tmp_path: Path) -> None:
    """The simulated API lets them through, as the real one does; nothing of them is given out."""
    # The simulated web has news.example.com and blog.example.com.
    settings = "search: {blocked_domains: ['https://Example.com/', 日本.invalid]}\n"
    write_settings(tmp_path, "tebiki", settings)
    with Simulator(lacks=()) as simulator:
        server = start(face="tebiki", env={"OPENAI_BASE_URL": simulator.base_url})
        answered = result(server, "simulate: many")
        searched = result(server, "weather", search_calls.TOOL)
        sent = [request.body["tools"][0]["filters"] for request in simulator.requests]

    assert len(sent) == 2
    for filters in sent:
        assert filters == {"blocked_domains": ["example.com", "xn--wgv71a.invalid"]}
    cited = answered["structuredContent"]["citations"]
    assert cited
    assert not [one for one in cited if "example.com" in one["url"]]
    listed = searched["structuredContent"]["results"]
    assert listed
    assert not [one for one in listed if "example.com" in one["url"]]
    for told in (answered, searched):
        assert told["_meta"]["tebiki/receipt"]["domain_violations"] > 0


@pytest.mark.requirement("answers:domains:strict", "websearch:domains:ruled-out")
def test_strict_domains_are_checked_on_what_comes_back(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """A page from elsewhere is counted, and not cited."""
    settings = "search: {domain_filter: strict, defaults: {domains: [go.jp]}}\n"
    write_settings(tmp_path, "tebiki", settings)
    server = start(face="tebiki")

    told = result(server, "simulate: leaky")
    search = receipt(server, "weather", search_calls.TOOL)

    sent = [request.body["tools"][0]["filters"] for request in simulator.requests]
    assert sent == [{"allowed_domains": ["go.jp"]}] * 2
    assert told["_meta"]["tebiki/receipt"]["domain_violations"] == 1
    assert search["domain_violations"] == 0
    cited = [one["url"] for one in told["structuredContent"]["citations"]]
    assert cited == ["https://go.jp/articles/1"]


@pytest.mark.requirement("answers:domains:not-taken")
def test_an_api_that_takes_no_blocked_domains_is_asked_without(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """Once it has refused them; what comes back is checked all the same, and it is noted once."""
    write_settings(tmp_path, FACE, "search: {blocked_domains: [weather.example]}\n")
    server = start()

    receipts = [receipt(server, query) for query in ("weather one", "weather two")]
    server.finish()

    tools = [request.body["tools"][0] for request in simulator.requests]

    assert [sorted(tool) for tool in tools] == [["filters", "type"], ["type"], ["type"]]
    assert [one["attempts"] for one in receipts] == [1, 1]
    assert all(one["domain_violations"] > 0 for one in receipts)
    assert server.stderr.count("takes no search.blocked_domains") == 1


@pytest.mark.requirement("answers:domains:blocked")
def test_without_rules_no_receipt_speaks_of_domains(start: Connect) -> None:
    """And no request has filters."""
    assert "domain_violations" not in receipt(start(), "weather")

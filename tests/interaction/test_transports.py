"""One conversation over every transport: the answers are the same, word for word.

Differences that are meant are in `differences.py`. Ids that are random, and receipts with times in
them, are not compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.interaction.conftest import connected
from tests.interaction.differences import expected
from tests.support.talk import MODERN_META

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack
    from pathlib import Path

    from tests.support.talk import Talk

TRACE = "<trace>"
NOTE = "一行目\nsecond line\nthird 🎐 line\n"
PLAIN_ANSWERS: list[tuple[str, dict[str, Any]]] = [
    ("answer", {"query": "HTTP 404 の意味"}),
    ("answer", {"query": "本日の東京の天気", "max_results": 3}),
    ("answer_detailed", {"query": "HTTP 404 の意味"}),
    ("answer_quick", {"query": "本日の東京の天気"}),
    ("answer", {"query": " "}),
    ("answer", {"query": 5}),
    ("answer", {}),
    ("answer", {"query": "x", "style": "old clients send this"}),
    ("answer", {"query": "simulate: 400"}),
    ("chatgpt_o3_search", {"query": "MCP servers"}),
    ("chatgpt_o3_search", {"query": ""}),
    ("chatgpt_o3_search", {"query": "x", "limit": 500}),
]
FILES: list[tuple[str, dict[str, Any]]] = [
    ("manual_find", {"query": "x", "manual_id": "lamp", "required_terms": ["x"]}),
    ("manual_ls", {}),
    ("manual_ls", {"id": "lamp"}),
    ("manual_toc", {"manual_id": "lamp"}),
    ("manual_toc", {"manual_id": "lamp", "path_prefix": "a.md", "depth": "deep"}),
    ("manual_toc", {"manual_id": "lamp", "max_files": 5.5}),
    ("manual_find", {"query": "switch", "manual_id": "lamp", "required_terms": ["button"]}),
    ("manual_hits", {"trace_id": TRACE}),
    ("manual_hits", {"trace_id": TRACE, "kind": "gate_runs", "limit": 2}),
    ("manual_hits", {"trace_id": "unknown"}),
    ("manual_read", {"ref": {"manual_id": "lamp", "path": "a.md", "start_line": 3}}),
    ("manual_read", {"ref": {"manual_id": "lamp", "path": "a.md", "start_line": 3}}),
    ("manual_scan", {"manual_id": "lamp", "path": "a.md", "cursor": 7}),
    ("manual_scan", {"manual_id": "lamp", "path": "../a.md"}),
    ("vault_create", {"path": "ideas/a.md", "content": NOTE}),
    ("vault_create", {"path": "ideas/a.md", "content": NOTE}),
    ("vault_ls", {}),
    ("vault_ls", {"path": "ideas"}),
    ("vault_read", {"path": "ideas/a.md", "full": True}),
    ("vault_read", {"path": "ideas/a.md", "range": {"start_line": 2, "end_line": 2}}),
    ("vault_read", {"path": "ideas/a.md"}),
    ("vault_scan", {"path": "ideas/a.md", "cursor": {"char_offset": 4}}),
    ("vault_replace", {"path": "ideas/a.md", "find": "second", "replace": "2nd"}),
    ("vault_replace", {"path": "daily/x.md", "find": "a", "replace": "b"}),
    ("vault_read", {"path": "no/such.md", "full": True}),
    ("vault_read", {"path": "a.md", "full": True, "fulll": 1}),
    ("nope", {}),
]


def conversation(talk: Talk, meta: dict[str, Any] | None) -> list[Any]:
    """Everything a client can ask, in one order; what comes back, without what is random."""
    more = {} if meta is None else {"_meta": meta}
    heard = [talk.ask("list", "tools/list", more)]
    trace = "none yet"
    for number, (tool, arguments) in enumerate(PLAIN_ANSWERS + FILES):
        given: dict[str, Any] = {
            name: trace if value == TRACE else value for name, value in arguments.items()
        }
        answer = talk.call(number, tool, given, **more)
        found = answer.get("result", {}).get("structuredContent", {})
        trace = found.get("trace_id", trace) if tool == "manual_find" else trace
        heard.append(comparable(talk, answer, trace))
    return heard


def comparable(talk: Talk, answer: dict[str, Any], trace: str) -> Any:
    """An answer without its trace, its receipt and the one difference that is meant."""
    error = answer.get("error")
    if error is not None:
        usual = {"code": -32601, "message": "Unknown tool"}
        return usual if error == expected(talk, "unknown tool", usual) else error
    result = {name: value for name, value in answer["result"].items() if name != "_meta"}
    result.setdefault("isError", False)
    return _without(result, trace)


def _without(value: Any, trace: str) -> Any:
    if isinstance(value, str):
        return value.replace(trace, TRACE)
    if isinstance(value, dict):
        return {name: _without(inner, trace) for name, inner in value.items()}
    return [_without(inner, trace) for inner in value] if isinstance(value, list) else value


@pytest.fixture(name="heard_over")
def _heard_over(
    servers: ExitStack, tmp_path: Path, access: dict[str, str]
) -> Callable[..., list[Any]]:
    """What a whole conversation over a transport brings, each in a home of its own."""

    def hear(transport: str, meta: dict[str, Any] | None) -> list[Any]:
        home = tmp_path / transport
        manual = home / "manuals" / "lamp"
        manual.mkdir(parents=True)
        (manual / "a.md").write_text("# Lamp\n\n## Switch on\n\nPress the button.\n\n## Off\n\nX\n")
        env = access | {"WORKSPACE_ROOT": str(home)}
        return conversation(connected(servers, transport, home, face="tebiki", env=env), meta)

    return hear


@pytest.mark.requirement("http:serving:same-layer")
@pytest.mark.parametrize("meta", [None, MODERN_META], ids=["handshake", "modern"])
@pytest.mark.transports("line", "framed", "http")
def test_every_transport_gives_the_same_answers(
    heard_over: Callable[..., list[Any]], transport: str, meta: dict[str, Any] | None
) -> None:
    """As a session without any wire gives them."""
    expected = heard_over("memory", meta)

    heard = heard_over(transport, meta)

    tools, expected_tools = heard[0]["result"], expected[0]["result"]
    assert tools["tools"] == expected_tools["tools"]
    for number, (tool, arguments) in enumerate(PLAIN_ANSWERS + FILES, start=1):
        assert heard[number] == expected[number], (tool, arguments)

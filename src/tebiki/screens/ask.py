"""The ask screen: a question for the web, through the same guarded tools that clients have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.answers.sources_section import without_sources_section
from tebiki.screens.languages import LANGUAGE, translator
from tebiki.screens.markup import nodes_of
from tebiki.screens.screen_tools import FAMILY, QUESTION
from tebiki.server.registry import Behaviour, Parameter, Tool, ToolResult
from tebiki.values.shapes import Text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tebiki.server.registry import Call

USUAL = "answer"
DEPTHS = (USUAL, "answer_quick", "answer_detailed")
ASKS = Behaviour(read_only=True, destructive=False, idempotent=False, open_world=True)


def ask_tools(served: Mapping[str, Tool]) -> list[Tool]:
    """What can be asked, where a tool that answers is served."""
    depths = tuple(name for name in DEPTHS if name in served)
    if not depths:
        return []

    async def run(call: Call) -> ToolResult:
        tool: Any = served[call.arguments["depth"]]
        arguments = tool.read_arguments({"query": call.arguments["question"]})
        call.progress.speak(translator(call.arguments["language"]))
        given: ToolResult = await tool.run(call._replace(arguments=arguments))
        return ToolResult({"answer": _answer_form(given)}, {})

    depth = Parameter("depth", Text(choices=depths), "How thoroughly.", default=depths[0])
    return [
        Tool(
            "POST ask", "POST ask", "POST ask", FAMILY, (QUESTION, depth, LANGUAGE), None, ASKS, run
        ),
    ]


def _answer_form(given: ToolResult) -> dict[str, Any]:
    content: dict[str, Any] = given.content or {}
    said = without_sources_section(content["answer"], [one["url"] for one in content["citations"]])
    return {
        "text": content["answer"],
        "nodes": nodes_of(said),
        "used_search": content["used_search"],
        "sources": [
            {"url": one["url"], "title": one.get("title"), "date": one["published_at"]}
            for one in content["citations"]
        ],
        "model": content["model"],
        "receipt": given.meta.get("tebiki/receipt", {}),
    }

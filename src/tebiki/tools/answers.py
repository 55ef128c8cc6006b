"""The answers counter: three tools over one `Answerer`.

Lives here: names, descriptions, parameters, one engine call, the result's shape.
Not here: how an answer is made, and error codes. The descriptions and types are a contract.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.server.registry import Behaviour, Call, Parameter, Tool, ToolResult
from tebiki.values.shapes import ListOf, Number, Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.answers.answer import Answer
    from tebiki.answers.answerer import Answerer, SearchHints
    from tebiki.answers.citations import Citation


QUERY = Parameter("query", Text(not_blank=True), "The question, in any language.", required=True)
HINTS = (
    Parameter("recency_days", Number(), "How recent sources should be, in days."),
    Parameter("max_results", Number(), "How many search results to look at."),
    Parameter("domains", ListOf(Text()), "Domains to prefer, such as go.jp."),
)

OUTPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "answer": {"type": "string", "description": "The answer; after a search with its sources."},
        "used_search": {"type": "boolean", "description": "Whether the web was searched."},
        "citations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "url": {"type": "string", "description": "Address or name of the source."},
                    "title": {"type": "string"},
                    "published_at": {"type": "string", "description": "ISO date."},
                },
                "required": ["url", "published_at"],
            },
        },
        "model": {"type": "string", "description": "The configured model that answered."},
    },
    "required": ["answer", "used_search", "citations", "model"],
}

# Not idempotent: asking again costs again, and the web may have changed.
BEHAVIOUR = Behaviour(read_only=True, destructive=False, idempotent=False, open_world=True)


def tools(answerer: Callable[[], Answerer]) -> list[Tool]:
    """Every answer tool, in listing order; the engine is fetched with the first call."""
    return [
        _tool(
            answerer,
            "answer",
            "Answer with sources",
            "Search the web when needed and provide balanced, well-sourced answers. "
            "This is the standard general-purpose tool.",
            (QUERY, *HINTS),
        ),
        _tool(
            answerer,
            "answer_detailed",
            "Detailed answer with sources",
            "Perform comprehensive analysis with thorough research and detailed explanations. "
            "Best for complex questions requiring deep investigation.",
            (QUERY, *HINTS),
        ),
        _tool(
            answerer,
            "answer_quick",
            "Quick answer",
            "Provide fast, concise answers optimized for speed. "
            "Best for simple lookups or urgent questions.",
            (QUERY,),
        ),
    ]


def _tool(
    answerer: Callable[[], Answerer],
    name: str,
    title: str,
    description: str,
    parameters: tuple[Parameter, ...],
) -> Tool:
    async def run(call: Call) -> ToolResult:
        engine = answerer()
        answer = await engine.answer(
            name,
            call.arguments["query"],
            _hints(call.arguments, engine.default_hints()),
            call.progress.report if call.progress.wanted else None,
        )
        return ToolResult(content(answer), {"tebiki/receipt": answer.exchange.receipt()})

    return Tool(
        name=name,
        title=title,
        description=description,
        family="answers",
        parameters=parameters,
        output_schema=OUTPUT_SCHEMA,
        behaviour=BEHAVIOUR,
        run=run,
        ignores_unknown_arguments=True,
    )


def _hints(arguments: dict[str, Any], default: SearchHints) -> SearchHints:
    """The hints of a call; what it does not say is as configured."""
    from tebiki.answers.answerer import SearchHints  # not before the first call

    recency, results = arguments.get("recency_days"), arguments.get("max_results")
    domains = arguments.get("domains")
    return SearchHints(
        recency_days=default.recency_days if recency is None else recency,
        max_results=default.max_results if results is None else results,
        domains=default.domains if domains is None else tuple(domains),
    )


def content(answer: Answer) -> dict[str, Any]:
    """An answer as a client reads it."""
    return {
        "answer": answer.text,
        "used_search": answer.used_search,
        "citations": [citation_form(citation) for citation in answer.citations],
        "model": answer.model,
    }


def citation_form(citation: Citation) -> dict[str, str]:
    """A citation as a client reads it; an unknown title is left out."""
    title = {"title": citation.title} if citation.title else {}
    return {"url": citation.url, **title, "published_at": citation.published_at}

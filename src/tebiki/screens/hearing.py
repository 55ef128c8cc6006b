"""Screens that show private text, heard by the guard: none of it may reach the web unnoticed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.server.registry import InThread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tebiki.server.registry import Call, Tool, ToolResult
    from tebiki.tools.guarding import Guard


def hear(tools: Iterable[Tool], guard: Guard | None) -> list[Tool]:
    """The same tools; what they give is noticed where there is a guard."""
    if guard is None:
        return list(tools)
    return [_hear(tool, tool.run, guard) for tool in tools if isinstance(tool.run, InThread)]


def _hear(tool: Tool, how: InThread, guard: Guard) -> Tool:
    def work(call: Call) -> ToolResult:
        given = how.work(call)
        guard.listen(call.client, _spoken(given.content or {}))
        return given

    return tool._replace(run=InThread(how.kind, work))


def _spoken(content: dict[str, Any]) -> dict[str, Any]:
    """What is shown, as one text: marks and links part sentences that a reader sees whole."""
    if "nodes" not in content:
        return content
    return {**content, "nodes": "".join(_texts(content["nodes"]))}


def _texts(nodes: Iterable[Any]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
        else:
            yield from _texts(node["children"])

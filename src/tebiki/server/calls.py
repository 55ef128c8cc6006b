"""The desk: finds the tool of a call, checks its arguments, runs it and shapes what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tebiki.errors import InvalidParams, UnknownTool
from tebiki.protocol.messages import compact
from tebiki.server.registry import Call

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tebiki.observability.logs import Log
    from tebiki.server.error_map import ErrorMap, Outcome
    from tebiki.server.progress import Progress
    from tebiki.server.registry import Tool


class Order(NamedTuple):
    """A call whose tool is known; its arguments are still as the client wrote them."""

    tool: Tool
    arguments: Any


class Desk:
    """Every tool that is served, by name."""

    def __init__(self, tools: Iterable[Tool], errors: ErrorMap, log: Log) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._errors = errors
        self._log = log
        self.definitions = [tool.definition() for tool in self._tools.values()]

    def find(self, params: Any) -> Order:
        """Tell which tool a call wants.

        Raises:
            InvalidParams: the params name no tool.
            UnknownTool: we do not have it.
        """
        name = params.get("name") if isinstance(params, dict) else None
        if not isinstance(name, str):
            raise InvalidParams("Invalid params: name must be the name of a tool")
        arguments = params.get("arguments")
        self._log_call(name, arguments)
        if name not in self._tools:
            raise UnknownTool(name)
        return Order(self._tools[name], arguments)

    async def run(
        self, tool: Tool, arguments: dict[str, Any], progress: Progress, client: str = ""
    ) -> Outcome:
        """Run a call to its end: the result as the client reads it, or its error."""
        call = Call(arguments, progress, client)
        return await self._errors.guard_call(_shaped(tool, call), tool.family)

    def _log_call(self, name: str, arguments: Any) -> None:
        if not self._log.debugging:
            return
        given = arguments if isinstance(arguments, dict) else {}
        query = given.get("query")
        length = len(query) if isinstance(query, str) else 0
        keys = ", ".join(map(str, given))
        self._log.debug(f"tools/call name={name} argsKeys=[{keys}] queryLen={length}")


async def _shaped(tool: Tool, call: Call) -> dict[str, Any]:
    """The same object twice: some hosts show the model only one of the two. Blocks come after."""
    outcome = await tool.run(call)
    result: dict[str, Any] = {"content": list(outcome.blocks)}
    if outcome.content is not None:
        result["content"].insert(0, {"type": "text", "text": compact(outcome.content)})
        result["structuredContent"] = outcome.content
    return {**result, "_meta": outcome.meta} if outcome.meta else result

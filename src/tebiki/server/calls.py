"""The desk: finds the tool of a call, checks its arguments, runs it and shapes what comes back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast

from tebiki.errors import InvalidParams, UnknownTool
from tebiki.named_tuples import NamedTuple
from tebiki.protocol.messages import compact
from tebiki.server.registry import Call, InThread
from tebiki.server.threads import begin_in_thread, run_in_thread, threads_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from tebiki.observability.logs import Log
    from tebiki.server.background import Background
    from tebiki.server.error_map import ErrorMap, Outcome
    from tebiki.server.progress import Progress
    from tebiki.server.registry import Tool, ToolResult
    from tebiki.server.threads import ThreadJob


class Job(Protocol):
    """A call that was begun, wherever it runs."""

    def cancel(self) -> None:
        """Stop it wherever it is, even before it began."""


class Order(NamedTuple):
    """A call whose tool is known; its arguments are as the client wrote them until a check."""

    tool: Tool
    arguments: Any

    def check(self) -> Order:
        """The same, its arguments as the tool takes them.

        Raises:
            InvalidArguments: it does not.
        """
        return Order(self.tool, self.tool.read_arguments(self.arguments))


class Desk:
    """Every tool that is served, by name."""

    def __init__(self, tools: Iterable[Tool], errors: ErrorMap, log: Log) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._errors = errors
        self._log = log

    def definitions(self, *, shows_apps: bool = False) -> list[dict[str, Any]]:
        """Every tool as it is listed, in order."""
        return [tool.definition(shows_apps=shows_apps) for tool in self._tools.values()]

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

    def begin(
        self,
        order: Order,
        progress: Progress,
        background: Background,
        finish: Callable[[Outcome], None],
    ) -> Job:
        """Run a checked order to its end, beside the caller, who may cancel the job.

        `finish` must not wait for anybody: other calls may be behind it.
        A thread needs no loop, which takes longer to come up than most work takes.
        """

        async def run() -> None:
            finish(await self.run(order, progress))

        how = order.tool.run
        if not isinstance(how, InThread):
            return background.submit(run)
        return begin_in_thread(
            threads_of(how.kind), partial(self._do_work, order, progress, ""), finish
        )

    async def run(self, order: Order, progress: Progress, client: str = "") -> Outcome:
        """Run a checked order to its end: the result as the client reads it, or its error."""
        tool, how = order.tool, order.tool.run
        if not isinstance(how, InThread):
            call = Call(order.arguments, progress, client)
            return await self._errors.guard_call(_await_result(how(call)), tool.family)
        return await run_in_thread(
            threads_of(how.kind), partial(self._do_work, order, progress, client)
        )

    def _do_work(self, order: Order, progress: Progress, client: str, job: ThreadJob) -> Outcome:
        """Do the work of an order in this thread."""
        work = cast("InThread", order.tool.run).work
        call = Call(order.arguments, progress, client, job.is_called_off)
        return self._errors.guard_work(lambda: _shape_result(work(call)), order.tool.family)

    def _log_call(self, name: str, arguments: Any) -> None:
        if not self._log.debugging:
            return
        given = arguments if isinstance(arguments, dict) else {}
        query = given.get("query")
        length = len(query) if isinstance(query, str) else 0
        keys = ", ".join(map(str, given))
        self._log.debug(f"tools/call name={name} argsKeys=[{keys}] queryLen={length}")


async def _await_result(result: Awaitable[ToolResult]) -> dict[str, Any]:
    return _shape_result(await result)


def _shape_result(given: ToolResult) -> dict[str, Any]:
    """The same object twice: some hosts show the model only one of the two. Blocks come after."""
    result: dict[str, Any] = {"content": list(given.blocks)}
    if given.content is not None:
        result["content"].insert(0, {"type": "text", "text": compact(given.content)})
        result["structuredContent"] = given.content
    return {**result, "_meta": given.meta} if given.meta else result

"""Tools with a guard around them: private ones are listened to, questions for the web are checked.

Listening is done behind the answer, and a question waits for it. Every result says where its text
comes from. Not here: what counts as a repeated span (`guard/`).
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from tebiki.errors import PrivateText
from tebiki.server.registry import InThread
from tebiki.server.threads import run_in_thread, threads_of
from tebiki.values.callers import principal_in

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from tebiki.guard.memory import PrivateSpans
    from tebiki.server.registry import Call, Tool, ToolResult

LISTENERS = "guard-listen"
LOOKERS = "guard-look"
"""Apart: who looks waits for who listens."""

WEB = "web"
PROVENANCE = "tebiki/provenance"
RECEIPT = "tebiki/receipt"
PATIENCE_SECONDS = 5.0
"""How long a question waits until what was told before it is hashed; that takes milliseconds."""

SETTING = "guard.web_queries"


class Guard:
    """What stands between the user's own files and the web, for all clients of one server."""

    def __init__(
        self, spans: Callable[[], PrivateSpans], warn: Callable[[str], None], *, refuses: bool
    ) -> None:
        self._spans = spans
        self._warn = warn
        self._refuses = refuses
        self._pending = 0
        self._done = threading.Condition()

    def listen(self, client: str, told: Any, said: Any = None) -> None:
        """Remember what a private tool gives a client that said something; does not wait.

        It is remembered of the principal: whoever begins another session has still been told.
        """
        owner = principal_in(client)
        texts, words = list(_texts_in(told)), list(_texts_in(said))
        with self._done:
            self._pending += 1

        def step() -> None:
            try:
                self._spans().remember(owner, texts, words)
            finally:
                with self._done:
                    self._pending -= 1
                    self._done.notify_all()

        try:
            threads_of(LISTENERS).start(step)
        except RuntimeError:  # the system has no more threads
            step()

    async def check(self, client: str, arguments: dict[str, Any]) -> int:
        """How many spans of private text a question for the web repeats.

        Raises:
            PrivateText: it does, and may not.
        """
        texts = list(_texts_in(arguments))

        def look() -> int:
            with self._done:
                self._done.wait_for(lambda: self._pending == 0, PATIENCE_SECONDS)
            return self._spans().count_repeated(principal_in(client), texts)

        repeated = await run_in_thread(threads_of(LOOKERS), lambda _job: look())
        if repeated and self._refuses:
            raise PrivateText(
                "The question repeats a long passage of the user's own files word for word, and "
                f"{SETTING} is `refuse`: nothing was sent. Ask in words of your own."
            )
        if repeated:
            self._warn(
                "a question for the web repeats a long passage of the user's own files "
                f"({SETTING}: warn)"
            )
        return repeated


def guard_tool(tool: Tool, provenance: str, guard: Guard | None) -> Tool:
    """A tool that says where its text comes from, and is guarded where there is a guard."""
    how = tool.run
    if isinstance(how, InThread):
        return tool._replace(run=InThread(how.kind, _listen_to(how.work, provenance, guard)))
    return tool._replace(run=_check_first(how, provenance, guard))


def _listen_to(
    work: Callable[[Call], ToolResult], provenance: str, guard: Guard | None
) -> Callable[[Call], ToolResult]:
    def run(call: Call) -> ToolResult:
        given = work(call)
        if guard is not None:
            guard.listen(call.client, given.content, call.arguments)
        return given._replace(meta={**given.meta, PROVENANCE: provenance})

    return run


def _check_first(
    ask: Callable[[Call], Awaitable[ToolResult]], provenance: str, guard: Guard | None
) -> Callable[[Call], Awaitable[ToolResult]]:
    async def run(call: Call) -> ToolResult:
        repeated = await guard.check(call.client, call.arguments) if guard is not None else 0
        given = await ask(call)
        meta = {**given.meta, PROVENANCE: provenance}
        if repeated:
            meta[RECEIPT] = {**meta.get(RECEIPT, {}), "private_spans": repeated}
        return given._replace(meta=meta)

    return run


def _texts_in(value: Any) -> Iterator[str]:
    """Every text in a value of JSON, each by itself."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts_in(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts_in(inner)

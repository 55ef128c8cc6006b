"""What a tool gives back, as the client reads it, and who does the work."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tebiki.server.background import Background
from tebiki.server.calls import Desk, Order
from tebiki.server.error_map import ErrorMap
from tebiki.server.progress import Progress
from tebiki.server.registry import Behaviour, Call, InThread, Tool, ToolResult

if TYPE_CHECKING:
    from tebiki.server.error_map import Outcome

PICTURE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
TEXT = {"type": "text", "text": '{"a":1}'}

PATIENCE_SECONDS = 30


def tool(given: ToolResult, schema: dict[str, Any] | None) -> Tool:
    """A tool that always gives the same."""

    async def run(_call: Call) -> ToolResult:
        return given

    behaviour = Behaviour(read_only=True, destructive=False, idempotent=True, open_world=False)
    return Tool("t", "T", "Does it.", "files", (), schema, behaviour, run)


@pytest.mark.parametrize(
    ("given", "result"),
    [
        (ToolResult({"a": 1}, {}), {"content": [TEXT], "structuredContent": {"a": 1}}),
        (ToolResult(None, {}, (PICTURE,)), {"content": [PICTURE]}),
        (
            ToolResult({"a": 1}, {"m": 2}, (PICTURE,)),
            {"content": [TEXT, PICTURE], "structuredContent": {"a": 1}, "_meta": {"m": 2}},
        ),
    ],
    ids=["object", "blocks", "both"],
)
def test_a_result_holds_everything(given: ToolResult, result: dict[str, Any]) -> None:
    """The object first, for hosts that show only one block."""
    log = Log("test", Redactor(None))
    one = tool(given, {"type": "object"})
    desk = Desk([one], ErrorMap(log), log)

    assert asyncio.run(desk.run(Order(one, {}), Progress(None))) == result


def test_a_tool_without_an_object_promises_none() -> None:
    """A client would check what it promises."""
    assert "outputSchema" not in tool(ToolResult(None, {}, (PICTURE,)), None).definition()
    assert tool(ToolResult({}, {}), {"type": "object"}).definition()["outputSchema"]


def test_calls_one_after_the_other_are_worked_on_by_one_thread() -> None:
    """A client that asks again while its answer is being sent costs no further thread."""
    log = Log("test", Redactor(None))
    given = ToolResult({"a": 1}, {})
    one = tool(given, None)._replace(run=InThread("one by one", lambda _call: given))
    desk, background = Desk([one], ErrorMap(log), log), Background(log)
    answers: list[Outcome] = []
    all_answered = threading.Event()

    def ask() -> None:
        desk.begin(Order(one, {}), Progress(None), background, ask_again)

    def ask_again(outcome: Outcome) -> None:
        answers.append(outcome)
        if len(answers) < 10:
            ask()
        else:
            all_answered.set()

    ask()

    assert all_answered.wait(PATIENCE_SECONDS)
    assert answers == [{"content": [TEXT], "structuredContent": {"a": 1}}] * 10
    made = [thread for thread in threading.enumerate() if thread.name.startswith("one by one-")]
    assert len(made) == 1

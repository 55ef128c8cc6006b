"""The tools that the conformance suite calls: made of the product's own `Tool`, for tests alone.

Each does what the suite's description of its scenario asks for. Where a tool must talk back to the
client (log, sample, ask), it takes the SDK's session of the call, which the product never does.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import mcp_types as types

from tebiki.errors import NotFound
from tebiki.server.registry import Behaviour, Parameter, Tool, ToolResult
from tebiki.values.shapes import Text
from tests.conformance.schemas import (
    DEFAULTS_FORM,
    ENUMS_FORM,
    HEADER_SCHEMA,
    JSON_SCHEMA,
    USER_FORM,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server.context import ServerRequestContext

    from tebiki.server.registry import Call

    Work = Callable[[Call], Awaitable[ToolResult]]

CONTEXT: ContextVar[ServerRequestContext[Any, Any]] = ContextVar("context")
"""The SDK's view of the call that is running."""

# The smallest picture and the smallest sound: one pixel, no sample.
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5E"
    "rkJggg=="
)
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

PAUSE_SECONDS = 0.3
"""Longer than progress is held back for; the suite wants the messages one by one."""

HARMLESS = Behaviour(read_only=True, destructive=False, idempotent=True, open_world=False)


def text(words: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": words}


def resource(uri: str, kind: str, words: str) -> dict[str, Any]:
    """A block that holds a document."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": words}}


IMAGE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}


def giving(*blocks: dict[str, Any]) -> Work:
    """A tool's work that is always the same."""

    async def work(_call: Call) -> ToolResult:
        return ToolResult(None, {}, blocks)

    return work


async def fail(_call: Call) -> ToolResult:
    """Always raise, as a tool of the product does."""
    raise NotFound("This tool intentionally returns an error for testing")


async def report_progress(call: Call) -> ToolResult:
    """Three messages, each after the time within which the product sends only one."""
    for done in ("0/100", "50/100", "100/100"):
        call.progress.report(done)
        await asyncio.sleep(PAUSE_SECONDS)
    return ToolResult(None, {}, (text("Progress was reported."),))


async def write_log(_call: Call) -> ToolResult:
    """Three log messages on the stream of the call."""
    context = CONTEXT.get()
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", words, related_request_id=context.request_id)
    return ToolResult(None, {}, (text("Log messages were sent."),))


async def sample(call: Call) -> ToolResult:
    """Have the client's model answer."""
    context = CONTEXT.get()
    content = types.TextContent(text=call.arguments["prompt"])
    answer = await context.session.create_message(
        [types.SamplingMessage(role="user", content=content)],
        max_tokens=100,
        related_request_id=context.request_id,
    )
    return ToolResult(None, {}, (text(f"LLM response: {answer.content}"),))


def eliciting(form: dict[str, Any]) -> Work:
    """A tool's work that asks the client's user to fill in a form."""

    async def work(call: Call) -> ToolResult:
        context = CONTEXT.get()
        answer = await context.session.elicit_form(
            call.arguments.get("message", "Please fill this in"), form, context.request_id
        )
        words = f"Elicitation completed: action={answer.action}, content={answer.content}"
        return ToolResult(None, {}, (text(words),))

    return work


MIXED = (
    text("Multiple content types test:"),
    IMAGE,
    resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
)
DOCUMENT = resource(
    "test://embedded-resource", "text/plain", "This is an embedded resource content."
)

PLAIN: dict[str, Work] = {
    "test_simple_text": giving(text("This is a simple text response for testing.")),
    "test_image_content": giving(IMAGE),
    "test_audio_content": giving(AUDIO),
    "test_embedded_resource": giving(DOCUMENT),
    "test_multiple_content_types": giving(*MIXED),
    "test_error_handling": fail,
    "test_tool_with_progress": report_progress,
    "test_tool_with_logging": write_log,
    "test_logging_tool": write_log,
    "test_elicitation_sep1034_defaults": eliciting(DEFAULTS_FORM),
    "test_elicitation_sep1330_enums": eliciting(ENUMS_FORM),
    # A result and no request of ours on its stream is all the scenario looks for.
    "test_streaming_elicitation": giving(text("Nothing was asked on this stream.")),
    "test_missing_capability": giving(text("The client can sample.")),
    "json_schema_2020_12_tool": giving(text("The schema is what counts.")),
    "test_header": giving(text("The header is what counts.")),
}
ASKING: dict[str, tuple[str, Work]] = {
    "test_sampling": ("prompt", sample),
    "test_elicitation": ("message", eliciting(USER_FORM)),
}
INPUT_SCHEMAS = {"json_schema_2020_12_tool": JSON_SCHEMA, "test_header": HEADER_SCHEMA}
"""What our own shapes cannot say; put in place of what they make."""


def diagnostic_tools() -> list[Tool]:
    """Every tool the suite asks for that a server with tools alone can have."""
    tools = [_tool(name, work) for name, work in PLAIN.items()]
    for name, (argument, work) in ASKING.items():
        row = Parameter(argument, Text(not_blank=True), "What to say.", required=True)
        tools.append(_tool(name, work, row))
    return tools


def _tool(name: str, work: Work, *parameters: Parameter) -> Tool:
    return Tool(
        name=name,
        title=name,
        description=f"Diagnostic tool of the conformance suite: {name}.",
        # Failures of this family are results that the model can read.
        family="files",
        parameters=parameters,
        output_schema=None,
        behaviour=HARMLESS,
        run=work,
        ignores_unknown_arguments=True,
    )

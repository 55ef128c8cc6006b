"""A tool whose work is done by another server, under the same name and with the same words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.server.registry import InThread, ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.server.registry import Call, Tool
    from tebiki.vault.forwarder import Forwarder


def forward(tool: Tool, forwarder: Callable[[], Forwarder]) -> Tool:
    """The tool, with its calls sent to whoever owns what it works on."""
    writes = not tool.behaviour.read_only

    def send(call: Call) -> ToolResult:
        given = forwarder().call(
            tool.name,
            call.arguments,
            call.client,
            writes=writes,
            is_cancelled=call.is_cancelled,
        )
        return ToolResult(given, {})

    return tool._replace(run=InThread("forwarded-write" if writes else "forwarded-read", send))

"""What all screens' tools have in common: how one is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.manuals import limits
from tebiki.server.registry import Behaviour, InThread, Parameter, Tool, ToolResult
from tebiki.values.shapes import Integer, ListOf, Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.server.registry import Call

READS = Behaviour(read_only=True, destructive=False, idempotent=True, open_world=False)
WRITES = Behaviour(read_only=False, destructive=True, idempotent=False, open_world=False)

FAMILY = "page"
NAMED = Text(not_blank=True)
OFFSET = Parameter("offset", Integer(least=0), "Rows to pass over.", default=0)
QUESTION = Parameter(
    "question",
    Text(not_blank=True, longest=limits.LONGEST_QUERY),
    "The question, or its keywords.",
    required=True,
)
REQUIRED = Parameter(
    "required",
    ListOf(Text(not_blank=True, longest=limits.LONGEST_TERM)),
    "Words the answer must contain; left out: the question's rarest.",
)


def screen_tool(
    name: str,
    kind: str,
    parameters: tuple[Parameter, ...],
    work: Callable[[Call], dict[str, Any]],
    behaviour: Behaviour = READS,
) -> Tool:
    """One address of the page's API: a tool that no client lists."""
    return Tool(
        name=name,
        title=name,
        description=name,
        family=FAMILY,
        parameters=parameters,
        output_schema=None,
        behaviour=behaviour,
        run=InThread(kind, lambda call: ToolResult(work(call), {})),
    )

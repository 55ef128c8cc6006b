"""A tool as a value that describes itself: what it takes, what it gives, how it behaves.

Definitions are plain data made from the same rows that check a call's arguments.
Not here: any particular tool (`tools/`) and how a call is run (`calls.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.errors import InvalidArguments
from tebiki.named_tuples import NamedTuple
from tebiki.values.shapes import NotOfShape, Shape, Text, describe_unknown_key

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tebiki.files.patience import Patience
    from tebiki.server.progress import Progress


class Parameter(NamedTuple):
    """One argument of a tool."""

    name: str
    shape: Shape
    description: str
    required: bool = False
    default: Any = None

    @property
    def refuses_blank(self) -> bool:
        """Tell whether blank text is the same as none."""
        return self.required and isinstance(self.shape, Text) and self.shape.not_blank

    def schema(self) -> dict[str, Any]:
        """Give the argument's JSON schema."""
        schema = {**self.shape.schema(), "description": self.description}
        return schema if self.default is None else {**schema, "default": self.default}


class Behaviour(NamedTuple):
    """The four hints by which a host decides whether to ask its user first."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


class ToolResult(NamedTuple):
    """What a tool gives back: one object, and what is said about it beside it.

    What no object can hold (a picture, a sound, a document) goes in `blocks`, each as the protocol
    writes it; a tool that gives only those has no object.
    """

    content: dict[str, Any] | None
    meta: dict[str, Any]
    blocks: tuple[dict[str, Any], ...] = ()


class Call(NamedTuple):
    """One call as its tool sees it: checked arguments, a way to report progress, and whose it is.

    `client` is the name under which a client's state is kept; one process with one client needs
    none. `is_cancelled` tells work in a thread whether to end; a coroutine is cancelled itself.
    """

    arguments: dict[str, Any]
    progress: Progress
    client: str = ""
    is_cancelled: Callable[[], bool] = lambda: False

    def patience(self) -> Patience:
        """What a reading asks between blocks: whether it was called off, or takes too long."""
        import time  # not before the first call

        from tebiki.files.patience import patience_of

        return patience_of(self.is_cancelled, time.monotonic)


class InThread(NamedTuple):
    """Work that keeps its thread busy or waiting, as files do; `kind` are the threads it may take.

    Work of one kind never waits for work of another.
    """

    kind: str
    work: Callable[[Call], ToolResult]


class Tool(NamedTuple):
    """One tool: its definition and what runs it; without an object it has no output schema.

    `family` names the words in which its failures are told (`error_map.py`).
    """

    name: str
    title: str
    description: str
    family: str
    parameters: tuple[Parameter, ...]
    output_schema: dict[str, Any] | None
    behaviour: Behaviour
    run: Callable[[Call], Awaitable[ToolResult]] | InThread
    ignores_unknown_arguments: bool = False
    app: str | None = None
    """The resource by which a host can show what the tool gives."""

    def definition(self, *, shows_apps: bool = False) -> dict[str, Any]:
        """Describe the tool as `tools/list` does, to clients that show apps with its own."""
        output = {} if self.output_schema is None else {"outputSchema": self.output_schema}
        has_app = shows_apps and self.app is not None
        meta = {"_meta": {"ui": {"resourceUri": self.app}}} if has_app else {}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self._input_schema(),
            **output,
            "annotations": {
                "title": self.title,
                "readOnlyHint": self.behaviour.read_only,
                "destructiveHint": self.behaviour.destructive,
                "idempotentHint": self.behaviour.idempotent,
                "openWorldHint": self.behaviour.open_world,
            },
            **meta,
        }

    def _input_schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {row.name: row.schema() for row in self.parameters},
            "required": [row.name for row in self.parameters if row.required],
        }
        if not self.ignores_unknown_arguments:
            schema["additionalProperties"] = False
        return schema

    def read_arguments(self, given: Any) -> dict[str, Any]:
        """Check a call's arguments; every parameter is in the result, absent ones by default.

        Raises:
            InvalidArguments: one of them is not what the tool takes.
        """
        if given is None:
            given = {}
        if not isinstance(given, dict):
            raise InvalidArguments("arguments must be an object")
        if not self.ignores_unknown_arguments:
            self._refuse_unknown(given)
        return {row.name: self._read(row, given.get(row.name)) for row in self.parameters}

    def _read(self, row: Parameter, value: Any) -> Any:
        if value is None or (row.refuses_blank and isinstance(value, str) and not value.strip()):
            if row.required:
                raise InvalidArguments(f"{row.name} is required")
            return row.default
        try:
            return row.shape.read(value)
        except NotOfShape as refused:
            raise InvalidArguments(f"{row.name}{refused.where} {refused}") from refused

    def _refuse_unknown(self, given: dict[str, Any]) -> None:
        known = [row.name for row in self.parameters]
        for name in given:
            if name not in known:
                raise InvalidArguments(f"the call {describe_unknown_key(str(name), known)}")

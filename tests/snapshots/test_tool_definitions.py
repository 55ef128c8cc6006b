"""Every tool definition as hosts see it, one stored file each: a change must be meant.

To accept a change: `TEBIKI_UPDATE_SNAPSHOTS=1 make test`, then read the diff.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest

from tebiki.app.app import App
from tebiki.app.faces import TEBIKI
from tebiki.app.toolsets import TOOLSETS, Toolset, tool_names
from tebiki.config.sources import Given, load
from tebiki.protocol.messages import compact

MOST_BYTES_LISTED = 24_000
FOLDER = Path(__file__).parent / "tools"


TOOLS = {tool.name: tool for tool in App(TEBIKI, load(Given(), "", {}), TEBIKI.toolsets).tools()}


@pytest.mark.requirement("wire:definitions:bounds", "wire:definitions:snapshots")
@pytest.mark.parametrize("name", TOOLS)
def test_a_definition_is_as_stored(name: str) -> None:
    """A host's user approved it as it was."""
    current = json.dumps(TOOLS[name].definition(), ensure_ascii=False, indent=2) + "\n"
    stored = FOLDER / f"{name}.json"
    if os.environ.get("TEBIKI_UPDATE_SNAPSHOTS") == "1":
        FOLDER.mkdir(exist_ok=True)
        stored.write_text(current, encoding="utf-8")

    assert stored.exists(), f"no snapshot of {name}: {__doc__}"
    assert current == stored.read_text(encoding="utf-8")


@pytest.mark.requirement("mcp:selection:bytes")
def test_the_list_of_all_tools_stays_small() -> None:
    """A host puts it into every conversation; most of a byte in four is a token."""
    listed = {"tools": [tool.definition() for tool in TOOLS.values()]}

    assert len(compact(listed).encode()) <= MOST_BYTES_LISTED


@pytest.mark.requirement("wire:definitions:snapshots", "mcp:selection:tools")
@pytest.mark.parametrize("one", TOOLSETS, ids=lambda one: one.name)
@pytest.mark.parametrize("read_only", [False, True])
def test_a_toolset_has_the_tools_it_names(one: Toolset, read_only: bool) -> None:
    """What is served is told before any tool is made."""
    app = App(TEBIKI, load(Given(), "", {}), [one.name], read_only=read_only)
    made = one.tools(app.engines)

    assert [tool.name for tool in made] == list(tool_names([one.name], read_only=read_only))
    assert set(one.readers) <= set(one.names)
    if not read_only:
        assert {tool.name for tool in made if not tool.behaviour.read_only} == set(one.writers)


@pytest.mark.requirement("wire:definitions:snapshots")
def test_no_snapshot_is_left_over() -> None:
    """A tool that is gone takes its snapshot with it."""
    assert {path.stem for path in FOLDER.glob("*.json")} == set(TOOLS)


@pytest.mark.requirement("wire:definitions:whole")
@pytest.mark.parametrize("name", TOOLS)
def test_a_definition_tells_a_host_everything(name: str) -> None:
    """Title, description, described properties, output schema and all four hints."""
    definition = TOOLS[name].definition()

    assert definition["title"]
    assert definition["description"]
    jsonschema.Draft202012Validator.check_schema(definition["inputSchema"])
    jsonschema.Draft202012Validator.check_schema(definition["outputSchema"])
    assert all(entry["description"] for entry in definition["inputSchema"]["properties"].values())
    hints = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    assert all(isinstance(definition["annotations"][hint], bool) for hint in hints)


@pytest.mark.requirement("wire:definitions:answer-tools", "answers:tools:three")
def test_the_answer_tools_are_those_of_the_contract() -> None:
    """Names, descriptions and types, to the letter."""
    contract = {
        "answer": (
            (
                "Search the web when needed and provide balanced, well-sourced answers. "
                "This is the standard general-purpose tool."
            ),
            ["query", "recency_days", "max_results", "domains"],
        ),
        "answer_detailed": (
            (
                "Perform comprehensive analysis with thorough research and detailed explanations. "
                "Best for complex questions requiring deep investigation."
            ),
            ["query", "recency_days", "max_results", "domains"],
        ),
        "answer_quick": (
            (
                "Provide fast, concise answers optimized for speed. "
                "Best for simple lookups or urgent questions."
            ),
            ["query"],
        ),
    }
    types = {
        "query": {"type": "string"},
        "recency_days": {"type": "number"},
        "max_results": {"type": "number"},
        "domains": {"type": "array", "items": {"type": "string"}},
    }

    for name, (description, parameters) in contract.items():
        definition = TOOLS[name].definition()
        properties = definition["inputSchema"]["properties"]
        assert definition["description"] == description
        assert list(properties) == parameters
        assert definition["inputSchema"]["required"] == ["query"]
        for parameter in parameters:
            without_words = {k: v for k, v in properties[parameter].items() if k != "description"}
            assert without_words == types[parameter]

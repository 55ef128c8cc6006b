"""The official Python client drives the real commands, in each of its modes."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import TextContent

from simulator import Simulator
from tests.hosts.python_steps import read_and_prompted
from tests.hosts.stage import command, server_environment

_LEGACY, _MODERN = "2025-06-18", "2026-07-28"
_AGREED = {"auto": _MODERN, "legacy": _LEGACY, _MODERN: _MODERN}
_TOOLS = ["answer", "answer_detailed", "answer_quick"]
_LONGEST_RUN_SECONDS = 60
_PATIENCE_SECONDS = 60

Steps = Callable[[Client], Awaitable[None]]
Play = Callable[..., None]


@pytest.fixture(params=list(_AGREED))
def mode(request: pytest.FixtureRequest) -> str:
    """Take each mode of the client in turn."""
    name: str = request.param
    return name


@pytest.fixture
def play(simulator: Simulator, tmp_path: Path, mode: str) -> Play:
    """Give a function that runs some steps with a client connected to one of our commands."""

    async def run(steps: Steps, face: str) -> None:
        environment = server_environment(simulator, tmp_path)
        server = StdioServerParameters(command=command(face), args=["--stdio"], env=environment)
        async with asyncio.timeout(_LONGEST_RUN_SECONDS), Client(server, mode=mode) as client:
            await steps(client)

    return lambda steps, face="tebiki": asyncio.run(run(steps, face))


async def _ask(client: Client, query: str) -> dict[str, Any]:
    """Ask, and check that the answer comes twice, the same."""
    result = await client.call_tool("answer", {"query": query})
    content: dict[str, Any] = result.structured_content
    text = result.content[0]
    assert isinstance(text, TextContent)
    assert json.loads(text.text) == content
    return content


@pytest.mark.requirement("wire:modern:both-eras", "wire:modern:real-clients")
@pytest.mark.parametrize("face", ["tebiki", "openai-responses-mcp"])
def test_it_connects_and_lists(play: Play, mode: str, face: str) -> None:
    """Both commands agree on the newest version the mode allows, and offer the answer tools."""

    async def steps(client: Client) -> None:
        assert client.protocol_version == _AGREED[mode]
        named = [tool.name for tool in (await client.list_tools()).tools]
        assert [name for name in named if name in _TOOLS] == _TOOLS

    play(steps, face)


@pytest.mark.requirement("wire:modern:real-clients", "mcp:clients:official")
def test_it_reads_resources_and_gets_prompts(play: Play) -> None:
    """Lists, templates, a folder, a message and what could be typed."""
    play(read_and_prompted)


@pytest.mark.requirement("wire:modern:real-clients", "mcp:clients:official")
def test_a_drop_in_has_tools_alone(play: Play) -> None:
    """It says so, and refuses the rest."""

    async def steps(client: Client) -> None:
        capabilities = client.server_capabilities
        assert (capabilities.resources, capabilities.prompts, capabilities.completions) == (
            None,
            None,
            None,
        )
        with pytest.raises(MCPError):
            await client.list_resources()

    play(steps, "openai-responses-mcp")


@pytest.mark.requirement(
    "wire:modern:real-clients", "answers:done:general-knowledge", "answers:done:todays-weather"
)
def test_it_answers(play: Play) -> None:
    """A known fact needs no search; today's weather does, and names its sources."""

    async def steps(client: Client) -> None:
        fact = await _ask(client, "HTTP 404 の意味")
        assert fact["used_search"] is False
        assert fact["citations"] == []
        weather = await _ask(client, "本日の東京の天気")
        assert weather["used_search"] is True
        assert weather["citations"]

    play(steps)


@pytest.mark.requirement("wire:modern:real-clients")
def test_it_refuses_a_blank_query(play: Play) -> None:
    """The client sees our code, our words and the reason."""

    async def steps(client: Client) -> None:
        with pytest.raises(MCPError, match="answer: invalid arguments") as refusal:
            await client.call_tool("answer", {"query": " "})
        assert refusal.value.error.code == -32001
        assert refusal.value.error.data == {"reason": "query is required"}

    play(steps)


@pytest.mark.requirement("wire:modern:real-clients")
def test_it_reports_progress(play: Play) -> None:
    """A call that takes a while says what it is doing, each time with a higher number."""
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async def steps(client: Client) -> None:
        query = {"query": "simulate: slow ms=600 steps=2"}
        await client.call_tool("answer", query, progress_callback=note)

    play(steps)
    numbers = [number for number, _, _ in seen]
    assert len(numbers) >= 2
    assert numbers == sorted(set(numbers))
    assert all(message for _, _, message in seen)


@pytest.mark.requirement("wire:modern:real-clients", "wire:cancel:upstream-closed")
def test_it_cancels(play: Play, simulator: Simulator) -> None:
    """A call given up closes its upstream connection; the next one is answered."""

    async def steps(client: Client) -> None:
        calling = asyncio.create_task(client.call_tool("answer", {"query": "simulate: hang"}))
        await asyncio.to_thread(simulator.wait_for_requests, 1, _PATIENCE_SECONDS)
        calling.cancel()
        await asyncio.to_thread(simulator.wait_for_disconnects, 1, _PATIENCE_SECONDS)
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert (await _ask(client, "HTTP 404 の意味"))["used_search"] is False

    play(steps)

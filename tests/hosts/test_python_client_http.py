"""The official Python client over HTTP, in each of its modes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client, MCPError

from simulator import Simulator
from tests.hosts.python_steps import read_and_prompted
from tests.hosts.stage import server_environment
from tests.support.http_process import HttpProcess

_MODERN, _LEGACY = "2026-07-28", "2025-06-18"
_AGREED = {"auto": _MODERN, "legacy": _LEGACY, _MODERN: _MODERN}
_LONGEST_RUN_SECONDS = 60
_PATIENCE_SECONDS = 30


@pytest.mark.requirement(
    "wire:modern:real-clients", "http:serving:same-layer", "mcp:clients:official"
)
@pytest.mark.parametrize("mode", list(_AGREED))
def test_it_lists_calls_fails_and_cancels(simulator: Simulator, tmp_path: Path, mode: str) -> None:
    """All a client does, on one connection; cancelling ends the upstream call too."""
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    @asynccontextmanager
    async def connected(url: str) -> AsyncIterator[Client]:
        async with asyncio.timeout(_LONGEST_RUN_SECONDS), Client(url, mode=mode) as client:
            yield client

    async def steps(url: str) -> None:
        async with connected(url) as client:
            assert client.protocol_version == _AGREED[mode]
            assert len((await client.list_tools()).tools) == 15
            await read_and_prompted(client)
            slow = {"query": "simulate: slow ms=600 steps=2"}
            answer = await client.call_tool("answer", slow, progress_callback=note)
            assert answer.structured_content["model"] == "gpt-5.2"
            with pytest.raises(MCPError, match="invalid arguments") as refusal:
                await client.call_tool("answer", {"query": " "})
            assert refusal.value.error.data == {"reason": "query is required"}
            with pytest.raises(MCPError, match="Unknown tool"):
                await client.call_tool("nope", {})
            before = len(simulator.requests)
            calling = asyncio.create_task(client.call_tool("answer", {"query": "simulate: hang"}))
            await asyncio.to_thread(simulator.wait_for_requests, before + 1, _PATIENCE_SECONDS)
            calling.cancel()
            await asyncio.to_thread(simulator.wait_for_disconnects, 1, _PATIENCE_SECONDS)
            assert (await client.call_tool("vault_ls", {})).is_error is False

    with HttpProcess(tmp_path, env=server_environment(simulator, tmp_path)) as server:
        asyncio.run(steps(server.url))

    assert len(seen) >= 2

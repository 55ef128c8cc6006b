"""What the tests of searching call and look at: one tool, its results and what was sent for it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator import Simulator
    from tests.support.talk import Talk

TOOL = "chatgpt_o3_search"
FACE = "mcp_o3_search"
PROGRESS = {"progressToken": "p"}

Json = dict[str, Any]


def call(server: Talk, query: str, **arguments: Any) -> Json:
    """Search and return the whole result."""
    result: Json = server.call(query, TOOL, {"query": query, **arguments})["result"]
    return result


def search(server: Talk, query: str, **arguments: Any) -> Json:
    """Search and return the structured content."""
    content: Json = call(server, query, **arguments)["structuredContent"]
    return content


def failure(server: Talk, query: str, **arguments: Any) -> Json:
    """Search and return the error."""
    error: Json = server.call(query, TOOL, {"query": query, **arguments})["error"]
    return error


def body(simulator: Simulator) -> Json:
    """The last request that was sent."""
    sent: Json = simulator.requests[-1].body
    return sent


def gaps(simulator: Simulator, query: str | None = None) -> list[float]:
    """Seconds between one request and the next; of all, or of those for one query."""
    times = [
        request.received_at
        for request in simulator.requests
        if query in {None, request.body["input"][0]["content"][0]["text"]}
    ]
    return [later - earlier for earlier, later in itertools.pairwise(times)]

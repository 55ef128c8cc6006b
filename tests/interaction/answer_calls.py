"""What the tests of answering call and look at: one tool, its answers and its errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.talk import Talk


def answer(server: Talk, query: str, **arguments: Any) -> dict[str, Any]:
    """Ask and return the structured answer."""
    result = server.call(query, "answer", {"query": query, **arguments})["result"]
    content: dict[str, Any] = result["structuredContent"]
    return content


def failure(server: Talk, query: str) -> dict[str, Any]:
    """Ask and return the error."""
    error: dict[str, Any] = server.call(query, "answer", {"query": query})["error"]
    return error

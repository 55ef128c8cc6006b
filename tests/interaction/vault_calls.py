"""Calls of the vault's tools, every result of them there twice, and notes put in by hand."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.talk import Talk


def use(vault: Talk, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a vault tool and return its structured result, success or failure."""
    result = vault.call(f"{tool} {arguments}", f"vault_{tool}", arguments)["result"]
    content: dict[str, Any] = result["structuredContent"]
    assert json.loads(result["content"][0]["text"]) == content
    assert result.get("isError", False) is ("code" in content)
    return content


def etag_of(content: bytes) -> str:
    """What a note of these bytes is known by."""
    return hashlib.sha256(content).hexdigest()


def write(notes: Path, name: str, content: bytes) -> None:
    """Put a file into the vault by hand."""
    path = notes / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)

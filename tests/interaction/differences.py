"""What is meant to differ between transports; everything else is the same, word for word.

Two more are in the driver of HTTP (`tests/support/http_process.py`): the stream of a cancelled
request ends with -32800, where stdio says nothing; and what the SDK cannot
read is answered without an id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.interaction.settings_file import settings_file
from tests.support.memory_server import FACES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.talk import Talk

MEANT: dict[tuple[str, str], Any] = {
    # Clients take the status that goes with -32601 for a broken connection.
    ("http", "unknown tool"): {"code": -32602, "message": "Unknown tool"},
    # The SDK reads params before the desk does, and has words of its own for what they are not.
    ("http", "arguments that are no object"): {
        "code": -32602,
        "message": "Invalid request parameters",
        "data": "",
    },
    ("http", "a word about params without a tool"): "param",
    ("http", "a number of 5000 digits"): "Parse error: number out of range",
    # A lone surrogate has become a replacement sign, which may stand in a name.
    ("http", "path: surrogate"): "not_found",
    # The SDK adds the method's name as data.
    ("http", "keys of an unknown method's error"): {"code", "message", "data"},
    # The SDK says of what it does not do that it does not do it.
    ("http", "capabilities"): {"tools": {"listChanged": False}},
    ("http", "capability: tools"): {"listChanged": False},
    ("http", "capability: resources"): {"listChanged": False, "subscribe": False},
    ("http", "capability: prompts"): {"listChanged": False},
    # Only stdio writes messages to the debug log.
    ("http", "a late line of the debug log"): "tools/call name=answer",
}

WITHOUT_HTTP = ("memory", "line", "framed")
"""For a mark, where HTTP has its own way; each use says which."""

NO_LIMITS = {"TEBIKI_HTTP_CONCURRENT_CALLS": "1000", "TEBIKI_HTTP_CALLS_PER_MINUTE": "0"}
"""A client over HTTP is held to 16 calls at once and 240 in a minute; tests/web is about that."""


def expected(talk: Talk, case: str, usual: Any) -> Any:
    """What is to be heard: the usual, unless the transport is meant to differ in this case."""
    return MEANT.get((talk.transport, case), usual)


def complaints(talk: Talk) -> list[str]:
    """The lines on stderr, without those by which an HTTP server tells what it does."""
    told = (": serving on ", ": the page is at ", ": no token is needed", ": access ")
    return [line for line in talk.stderr.splitlines() if not any(word in line for word in told)]


def name_of(talk: Talk, face: str) -> str:
    """What a server calls itself: only the product serves HTTP."""
    return FACES["tebiki" if talk.transport == "http" else face].name


def as_served_over_http(home: Path, face: str, flags: tuple[str, ...]) -> tuple[str, ...]:
    """The flags that make the product serve what another face does."""
    if face == "tebiki":
        return flags
    settings = settings_file(home, face)
    if settings.exists() and "--config" not in flags:
        flags = ("--config", str(settings), *flags)
    return (f"--toolsets={','.join(FACES[face].toolsets)}", *flags)

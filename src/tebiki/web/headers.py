"""Which headers of a request may stand more than once; pure functions.

Readers of a header that stands twice disagree: one takes the first, one the last, one both. Whoever
sends two has a use for that, so one rule holds for every header of every request: what is not a
list by its own standard stands once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LISTS = frozenset(
    {
        b"accept",
        b"accept-charset",
        b"accept-encoding",
        b"accept-language",
        b"baggage",
        b"cache-control",
        b"connection",
        b"forwarded",
        b"if-match",
        b"if-none-match",
        b"keep-alive",
        b"pragma",
        b"prefer",
        b"te",
        b"trailer",
        b"tracestate",
        b"upgrade",
        b"via",
        b"warning",
    }
)
"""Headers that several lines may make up, as their standards say."""

UNREAD_PREFIX = b"x-"
"""What proxies add, each on its way; nobody here reads any of them but our own."""

OWN_PREFIX = b"x-tebiki-"

FRAMING = re.compile(rb"^(content-length|transfer-encoding):([^\n]*)", re.IGNORECASE | re.MULTILINE)
"""The headers that say where a body ends, as a head has them."""


NAMES = re.compile(rb"^([^\s:]+):", re.MULTILINE)
"""The name of each header, as a head has them; its first line has none."""


def find_repeated(names: Iterable[bytes]) -> str | None:
    """The first header that stands once more than it may; names are in small letters."""
    seen: set[bytes] = set()
    for name in names:
        if name in seen and not _may_repeat(name):
            return name.decode("latin-1")
        seen.add(name)
    return None


def _may_repeat(name: bytes) -> bool:
    is_unread = name.startswith(UNREAD_PREFIX) and not name.startswith(OWN_PREFIX)
    return is_unread or name in LISTS


def repeated_words(name: str) -> str:
    """What a client is told that sent a header twice."""
    return f"The header {name} stands more than once; send it once."


def framing_fault(received: bytes) -> str | None:
    """What is wrong with how a request says where its body ends.

    Looked for in the bytes: the parser makes one of two lengths that are alike, and none of ours
    sees that a proxy before us may have taken the other.
    """
    found = FRAMING.findall(received[: _head_end(received)])
    names = [name.lower() for name, _ in found]
    if name := find_repeated(names):
        return repeated_words(name)
    if len(names) > 1:
        return "A request has either content-length or transfer-encoding; send one of them."
    if names == [b"content-length"] and not found[0][1].strip(b" \t\r").isdigit():
        return "The header content-length must be one number."
    return None


def find_repeated_in(received: bytes) -> str | None:
    """What is wrong with a head that the parser refuses, if it is that a header stands twice."""
    head = received[: _head_end(received)].lower()
    name = find_repeated(NAMES.findall(head))
    return repeated_words(name) if name is not None else None


def _head_end(received: bytes) -> int:
    """Where a head ends: at its first empty line, which may lack its carriage return."""
    ends = [at for sign in (b"\n\r\n", b"\n\n") if (at := received.find(sign)) >= 0]
    return min(ends, default=len(received))

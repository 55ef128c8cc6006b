"""Messages as no client would write them: whole sessions, mutated in their values and their bytes.

All of it follows from one source of chance, so a seed gives the same bytes again. Nothing here
knows a server.
"""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from tests.support.server_process import framed, line
from tests.support.talk import MODERN_META, encoded

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("answer", {"query": "HTTP 404 の意味", "recency_days": 3, "domains": ["a.example"]}),
    ("answer_detailed", {"query": "本日の東京の天気", "max_results": 3}),
    ("answer_quick", {"query": "x"}),
    ("chatgpt_o3_search", {"query": "MCP", "limit": 5, "language": "ja", "timeframe": "past_week"}),
    ("manual_ls", {"id": "lamp"}),
    ("manual_toc", {"manual_id": "lamp", "path_prefix": "a.md", "depth": "deep", "cursor": None}),
    (
        "manual_find",
        {
            "query": "switch",
            "manual_id": "lamp",
            "required_terms": ["button"],
            "budget": {"time_ms": 5000, "max_candidates": 20},
            "use_cache": False,
            "inline_hits": {"limit": 3},
            "include_claim_graph": True,
        },
    ),
    ("manual_hits", {"trace_id": "none", "kind": "candidates", "offset": 0, "limit": 5}),
    ("manual_read", {"ref": {"manual_id": "lamp", "path": "a.md", "start_line": 3}}),
    ("manual_scan", {"manual_id": "lamp", "path": "a.md", "cursor": {"char_offset": 4}}),
    ("vault_create", {"path": "ideas/a.md", "content": "一行目\nsecond line\n"}),
    ("vault_ls", {"path": "ideas"}),
    ("vault_read", {"path": "ideas/a.md", "full": False, "range": {"start_line": 1}}),
    ("vault_scan", {"path": "ideas/a.md", "cursor": {"char_offset": 4}}),
    ("vault_replace", {"path": "ideas/a.md", "find": "line", "replace": "Zeile"}),
]
"""Every tool once, with most of what it takes."""

ENQUIRIES: list[tuple[str, dict[str, Any]]] = [
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "manual://lamp/a.md#L3"}),
    ("resources/read", {"uri": "vault:///ideas/a.md#L1-L2"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "grounded_answer", "arguments": {"question": "どこ?"}}),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/resource", "uri": "manual://{manual_id}/{+path}"},
            "argument": {"name": "path", "value": "a"},
            "context": {"arguments": {"manual_id": "lamp"}},
        },
    ),
]
"""What is asked beside tools."""

ODD_VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 1e308, 2**31, 2**63, 2**70, -(2**70)),
    *("", " ", "\0", "\ud800", "\u202e", "../..", "/etc/passwd", "a" * 5000, "é" * 300, "NaN"),
    *([], {}, [[]], [None] * 50, {"": {}}, [[[[[[[[]]]]]]]], {"path": {"path": "x"}}),
]
ODD_LENGTHS = [b"0", b"1", b"7", b"500", b"60000", b"-5", b"many", b"", b"1e3", b"9" * 30, b"+4"]
NOISE = [b"\n", b"\r\n\r\n", b"\xff\xfe", b"\0" * 9, b"{", b"]}", b'"', b"Content-Length: ", b"[1,"]
LONGEST_LENGTH = 60_000
"""The most bytes that an odd frame here can swallow; more than that flushes it."""


def whole(chance: random.Random, identifier: object) -> dict[str, Any]:
    """A message that is right: mostly a call, sometimes the rest of a session."""
    kind = chance.random()
    if kind < 0.6:
        tool, arguments = chance.choice(CALLS)
        params: dict[str, Any] = {"name": tool, "arguments": copy.deepcopy(arguments)}
        method = "tools/call"
    elif kind < 0.75:
        method, given = chance.choice(ENQUIRIES)
        params = copy.deepcopy(given)
    elif kind < 0.9:
        method = chance.choice(["initialize", "ping", "server/discover", "tools/list", "nope"])
        params = {}
    else:
        method = chance.choice(["notifications/cancelled", "notifications/initialized"])
        params = {"requestId": identifier, "reason": "soak"}
        return {"jsonrpc": "2.0", "method": method, "params": params}
    if chance.random() < 0.3:
        params["_meta"] = {**MODERN_META, "progressToken": chance.choice([1, "t", None])}
    return {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}


def mutated(chance: random.Random, identifier: object) -> bytes:
    """The bytes of one message, in either dialect, with something wrong with it."""
    message = whole(chance, identifier)
    kind = chance.randrange(6)
    if kind == 0:
        return chance.randbytes(chance.randrange(1, 200)) + b"\n"
    if kind == 1:
        return _misframed(chance, encoded(_bent(chance, message)))
    if kind == 2:
        return line(_broken(chance, encoded(message)))
    if kind == 3:
        return framed(_broken(chance, encoded(message)))
    for _ in range(chance.randrange(1, 4)):
        message = _bent(chance, message)
    return chance.choice([line, framed])(json.dumps(message).encode())


def flush() -> bytes:
    """What ends every frame that still waits for bytes, and says nothing itself."""
    return b"\n" * (LONGEST_LENGTH + 1)


def _bent(chance: random.Random, message: Any) -> Any:
    """Another value, no value, or another name somewhere in it."""
    bent = copy.deepcopy(message)
    places = list(_places(bent))
    if not places:
        return chance.choice(ODD_VALUES)
    holder, key = chance.choice(places)
    match chance.randrange(4):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[f"{key}{chance.choice(['x', chr(0), ' '])}"] = holder.pop(key)
        case _:
            holder[key] = copy.deepcopy(chance.choice(ODD_VALUES))
    return bent


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):
        yield value, key
        if isinstance(inner, (dict, list)):
            yield from _places(inner)


def _broken(chance: random.Random, body: bytes) -> bytes:
    """Bytes changed, taken out, doubled or put in."""
    data = bytearray(body)
    for _ in range(chance.randrange(1, 4)):
        start = chance.randrange(len(data)) if data else 0
        end = min(len(data), start + chance.randrange(1, 30))
        match chance.randrange(4):
            case 0:
                data[start:end] = chance.randbytes(end - start)
            case 1:
                del data[start:end]
            case 2:
                data[start:start] = data[start:end]
            case _:
                data[start:start] = chance.choice(NOISE)
    # No header by accident: what that would swallow is bounded in `_misframed` alone.
    return bytes(data).replace(b"Content-Length: ", b"Content-Width: ").replace(b"\n", b" ")


def _misframed(chance: random.Random, body: bytes) -> bytes:
    length = chance.choice([*ODD_LENGTHS, b"%d" % (len(body) - 1), b"%d" % (len(body) + 1)])
    ends = [b"\r\n\r\n", b"\n\n", b"\r\n", b"\r\nX: y\r\n\r\n", b""]
    return b"Content-Length: " + length + chance.choice(ends) + body

"""A client's side of a conversation, the same over every transport.

`ServerProcess` (stdio, both dialects), `HttpTalk` and `MemoryTalk` add how a message gets there and
back. Every result is held against the official schema of its era.
"""

from __future__ import annotations

import json
import queue
from abc import ABC, abstractmethod
from typing import Any, Self

from mcp_types.methods import validate_server_result

from tests.support.overheard import PATIENCE_SECONDS, Listening

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
MODERN = "2026-07-28"
LEGACY = "2025-06-18"
MODERN_META = {
    VERSION_KEY: MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

Json = dict[str, Any]


class Talk(Listening, ABC):
    """One client, and what it has heard."""

    transport: str

    def __init__(self) -> None:
        self.raw = bytearray()
        self._messages: queue.Queue[Json | None] = queue.Queue()
        self._aside: list[Json] = []
        self._asked: dict[object, tuple[str, str]] = {}

    def __enter__(self) -> Self:
        return self

    @abstractmethod
    def __exit__(self, *_: object) -> None:
        """Take down whatever is still there."""

    @abstractmethod
    def send(self, message: object) -> None:
        """Send one message; bytes as they are."""

    @abstractmethod
    def finish(self) -> list[Json]:
        """Say goodbye, wait until all is answered and over, return everything not yet taken."""

    def request(self, request_id: object, method: str, params: Any = None) -> None:
        """Send a request without waiting."""
        if isinstance(request_id, (str, int)):
            self._asked[request_id] = (method, version_of(method, params))
        self.send(request_of(request_id, method, params))

    def ask(self, request_id: object, method: str, params: Any = None) -> Json:
        """Send a request and wait for its answer."""
        self.request(request_id, method, params)
        return self.answer_to(request_id)

    def begin_call(self, request_id: object, tool: str, arguments: object, **params: Any) -> None:
        """Call a tool without waiting."""
        self.request(request_id, "tools/call", {"name": tool, "arguments": arguments, **params})

    def call(self, request_id: object, tool: str, arguments: object, **params: Any) -> Json:
        """Call a tool and wait for its answer."""
        self.begin_call(request_id, tool, arguments, **params)
        return self.answer_to(request_id)

    def cancel(self, request_id: object, reason: str = "test") -> None:
        """Cancel a request."""
        params = {"requestId": request_id, "reason": reason}
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    def next_message(self) -> Json:
        """The next message that was not taken yet."""
        return self._aside.pop(0) if self._aside else self._take()

    def answer_to(self, request_id: object) -> Json:
        """Wait for the answer to a request; everything else is kept aside."""
        for index, message in enumerate(self._aside):
            if "id" in message and message["id"] == request_id:
                return self._aside.pop(index)
        while True:
            message = self._take()
            if "id" in message and message["id"] == request_id:
                return message
            self._aside.append(message)

    def _rest(self) -> list[Json]:
        """Everything not yet taken, once nothing more can come and that has been put last."""
        rest = list(self._aside)
        while (message := self._messages.get(timeout=PATIENCE_SECONDS)) is not None:
            self._validate(message)
            rest.append(message)
        self._messages.put(None)
        return rest

    def _take(self) -> Json:
        message = self._messages.get(timeout=PATIENCE_SECONDS)
        assert message is not None, f"the server is gone: {self.stderr}"
        self._validate(message)
        return message

    def _validate(self, message: Json) -> None:
        asked = self._asked.get(message.get("id"))
        if asked is not None and "result" in message:
            validate_server_result(*asked, message["result"])


def request_of(request_id: object, method: str, params: Any = None) -> Json:
    """A request; without params there is no such key."""
    message: Json = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message if params is None else {**message, "params": params}


def version_of(method: str, params: object) -> str:
    """The protocol revision that a request asks for."""
    if method == "initialize":
        return LEGACY
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    if isinstance(version, str):
        return version
    return MODERN if method == "server/discover" else LEGACY


def encoded(message: object) -> bytes:
    """A message as JSON, or bytes as they are."""
    if isinstance(message, bytes):
        return message
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "backslashreplace")

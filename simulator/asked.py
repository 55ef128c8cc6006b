"""A checked request, read for what an answer depends on."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from simulator.checks import REASONING_MODELS
from simulator.tool_checks import WEB_SEARCH_TYPES

_SOURCES = "web_search_call.action.sources"
_DELIVERY = ("stream", "stream_options")
_LIMIT = re.compile(
    r"(?:\blimit|\bat most|\bup to|\bmax\w*|\btop|最大)[^\d.\n]{0,20}(\d{1,3})(?!\d)"
    r"|(\d{1,3})\s*(?:results|件)",
    re.IGNORECASE,
)
_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_MOST_ROWS = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """What one request asks for."""

    body: Mapping[str, Any]
    key: str
    digest: str
    text: str

    @classmethod
    def from_body(cls, body: Mapping[str, Any], key: str) -> Self:
        """Read a checked body; streaming or not, the same question has the same digest."""
        question = {name: value for name, value in body.items() if name not in _DELIVERY}
        canonical = json.dumps(question, sort_keys=True).encode()
        digest = hashlib.blake2b(canonical, digest_size=20).hexdigest()
        return cls(body, key, digest, _last_user_text(body.get("input", "")))

    @property
    def first_line(self) -> str:
        """The line that holds the query or the script."""
        return self.text.strip().partition("\n")[0].strip()

    @property
    def model(self) -> str:
        """The model asked for; a stored prompt may bring its own."""
        return str(self.body.get("model", "gpt-5.2"))

    @property
    def reasons(self) -> bool:
        """Whether the model thinks before it answers."""
        effort = (self.body.get("reasoning") or {}).get("effort")
        return self.model.startswith(REASONING_MODELS) and effort != "none"

    @property
    def japanese(self) -> bool:
        """Whether to answer in Japanese."""
        return bool(_JAPANESE.search(self.text))

    @property
    def streams(self) -> bool:
        """Whether the answer is to come as events."""
        return bool(self.body.get("stream"))

    @property
    def wants_sources(self) -> bool:
        """Whether search calls are to list their sources."""
        return _SOURCES in (self.body.get("include") or ())

    @property
    def wants_schema(self) -> bool:
        """Whether the answer is to be JSON after a schema."""
        answer_format = self.body.get("text", {}).get("format", {})
        return bool(answer_format.get("type") == "json_schema")

    @property
    def search_tool(self) -> Mapping[str, Any] | None:
        """The web search tool, when the model may use it."""
        if self.body.get("tool_choice") == "none":
            return None
        tools = self.body.get("tools", ())
        return next((tool for tool in tools if tool["type"] in WEB_SEARCH_TYPES), None)

    @property
    def must_search(self) -> bool:
        """Whether the request leaves the model no choice but to search."""
        choice = self.body.get("tool_choice")
        return choice == "required" or isinstance(choice, dict)

    @property
    def allowed_domains(self) -> list[str]:
        """The domains that results must come from; empty when all are allowed."""
        filters = (self.search_tool or {}).get("filters") or {}
        return list(filters.get("allowed_domains") or ())

    @property
    def row_limit(self) -> int | None:
        """The number of rows that the instructions or the input ask for."""
        for text in (self.body.get("instructions") or "", self.text):
            if found := _LIMIT.search(text):
                return max(1, min(_MOST_ROWS, int(found[1] or found[2])))
        return None


def _last_user_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    for item in reversed(value):
        if item.get("type", "message") == "message" and item["role"] == "user":
            return _content_text(item["content"])
    return ""


def _content_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    texts = [part["text"] for part in content if part["type"] == "input_text"]
    return str(texts[-1]) if texts else ""

"""How these tests ask the simulator: plain HTTP, so that nothing smooths the bytes over."""

import http.client
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from simulator import Simulator

KEY = "sk-test-0123456789"
SEARCH: dict[str, Any] = {
    "tools": [{"type": "web_search"}],
    "include": ["web_search_call.action.sources"],
}
OUTSIDE_THE_TYPES = {"nested", "named", "named_and_cited", "sources_only", "odd"}
"""Scenarios whose answers the API gives and the SDK's types do not know."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An HTTP answer that was read to its end."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        """The answer as JSON."""
        return json.loads(self.raw)

    @property
    def error(self) -> Any:
        """The API's error object."""
        return self.body["error"]

    @property
    def events(self) -> list[dict[str, Any]]:
        """The answer as server-sent events."""
        frames = self.raw.decode().removesuffix("\n\n").split("\n\n")
        return [json.loads(frame.partition("\ndata: ")[2]) for frame in frames]


def question(text: str, /, **more: Any) -> dict[str, Any]:
    """Make a request body whose user says this text."""
    said = {"role": "user", "content": [{"type": "input_text", "text": text}]}
    return {"model": "gpt-5.2", "input": [said], **SEARCH, **more}


def schema_format(**more: Any) -> dict[str, Any]:
    """Make the `text` parameter that asks for search results as strict JSON."""
    names = ["title", "url", "snippet", "publishedDate", "relevanceScore"]
    row = {
        "type": "object",
        "properties": {name: {"type": ["string", "number", "null"]} for name in names},
        "required": names,
        "additionalProperties": False,
    }
    schema = {
        "type": "object",
        "properties": {"results": {"type": "array", "items": row}},
        "required": ["results"],
        "additionalProperties": False,
    }
    named = {"type": "json_schema", "name": "search_results", "schema": schema, "strict": True}
    return {"format": named | more}


@contextmanager
def connected(simulator: Simulator) -> Iterator[http.client.HTTPConnection]:
    """Open one connection to the simulator."""
    where = urlsplit(simulator.base_url)
    with closing(http.client.HTTPConnection(str(where.hostname), where.port, timeout=10)) as line:
        yield line


def send(line: http.client.HTTPConnection, body: Any, key: str = KEY) -> Answered:
    """Post a body, which may be bytes that are no JSON, and read the whole answer."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    line.request("POST", "/v1/responses", data, headers)
    return receive(line)


def receive(line: http.client.HTTPConnection) -> Answered:
    """Read the answer to the request that was sent last."""
    with line.getresponse() as response:
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Answered(response.status, headers, response.read())


def post(simulator: Simulator, body: Any, key: str = KEY) -> Answered:
    """Post a body over a connection of its own."""
    with connected(simulator) as line:
        return send(line, body, key)


def simulate(simulator: Simulator, script: str, **more: Any) -> Answered:
    """Ask for a scenario."""
    return post(simulator, question(f"simulate: {script}", **more))


def output_text(body: dict[str, Any]) -> str:
    """Join an answer's text as the SDK does."""
    return "".join(
        part["text"]
        for item in body["output"]
        if item["type"] == "message"
        for part in item["content"]
        if part["type"] == "output_text"
    )


def items(body: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Pick an answer's output items of one type."""
    return [item for item in body["output"] if item["type"] == kind]


def annotations(body: dict[str, Any]) -> list[Any]:
    """Pick all annotations of an answer."""
    return [
        annotation
        for item in items(body, "message")
        for part in item["content"]
        for annotation in part.get("annotations", ())
    ]


def sources(body: dict[str, Any]) -> list[Any]:
    """Pick all sources of an answer."""
    return [
        source
        for item in items(body, "web_search_call")
        for source in (item["action"] or {}).get("sources", ())
    ]


def rows(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Read an answer's text as search results."""
    found: list[dict[str, Any]] = json.loads(output_text(body))["results"]
    return found

"""A connection to a server of manuals, every result of it held against the tool's own schema."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.talk import Talk

Json = dict[str, Any]
DEFINITIONS = Path(__file__).parents[1] / "snapshots" / "tools"


class Reader:
    """One client's connection; the manual asked is `m` unless told otherwise."""

    def __init__(self, server: Talk) -> None:
        self.server = server
        self._calls = 0

    def use(self, tool: str, **arguments: Any) -> Json:
        """Call a tool and give its object, success or failure."""
        self._calls += 1
        identifier = f"{tool} {self._calls}"
        answer = self.server.call(identifier, f"manual_{tool}", arguments)
        return content_of(tool, answer)

    def find(self, query: str, *terms: str, manual_id: str = "m", **more: Any) -> Json:
        """Find something that can be found."""
        asked = {"query": query, "manual_id": manual_id, "required_terms": list(terms or (query,))}
        found = self.use("find", **asked, **more)
        assert "code" not in found, found
        return found

    def rows(self, found: Json, kind: str = "candidates") -> list[Json]:
        """All rows of one kind behind a find."""
        page = self.use("hits", trace_id=found["trace_id"], kind=kind, limit=1000)
        rows: list[Json] = page["items"]
        assert page["total"] == len(rows)
        return rows

    def places(self, query: str, *terms: str, **more: Any) -> list[tuple[str, int]]:
        """Where something is found, best first."""
        rows = self.rows(self.find(query, *terms, **more))
        return [(row["ref"]["path"], row["ref"]["start_line"]) for row in rows]

    def read(self, path: str, start_line: int | None = None, **more: Any) -> Json:
        """Read a passage of the manual."""
        ref = {"manual_id": "m", "path": path, "start_line": start_line}
        return self.use("read", ref=ref, **more)

    def pages(self, path: str, cursor: Any = None) -> Iterator[Json]:
        """Scan a file to its end."""
        page = self.use("scan", manual_id="m", path=path, cursor=cursor)
        yield page
        while not page["eof"]:
            page = self.use("scan", manual_id="m", path=path, cursor=page["next_cursor"])
            yield page


class Workspace:
    """A folder of manuals on disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "manuals"

    def write(self, path: str, text: str | bytes) -> Path:
        """Put a file below the root."""
        where = self.root / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_bytes(text.encode() if isinstance(text, str) else text)
        return where


def content_of(tool: str, answer: Json) -> Json:
    """The object of an answer, the same as text and as structure, and of the promised shape."""
    result = answer["result"]
    content: Json = result["structuredContent"]
    assert json.loads(result["content"][0]["text"]) == content
    assert result.get("isError", False) is ("code" in content)
    jsonschema.validate(content, _output_schema(tool))
    return content


@cache
def _output_schema(tool: str) -> Json:
    definition = (DEFINITIONS / f"manual_{tool}.json").read_text(encoding="utf-8")
    schema: Json = json.loads(definition)["outputSchema"]
    return schema

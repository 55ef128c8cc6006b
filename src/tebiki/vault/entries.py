"""One journal entry: what a write did to a file and what takes it back, to and from a JSON line."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tebiki.files.edits import Edit


@dataclass(frozen=True, slots=True)
class Entry:
    """A write; a hash is None where there was, or then was, no file."""

    entry: int
    time: float
    kind: str
    path: str
    before: str | None
    after: str | None
    encoding: str
    edits: tuple[Edit, ...]
    undoes: int | None = None
    done: bool = True

    def as_json(self) -> dict[str, Any]:
        """Give the entry as `log` shows it, without the bytes."""
        return {
            "entry": self.entry,
            "time": moment(self.time),
            "kind": self.kind,
            "path": self.path,
            "before": self.before,
            "after": self.after,
            "undoes": self.undoes,
            "done": self.done,
        }


def moment(seconds: float) -> str:
    """Write a time for people and programs."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def to_line(entry: Entry) -> bytes:
    """Write an entry as the journal keeps it."""
    content = {
        "entry": entry.entry,
        "time": entry.time,
        "kind": entry.kind,
        "path": entry.path,
        "before": entry.before,
        "after": entry.after,
        "undoes": entry.undoes,
        "encoding": entry.encoding,
        "edits": [
            {"at": edit.at, "removed": _text(edit.removed), "added": _text(edit.added)}
            for edit in entry.edits
        ],
    }
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


def from_line(line: bytes) -> Entry | None:
    """Read an entry; None for a line that a killed writer left unfinished."""
    try:
        content = json.loads(line)
        edits = [
            Edit(int(edit["at"]), _bytes(edit["removed"]), _bytes(edit["added"]))
            for edit in content["edits"]
        ]
        return Entry(
            entry=int(content["entry"]),
            time=float(content["time"]),
            kind=str(content["kind"]),
            path=str(content["path"]),
            before=content["before"],
            after=content["after"],
            encoding=str(content["encoding"]),
            edits=tuple(edits),
            undoes=content["undoes"],
        )
    except (ValueError, KeyError, TypeError, binascii.Error):
        return None


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)

"""One journal entry: what a write did to a file and what takes it back, to and from a JSON line."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any

from tebiki.files.edits import Edit
from tebiki.named_tuples import NamedTuple


class JournalEntry(NamedTuple):
    """A write; a hash is None where there was, or then was, no file.

    A move is an entry of the new path; `source` is the old one, where there is no file any more.
    """

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
    source: str | None = None
    request: str | None = None
    """The id of the forwarded call that it was made for (`forwarded`)."""
    mode: int | None = None
    group: int | None = None
    """Of a note that was taken away whole: what it gets again when it is given back."""


def moment(seconds: float) -> str:
    """Write a time for people and programs."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def to_line(entry: JournalEntry) -> bytes:
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
    if entry.source is not None:
        content["source"] = entry.source
    if entry.request is not None:
        content["request"] = entry.request
    if entry.mode is not None:
        content |= {"mode": entry.mode, "group": entry.group}
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


def from_line(line: bytes) -> JournalEntry | None:
    """Read an entry; None for a line that is none, such as one a killed writer left unfinished."""
    try:
        content = json.loads(line)
        edits = [
            Edit(int(edit["at"]), _bytes(edit["removed"]), _bytes(edit["added"]))
            for edit in content["edits"]
        ]
        moment(float(content["time"]))  # a time that no calendar has is no entry's
        return JournalEntry(
            entry=int(content["entry"]),
            time=float(content["time"]),
            kind=str(content["kind"]),
            path=str(content["path"]),
            before=_optional_text(content["before"]),
            after=_optional_text(content["after"]),
            encoding=str(content["encoding"]),
            edits=tuple(edits),
            undoes=None if content["undoes"] is None else int(content["undoes"]),
            source=_optional_text(content.get("source")),
            request=_optional_text(content.get("request")),
            mode=_optional_number(content.get("mode")),
            group=_optional_number(content.get("group")),
        )
    except (ValueError, KeyError, TypeError, OverflowError, OSError, RecursionError):
        return None


def _optional_text(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError("a hash or a path is text, or nothing")
    return value


def _optional_number(value: Any) -> int | None:
    return None if value is None else int(value)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)

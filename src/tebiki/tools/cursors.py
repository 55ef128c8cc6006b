"""Cursors as arguments: the one of a scan, and an object or a number that means one of its keys."""

from __future__ import annotations

from typing import Any

from tebiki.named_tuples import NamedTuple
from tebiki.values.shapes import Field, Integer, NotOfShape, RecordShape, refusal

MOST_DIGITS = 18
"""Of a number written as text; longer ones count nothing that exists."""


class ScanCursorShape(NamedTuple):
    """Where the scan of a file goes on; the keys are those of `files.reading.Cursor`.

    A page that is the last one gives a cursor without an offset. Given back, it is the end.
    """

    record: RecordShape
    offset: str

    def read(self, value: object) -> dict[str, Any]:
        """Take the record, and tell whether it is what the last page gave."""
        taken = self.record.read(value)
        is_told = isinstance(value, dict) and self.offset in value
        return {**taken, "is_end": is_told and set(taken.values()) == {None}}

    def from_text(self, text: str) -> dict[str, Any]:
        """Read it as the record."""
        return self.record.from_text(text)

    def allowed(self) -> str:
        """Name the keys."""
        return self.record.allowed()

    def schema(self) -> dict[str, Any]:
        """Give the record's JSON schema; the offset may be null."""
        schema = self.record.schema()
        offset = dict(schema["properties"][self.offset])
        words = offset.pop("description")
        # Branches and not a list of types: some hosts map schemas onto dialects with one type each.
        nullable = {"anyOf": [offset, {"type": "null"}], "description": words}
        return {**schema, "properties": {**schema["properties"], self.offset: nullable}}


SCAN_CURSOR = ScanCursorShape(
    RecordShape(
        (
            Field("start_line", Integer(least=1), "Line to start at."),
            Field(
                "char_offset",
                Integer(least=0),
                "Character to start at; next_cursor of the last page, null: the end.",
            ),
        )
    ),
    "char_offset",
)


class RecordOrNumber(NamedTuple):
    """A record, or a number or numeric string that stands for one of its keys."""

    record: RecordShape | ScanCursorShape
    key: str

    def read(self, value: object) -> dict[str, Any]:
        """Take the record, or one with that key alone."""
        if isinstance(value, dict):
            return self.record.read(value)
        if isinstance(value, str) and value.isascii() and value.isdigit():
            value = int(value) if len(value) <= MOST_DIGITS else value
        if not isinstance(value, (int, float)):
            raise refusal(self.allowed(), value)
        try:
            return self.record.read({self.key: value})
        except NotOfShape as refused:
            raise NotOfShape(str(refused)) from refused

    def from_text(self, text: str) -> dict[str, Any]:
        """Read the number."""
        return self.read(text.strip())

    def allowed(self) -> str:
        """Name the keys, and the short form."""
        return f"{self.record.allowed()}, or a number that means {self.key}"

    def schema(self) -> dict[str, Any]:
        """Give the JSON schema of all three forms."""
        number = {"type": "integer", "minimum": 0}
        digits = {"type": "string", "pattern": "^[0-9]+$"}
        return {"anyOf": [self.record.schema(), number, digits]}

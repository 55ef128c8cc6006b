"""Etags as arguments: what a caller has seen of a note, by the hash of its bytes."""

from __future__ import annotations

import re
from typing import Any

from tebiki.named_tuples import NamedTuple
from tebiki.server.registry import Parameter
from tebiki.values.shapes import refusal

HASH = re.compile("[0-9a-f]{64}")


class EtagShape(NamedTuple):
    """The SHA-256 of a note's bytes, as reading and writing tell it."""

    def read(self, value: object) -> str:
        """Take an etag exactly as it was given."""
        if not isinstance(value, str) or not HASH.fullmatch(value):
            raise refusal(self.allowed(), value)
        return value

    def from_text(self, text: str) -> str:
        """Read the same as a value."""
        return self.read(text.strip())

    def allowed(self) -> str:
        """Say so in words."""
        return "an etag as reading gives it (64 hexadecimal digits)"

    def schema(self) -> dict[str, Any]:
        """Give the etag's JSON schema."""
        return {"type": "string", "pattern": "^[0-9a-f]{64}$"}


IF_MATCH = Parameter(
    "if_match", EtagShape(), "Write only if the note still has this etag; else conflict."
)

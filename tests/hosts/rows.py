"""One check of one client, and the table that a person reads."""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

_LONGEST_DETAIL = 100


class Row(NamedTuple):
    """How one check went."""

    client: str
    check: str
    ok: bool
    detail: str

    def __str__(self) -> str:
        verdict = "ok" if self.ok else "FAILED"
        detail = " ".join(self.detail.split())
        shown = detail[:_LONGEST_DETAIL] if self.ok else detail
        return f"{_padded(self.client, 46)} {_padded(self.check, 12)} {verdict:6} {shown}"


def summary(rows: Sequence[Row]) -> str:
    """Count what passed, in one line."""
    passed = sum(row.ok for row in rows)
    clients = len({row.client for row in rows})
    return f"{passed} of {len(rows)} checks passed, {clients} clients"


def _padded(text: str, width: int) -> str:
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return text + " " * max(0, width - len(text) - wide)

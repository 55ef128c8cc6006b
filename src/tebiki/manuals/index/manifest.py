"""What the index knows of each file: by what a change would show, and what was found in it.

A value with its JSON form. The index names its state; a manifest of another state is not of it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tebiki.manuals.walking import FileStat

GRAIN_NS = 2_000_000_000
"""A file changed so shortly before it was read may change again without its times showing it."""


class Record(NamedTuple):
    """One file: its stat when it was read, and what it gave; `reason` when it gave nothing."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    digest: str
    sections: int
    length: int
    is_settled: bool
    reason: str | None

    def matches(self, file: FileStat) -> bool:
        """Tell whether nothing shows a change."""
        return self[:4] == (file.size, file.mtime_ns, file.ctime_ns, file.inode)


@dataclass(slots=True)
class Manifest:
    """The files of one state of an index."""

    state: str = ""
    files: dict[str, Record] = field(default_factory=dict)
    has_removed: bool = False
    commits: int = 0

    @property
    def sections(self) -> int:
        """Of all files."""
        return sum(record.sections for record in self.files.values())

    @property
    def length(self) -> int:
        """Tokens of all sections."""
        return sum(record.length for record in self.files.values())

    def fingerprint(self) -> str:
        """A digest of the contents of all files."""
        digest = hashlib.sha256()
        for path in sorted(self.files):
            record = self.files[path]
            digest.update(f"{path}\0{record.digest}\0{record.reason}\n".encode())
        return digest.hexdigest()

    def dumped(self, version: int) -> str:
        """The JSON form."""
        whole = [version, self.state, self.has_removed, self.commits, self.files]
        return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


def loaded(text: str, version: int) -> Manifest | None:
    """Read the JSON form; None when it is not one of this version."""
    try:
        found, state, has_removed, commits, files = json.loads(text)
        records = {path: Record(*row) for path, row in files.items()}
    except (ValueError, TypeError, AttributeError):
        return None
    if found != version:
        return None
    return Manifest(state, records, has_removed, commits)


def is_settled(file: FileStat, now_ns: int) -> bool:
    """Tell whether a file's times are old enough to show its next change."""
    return now_ns - max(file.mtime_ns, file.ctime_ns) > GRAIN_NS

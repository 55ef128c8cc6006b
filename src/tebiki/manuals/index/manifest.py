"""What the index knows of each file: by what a change would show, and what was found in it.

A value with its JSON form. The index names its state; a manifest of another state is not of it.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

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
        return self[:4] == file[1:]


COLUMNS: tuple[set[type], ...] = (
    {int},
    {int},
    {int},
    {int},
    {str},
    {int},
    {int},
    {bool},
    {str, type(None)},
)
"""What may stand in each column of records."""


class Manifest:
    """The files of one state of an index."""

    __slots__ = ("commits", "files", "has_removed", "state")

    def __init__(
        self,
        state: str = "",
        files: dict[str, Record] | None = None,
        *,
        has_removed: bool = False,
        commits: int = 0,
    ) -> None:
        self.state = state
        self.files = {} if files is None else files
        self.has_removed = has_removed
        self.commits = commits

    def copy(self) -> Manifest:
        """One of its own for whoever goes on from here."""
        files = dict(self.files)
        return Manifest(self.state, files, has_removed=self.has_removed, commits=self.commits)

    @property
    def sections(self) -> int:
        """Of all files."""
        return sum([record.sections for record in self.files.values()])

    @property
    def length(self) -> int:
        """Tokens of all sections."""
        return sum([record.length for record in self.files.values()])

    def fingerprint(self) -> str:
        """A digest of the contents of all files."""
        lines = [f"{path}\0{one.digest}\0{one.reason}" for path, one in self.files.items()]
        return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()

    def as_json(self, version: int) -> list[Any]:
        """Give what `manifest_from` takes: a list a column, which is read much faster than rows."""
        columns = list(zip(*self.files.values(), strict=True))
        return [version, self.state, self.has_removed, self.commits, list(self.files), columns]


def manifest_from(value: Any, version: int) -> Manifest | None:
    """Read the JSON form; None when it is not one of this version."""
    try:
        found, state, has_removed, commits, paths, columns = value
        if found != version or not _are_sound(state, has_removed, commits, paths, columns):
            return None
        records = map(Record._make, zip(*columns, strict=True))
        files = dict(zip(paths, records, strict=True))
        return Manifest(state, files, has_removed=has_removed, commits=commits)
    except (ValueError, TypeError):
        return None


def _are_sound(state: Any, has_removed: Any, commits: Any, paths: Any, columns: Any) -> bool:
    if (type(state), type(has_removed), type(commits)) != (str, bool, int):
        return False
    if set(map(type, paths)) - {str} or (columns and len(columns) != len(COLUMNS)):
        return False
    return all(
        set(map(type, column)) <= allowed
        for column, allowed in zip(columns, COLUMNS, strict=bool(columns))
    )


def is_settled(file: FileStat, now_ns: int) -> bool:
    """Tell whether a file's times are old enough to show its next change."""
    return now_ns - max(file.mtime_ns, file.ctime_ns) > GRAIN_NS

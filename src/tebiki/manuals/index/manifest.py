"""What an index knows of each file: the manifest of one of its states, and what came to change.

Not here: where it is kept (`store`), and how (`manifest_file`, `manifest_log`).
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING, Any

from tebiki.manuals.index.records import Record, Records
from tebiki.manuals.index.values import NOTHING, add_lengths

if TYPE_CHECKING:
    from collections.abc import Collection
    from collections.abc import Set as AbstractSet

    from tebiki.files.handles import Look
    from tebiki.manuals.documents.walking import FileStat
    from tebiki.manuals.index.values import Lengths

GRAIN_NS = 2_000_000_000
"""A file changed so shortly before it was read may change again without its times showing it."""

CONTENTS = 1 << 256


COLUMNS: tuple[set[type], ...] = (
    {int},
    {int},
    {int},
    {int},
    {str},
    {int},
    {int},
    {int},
    {int},
    {int},
    {int},
    {bool},
    {str, type(None)},
)
"""What may stand in each column of records."""


class Manifest:
    """The files of one state of an index, with their sums, which a change only adds to.

    `unsettled` are files of which a change may not show, and `unread` those that gave nothing, with
    the reason. `base` and `revision` name it among its kin: those with the same base differ only
    in files that `changed` since. `order` has all paths as a walk gives them, while it is written.
    """

    __slots__ = (
        "_changed",
        "_looks",
        "base",
        "commits",
        "content",
        "files",
        "has_removed",
        "lengths",
        "order",
        "revision",
        "sections",
        "state",
        "unread",
        "unsettled",
    )

    def __init__(self, state: str = "") -> None:
        self.state = state
        self.files = Records()
        self.has_removed = False
        self.commits = 0
        self.sections = 0
        self.lengths: Lengths = NOTHING
        self.content = 0
        self.unsettled: set[str] = set()
        self.unread: dict[str, str] = {}
        self.base = ""
        self.revision = 0
        self.order: Collection[str] = ()
        self._changed: dict[str, int] = {}
        self._looks: dict[str, Look] | None = None

    def copy(self) -> Manifest:
        """One of its own for whoever goes on from here."""
        from copy import copy  # only when something has changed

        other = copy(self)
        other.files = self.files.copy()
        other.unsettled, other.unread = set(self.unsettled), dict(self.unread)
        other._changed = dict(self._changed)
        other._looks = None if self._looks is None else dict(self._looks)
        return other

    def put(self, path: str, record: Record) -> None:
        """Know a file as it is now."""
        self.drop(path)
        self.files.put(path, record)
        self._changed[path] = self.revision + 1
        self._count(path, record, 1)
        if not record.is_settled:
            self.unsettled.add(path)
        elif self._looks is not None:
            self._looks[path] = record[:4]
        if record.reason:
            self.unread[path] = record.reason

    def drop(self, path: str) -> Record | None:
        """Forget a file; gives what was known of it."""
        record = self.files.drop(path)
        if record is not None:
            self._changed[path] = self.revision + 1
            self._count(path, record, -1)
            self.unsettled.discard(path)
            self.unread.pop(path, None)
            if self._looks is not None:
                self._looks.pop(path, None)
        return record

    def _count(self, path: str, record: Record, times: int) -> None:
        self.sections += times * record.sections
        self.lengths = add_lengths(self.lengths, record.lengths, times)
        # A sum of digests: the order of the files is no matter, nor are files that did not change.
        self.content = (self.content + times * _number_of(path, record)) % CONTENTS

    def fingerprint(self) -> str:
        """A digest of the contents of all files."""
        return f"{self.content:064x}"

    def looks(self) -> dict[str, Look]:
        """By what a change would show, of each file of which a change would show."""
        if self._looks is None:
            self._looks = self.files.looks()
            for path in self.unsettled:
                del self._looks[path]
        return self._looks

    def suspects(self, looks: dict[str, Look]) -> set[str] | None:
        """Files that may differ from a walk; None where that is not told any quicker."""
        found = self.files.suspects(looks) if self._looks is None else None
        return None if found is None else found | self.unsettled

    def know_looks(self, looks: dict[str, Look] | None) -> None:
        """Know the same looks by other tuples: the next walk has these, and compares quicker.

        Or forget them, where nobody is going to ask for all of them.
        """
        self._looks = None if looks is None else dict(looks)

    def advance(self) -> None:
        """Make what was changed a revision of its own."""
        self.revision += 1

    def begin_kin(self, base: str) -> None:
        """Be the first of those that have a base."""
        self.base, self.revision = base, 0
        self._changed.clear()

    def changes(self) -> dict[str, Record | None]:
        """What the last revision changed: files as they are, or None where they are gone."""
        return {
            path: self.files.get(path)
            for path, revision in self._changed.items()
            if revision == self.revision
        }

    @property
    def distance(self) -> int:
        """How many files differ from the base."""
        return len(self._changed)

    def changed_since(self, base: str, revision: int) -> AbstractSet[str] | None:
        """Files that changed since an earlier revision; None when that was no kin."""
        if base != self.base or not base or revision > self.revision:
            return None
        return {path for path, changed in self._changed.items() if changed > revision}

    def to_json(self, version: int) -> list[Any]:
        """Give what `manifest_from` takes: a list a column, which is read much faster than rows."""
        columns = list(zip(*self.files.values(), strict=True))
        sums = [self.sections, self.lengths, self.fingerprint()]
        head = [version, self.state, self.has_removed, self.commits, sums]
        return [*head, list(self.files), columns]


def _number_of(path: str, record: Record) -> int:
    """What a file adds to the fingerprint: a number made of its path and contents."""
    line = f"{path}\0{record.digest}\0{record.reason}"
    return int.from_bytes(hashlib.sha256(line.encode()).digest())


def manifest_from(value: Any, version: int) -> Manifest | None:
    """Read the JSON form; None when it is not one of this version."""
    try:
        found, state, has_removed, commits, (sections, lengths, content), paths, columns = value
        if found != version or not _are_sound(state, has_removed, commits, paths, columns):
            return None
        manifest = Manifest(state)
        # A hundred thousand of them, made without a call of Python for each.
        records = map(partial(tuple.__new__, Record), zip(*columns, strict=True))
        manifest.files = Records(zip(paths, records, strict=True))
        manifest.has_removed, manifest.commits = has_removed, commits
        manifest.sections = int(sections)
        body, title, trail, place, links = map(int, lengths)
        manifest.lengths = (body, title, trail, place, links)
        manifest.content = int(content, 16)
        manifest.unsettled, manifest.unread = _exceptions(paths, columns)
    except (ValueError, TypeError):
        return None
    return manifest


def _exceptions(paths: list[str], columns: list[Any]) -> tuple[set[str], dict[str, str]]:
    """Files whose change may not show, and files that gave nothing."""
    if not columns:
        return set(), {}
    *_, settled, reasons = columns
    unsettled = {path for path, is_settled in zip(paths, settled, strict=True) if not is_settled}
    unread = {path: reason for path, reason in zip(paths, reasons, strict=True) if reason}
    return unsettled, unread


def _are_sound(state: Any, has_removed: Any, commits: Any, paths: Any, columns: Any) -> bool:
    if (type(state), type(has_removed), type(commits)) != (str, bool, int):
        return False
    if set(map(type, paths)) - {str} or (columns and len(columns) != len(COLUMNS)):
        return False
    return all(
        set(map(type, column)) <= allowed
        for column, allowed in zip(columns, COLUMNS, strict=bool(columns))
    )


def is_sound_record(row: list[Any]) -> bool:
    """Tell whether a row has what a record takes."""
    return len(row) == len(COLUMNS) and all(
        type(value) in allowed for value, allowed in zip(row, COLUMNS, strict=True)
    )


def is_settled(file: FileStat, now_ns: int) -> bool:
    """Tell whether a file's times are old enough to show its next change."""
    return now_ns - max(file.mtime_ns, file.ctime_ns) > GRAIN_NS

"""What an index knows of each file, as records that are made when they are asked for.

A hundred thousand of them take a third of a second to make and tens of megabytes to hold, and most
finds need none: they lie in columns of bytes, with what came to change beside them.
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Mapping
from itertools import compress
from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from tebiki.files.handles import Look
    from tebiki.manuals.index.values import Lengths

DIGEST_BYTES = 16
NO_DIGEST = bytes(DIGEST_BYTES)
"""Of a file that could not be read; no file has it."""

SIGNED, UNSIGNED = "q", "Q"
COUNTS = "I"


class Record(NamedTuple):
    """One file: its stat when it was read, and what it gave; `reason` when it gave nothing."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    digest: str
    sections: int
    body: int
    title: int
    trail: int
    place: int
    links: int
    is_settled: bool
    reason: str | None

    @property
    def lengths(self) -> Lengths:
        """How many tokens it has in each of the fields."""
        return self[6:11]

    def matches(self, look: Look) -> bool:
        """Tell whether nothing shows a change."""
        return self[:4] == look


class Columns(NamedTuple):
    """The records of many files, one column behind the other.

    `looks` are sizes, two times and inodes; `counts` the sections and lengths, file by file;
    `settled` has a byte for each file.
    """

    paths: list[str]
    looks: tuple[array[int], array[int], array[int], array[int]]
    digests: bytes
    counts: array[int]
    settled: bytes
    reasons: dict[str, str]

    def record(self, place: int) -> Record:
        """The record of the file at a place."""
        digest = self.digests[DIGEST_BYTES * place : DIGEST_BYTES * (place + 1)]
        sizes, mtimes, ctimes, inodes = self.looks
        counts = self.counts[COUNTED * place : COUNTED * (place + 1)]
        sections, body, title, trail, above, links = counts
        return Record(
            *(sizes[place], mtimes[place], ctimes[place], inodes[place]),
            "" if digest == NO_DIGEST else digest.hex(),
            *(sections, body, title, trail, above, links),
            is_settled=bool(self.settled[place]),
            reason=self.reasons.get(self.paths[place]),
        )

    def by_path(self) -> dict[str, Look]:
        """By what a change of each file would show, made without a call of Python for each."""
        return dict(zip(self.paths, zip(*self.looks, strict=True), strict=True))


COUNTED = 6
_LOOKS = (SIGNED, SIGNED, SIGNED, UNSIGNED)
_LOOK_OF = operator.itemgetter(slice(0, 4))
_COUNTS_OF = operator.itemgetter(slice(5, 11))


def as_columns(files: Mapping[str, Record], order: Collection[str] = ()) -> Columns:
    """Records in columns, in the order of some paths where these are all.

    Raises:
        OverflowError: a number is too large for them.
    """
    paths = list(order if files.keys() == set(order) else files)
    rows = [files[path] for path in paths]
    looks = [
        array(kind, map(operator.itemgetter(column), rows)) for column, kind in enumerate(_LOOKS)
    ]
    counts = array(COUNTS)
    for row in rows:
        counts.extend(_COUNTS_OF(row))
    return Columns(
        paths,
        (looks[0], looks[1], looks[2], looks[3]),
        b"".join([bytes.fromhex(row.digest) or NO_DIGEST for row in rows]),
        counts,
        bytes([row.is_settled for row in rows]),
        {path: row.reason for path, row in zip(paths, rows, strict=True) if row.reason},
    )


class Records(Mapping[str, "Record"]):
    """The record of each file, by its path: some in columns, and those that were put since."""

    __slots__ = ("_columns", "_hidden", "_own", "_places")

    def __init__(self, files: Iterable[tuple[str, Record]] = ()) -> None:
        self._own = dict(files)
        self._columns: Columns | None = None
        self._hidden: set[str] = set()
        self._places: dict[str, int] = {}

    @classmethod
    def of(cls, columns: Columns) -> Records:
        """Those that lie in columns."""
        made = cls()
        made._columns = columns
        return made

    def copy(self) -> Records:
        """One of its own for whoever changes it; the columns are shared."""
        other = Records(self._own.items())
        other._columns, other._places = self._columns, self._places
        other._hidden = set(self._hidden)
        return other

    def put(self, path: str, record: Record) -> None:
        """Know a file as it is now."""
        if self._place(path) is not None:
            self._hidden.add(path)
        self._own[path] = record

    def drop(self, path: str) -> Record | None:
        """Forget a file; gives what was known of it."""
        record = self.get(path)
        if record is not None and self._own.pop(path, None) is None:
            self._hidden.add(path)
        return record

    def columns(self, order: Collection[str] = ()) -> Columns:
        """All of them in columns, in the order of some paths if that is told.

        Raises:
            OverflowError: a number is too large.
        """
        if self._columns is None or self._own or self._hidden or order:
            return as_columns(self, order)
        return self._columns

    def suspects(self, looks: Mapping[str, Look]) -> set[str] | None:
        """Files that may differ from a walk, if that gives them in the order of the columns.

        A folder that has not changed is listed as it was before: column by column a hundred
        thousand files are compared in the time that a dictionary of them takes to be made.
        """
        columns = self._columns
        if columns is None or len(looks) != len(columns.paths) or list(looks) != columns.paths:
            return None
        found = {*self._own, *self._hidden}
        for place, known in enumerate(columns.looks):
            try:
                seen = array(known.typecode, map(operator.itemgetter(place), looks.values()))
            except OverflowError:
                return None
            if seen != known:
                found.update(compress(columns.paths, map(operator.ne, seen, known)))
        return found

    def looks(self) -> dict[str, Look]:
        """By what a change of each file would show."""
        found = {} if self._columns is None else self._columns.by_path()
        for path in self._hidden:
            del found[path]
        found.update((path, _LOOK_OF(record)) for path, record in self._own.items())
        return found

    def _place(self, path: str) -> int | None:
        """Where a file stands in the columns, unless it was put or dropped since."""
        if self._columns is None:
            return None
        places = self._places
        if not places and self._columns.paths:
            paths = self._columns.paths
            # Made whole before it is known: others may ask meanwhile.
            places = self._places = dict(zip(paths, range(len(paths)), strict=True))
        return None if path in self._hidden else places.get(path)

    def __getitem__(self, path: str) -> Record:
        own = self._own.get(path)
        if own is not None:
            return own
        place = self._place(path)
        if place is None or self._columns is None:
            raise KeyError(path)
        return self._columns.record(place)

    def __contains__(self, path: object) -> bool:
        return path in self._own or (isinstance(path, str) and self._place(path) is not None)

    def __iter__(self) -> Iterator[str]:
        if self._columns is not None:
            yield from (path for path in self._columns.paths if path not in self._hidden)
        yield from self._own

    def __len__(self) -> int:
        held = 0 if self._columns is None else len(self._columns.paths)
        return held - len(self._hidden) + len(self._own)

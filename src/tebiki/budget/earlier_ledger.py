"""The ledger of earlier releases: lines of JSON in `ledger.jsonl` and the files before it.

They are read and never written: an earlier release that still runs may add to them, and what it
adds is taken over too. Three kinds of lines: a call that has ended, the start of one, and at the
top of a file a *carry*, what the day had cost when that file was begun.
"""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

from tebiki.budget.paid_calls import CallStart, record_of
from tebiki.named_tuples import NamedTuple
from tebiki.system.private_files import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import BinaryIO

    from tebiki.budget.paid_calls import Record

ENDING, DATABASE_ENDING = ".jsonl", ".db"

LONGEST_LINE = 4096
"""Bytes: ten times what a line has; a longer one is not ours."""

OLD_FILES = 3
"""Files before the one that is being written, the oldest with the highest number."""

IN_MEMORY = ":memory:"


class Carry(NamedTuple):
    """What the day had cost when a file was begun."""

    time: float
    spent_usd: float


class EarlierFile(NamedTuple):
    """A file that is there, and how it can be told that it has changed."""

    path: str
    size: int
    changed: int


def database_path(path: str) -> str:
    """Where the ledger is, for a path that may be one of an earlier release."""
    return path.removesuffix(ENDING) + DATABASE_ENDING if path.endswith(ENDING) else path


def name_beside(path: str) -> str:
    """What the file of an earlier release beside a database is called."""
    return path.removesuffix(DATABASE_ENDING) + ENDING


def files_of(path: str) -> Iterator[str]:
    """Where files of earlier releases may be, oldest first."""
    if path != IN_MEMORY:
        for number in range(OLD_FILES, 0, -1):
            # Those of a ledger that had another ending have its name.
            yield from (f"{name}.{number}" for name in (path, name_beside(path)))
        yield name_beside(path)


def changed_files(path: str, known: Mapping[str, tuple[int, int]]) -> list[EarlierFile]:
    """The files that are not known as they are now."""
    found = []
    for file in files_of(path):
        try:
            facts = os.lstat(file)
        except OSError:
            continue
        seen = (facts.st_size, facts.st_mtime_ns)
        if stat.S_ISREG(facts.st_mode) and known.get(os.path.basename(file)) != seen:
            found.append(EarlierFile(file, *seen))
    return found


def records_in(path: str) -> Iterator[Record | Carry | None]:
    """What a file says, line by line; None for a line that is none of ours.

    Raises:
        OSError: it cannot be read.
    """
    with open(open_regular(path, os.O_RDONLY), "rb") as file:
        for line in _lines(file):
            if line.strip():
                yield read_line(line)


def is_one(path: str) -> bool:
    """Tell whether a file begins as the ledger of an earlier release does."""
    try:
        return next(records_in(path), None) is not None
    except OSError:
        return False


def read_line(line: bytes) -> Record | Carry | None:
    """Read one line; None when it is none of ours."""
    if len(line) > LONGEST_LINE:
        return None
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    if "start" in fields:
        return record_of({**fields, "id": fields["start"], "outcome": None})
    if "carry_usd" in fields:
        carried = record_of(
            {"time": fields.get("time"), "id": "", "held_usd": fields["carry_usd"], "outcome": None}
        )
        return Carry(carried.time, carried.held_usd) if isinstance(carried, CallStart) else None
    return record_of({**fields, "outcome": fields.get("outcome", "")})


def _lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(LONGEST_LINE + 2):
        yield line.removesuffix(b"\n")
        while len(line) > LONGEST_LINE + 1 and not line.endswith(b"\n"):
            # No line of ours: passed over without being kept.
            line = file.readline(LONGEST_LINE + 2)

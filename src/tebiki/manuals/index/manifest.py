"""What an index notes beside the engine's files: what it knows of each file, and how its own look.

Small files, written whole or not at all, private, read only if unharmed: each is JSON below its
digest. The index names its state; a manifest of another state is not of it.

The engine maps its files into memory and trusts them: a changed byte can give wrong answers, and a
file cut short ends the process. So they are looked at before they are used, as any file is: size,
times, inode. The seal names the state it was taken of; a commit without one is simply newer.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

from tebiki.files import handles
from tebiki.files.handles import Kind, kind_of
from tebiki.manuals.index.private_folders import open_folder
from tebiki.manuals.index.values import NOTHING, add_lengths
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.files.handles import Look
    from tebiki.manuals.documents.walking import FileStat
    from tebiki.manuals.index.values import Lengths

MOST_BYTES = 256 * 1024 * 1024
PRIVATE = 0o600
_REPLACE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


class Broken(Exception):
    """The stored index cannot be used; it is to be built anew. Never leaves this package."""


class Missing(Broken):
    """There is no index yet."""


def write_json(folder: str, name: str, value: Any) -> None:
    """Write a value in place of what was there."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    with open_folder(folder) as top:
        descriptor = top.open(f"{name}.new", _REPLACE, PRIVATE)
        with open(descriptor, "wb") as file:
            file.write(_digest(body) + b"\n" + body)
        top.rename(f"{name}.new", name)


def read_json(folder: str, name: str) -> Any:
    """Read a value; None when there is no such file.

    Raises:
        Broken: there is something else.
    """
    try:
        with open_folder(folder) as top:
            descriptor = top.open(name, handles.READ)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        if kind_of(os.fstat(file.fileno())) is not Kind.FILE:
            raise Broken(f"{name} is no file")
        digest, _, body = file.read(MOST_BYTES).partition(b"\n")
    if digest != _digest(body):
        raise Broken(f"{name} was changed")
    return json.loads(body)


def remove_path(path: str) -> None:
    """Remove a file, a link, or a folder with all that is in it; nothing may be there."""
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil  # a fresh index removes nothing

        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).hexdigest().encode()


GRAIN_NS = 2_000_000_000
"""A file changed so shortly before it was read may change again without its times showing it."""

CONTENTS = 1 << 256


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
    """The files of one state of an index, with their sums, which a change only adds to."""

    __slots__ = (
        "_looks",
        "_unread",
        "commits",
        "content",
        "files",
        "has_removed",
        "lengths",
        "sections",
        "state",
    )

    def __init__(self, state: str = "") -> None:
        self.state = state
        self.files: dict[str, Record] = {}
        self.has_removed = False
        self.commits = 0
        self.sections = 0
        self.lengths: Lengths = NOTHING
        self.content = 0
        self._looks: dict[str, Look] | None = None
        self._unread: dict[str, str] | None = None

    def copy(self) -> Manifest:
        """One of its own for whoever goes on from here."""
        from copy import copy  # only when something has changed

        other = copy(self)
        other.files = dict(self.files)
        other._looks = None if self._looks is None else dict(self._looks)
        return other

    def put(self, path: str, record: Record) -> None:
        """Know a file as it is now."""
        self.drop(path)
        self.files[path] = record
        self._count(path, record, 1)
        if self._looks is not None and record.is_settled:
            self._looks[path] = record[:4]

    def drop(self, path: str) -> Record | None:
        """Forget a file; gives what was known of it."""
        record = self.files.pop(path, None)
        if record is not None:
            self._count(path, record, -1)
            if self._looks is not None:
                self._looks.pop(path, None)
        return record

    def _count(self, path: str, record: Record, times: int) -> None:
        self.sections += times * record.sections
        self.lengths = add_lengths(self.lengths, record.lengths, times)
        # A sum of digests: the order of the files is no matter, nor are files that did not change.
        self.content = (self.content + times * _number_of(path, record)) % CONTENTS
        self._unread = None

    def fingerprint(self) -> str:
        """A digest of the contents of all files."""
        return f"{self.content:064x}"

    def looks(self) -> dict[str, Look]:
        """By what a change would show, of each file of which a change would show."""
        if self._looks is None:
            self._looks = {path: one[:4] for path, one in self.files.items() if one.is_settled}
        return self._looks

    def know_looks(self, looks: dict[str, Look]) -> None:
        """Know the same looks by other tuples: the next walk has these, and compares quicker."""
        self._looks = dict(looks)

    def unread(self) -> dict[str, str]:
        """Why some files gave nothing."""
        if self._unread is None:
            self._unread = {path: one.reason for path, one in self.files.items() if one.reason}
        return self._unread

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
        records = map(Record._make, zip(*columns, strict=True))
        manifest.files = dict(zip(paths, records, strict=True))
        manifest.has_removed, manifest.commits = has_removed, commits
        manifest.sections = int(sections)
        body, title, trail, place, links = map(int, lengths)
        manifest.lengths = (body, title, trail, place, links)
        manifest.content = int(content, 16)
    except (ValueError, TypeError):
        return None
    return manifest


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


OPEN_ENDED = (".managed.json", ".lock", ".tmp")
"""Names, or how they end, of what the engine changes without a commit."""

Mark = tuple[int, ...]


class Seal(NamedTuple):
    """The marks of the engine's files at a state, by name."""

    state: str = ""
    marks: dict[str, Mark] = {}  # noqa: RUF012 -- never changed

    def is_harmed(self, marks: dict[str, Mark | None], meta: str) -> bool:
        """Tell whether files were changed in place, which the engine never does.

        To be asked before the engine touches them. A commit removes files and replaces `meta`.
        """
        return any(
            mark is not None and mark != self.marks[name]
            for name, mark in marks.items()
            if name != meta
        )

    def to_json(self) -> list[Any]:
        """Give what `seal_from` takes."""
        return [self.state, self.marks]


def seal_from(value: Any) -> Seal:
    """Read a seal; nothing at all is one of no state.

    Raises:
        Broken: it is none.
    """
    if value is None:
        return Seal()
    try:
        state, marks = value
        return Seal(str(state), {str(name): tuple(mark) for name, mark in marks.items()})
    except (ValueError, TypeError, AttributeError):
        raise Broken("no seal") from None


def take_seal(folder: str, state: str) -> Seal:
    """Take the seal of the engine's files as they are, and make them private."""
    marks: dict[str, Mark] = {}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(OPEN_ENDED):
            path = os.path.join(folder, name)
            status = os.lstat(path)
            if status.st_mode & 0o077 and kind_of(status) is Kind.FILE:
                # Only then, since it changes a mark that the seal before this one has.
                os.chmod(path, PRIVATE)
            if (mark := mark_of(path)) is not None:
                marks[name] = mark
    return Seal(state, marks)


def marks_of(folder: str, names: tuple[str, ...]) -> dict[str, Mark | None]:
    """The marks of files as they are now."""
    return {name: mark_of(os.path.join(folder, name)) for name in names}


def mark_of(path: str) -> Mark | None:
    """By what a change of a file shows; None when there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_mode)

"""What an import wrote to a manual, from where: lines of JSON in the user's state folder.

A line is added before each write. So a kill between the two leaves either the old text, which the
line still knows, or the new one; both are known to be ours.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, Self

from tebiki.errors import Conflict
from tebiki.named_tuples import NamedTuple
from tebiki.system.file_locks import try_lock, unlock
from tebiki.system.private_files import open_regular

if TYPE_CHECKING:
    from types import TracebackType

FORM = 1
PRIVATE_FOLDER = 0o700
SPARE_LINES = 1_000
"""Lines beyond those in force before a manifest is written anew."""


class WrittenFile(NamedTuple):
    """One file of Markdown: from what it was made, and the hash it was written with.

    `before` is the hash of what it took the place of, in case it never did.
    """

    output: str
    source: str
    inside: str
    root: str
    sha256: str
    converter: str
    written: str
    before: str = ""
    part: int = 0
    parts: int = 1
    status: str = "imported"
    unread: tuple[int, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """The file it was made from."""
        return self.source, self.inside


class ImportRecord:
    """The record of one manual, held by one process at a time."""

    def __init__(self, folder: str, manual: str) -> None:
        name = hashlib.sha256(os.fsencode(manual)).hexdigest()[:24]
        self._manual = manual
        self._path = os.path.join(folder, f"{name}.jsonl")
        self._lock_path = os.path.join(folder, f"{name}.lock")
        self._folder = folder
        self._file = self._lock = -1
        self._is_torn = False
        self._by_output: dict[str, WrittenFile] = {}
        self._roots: dict[str, None] = {}

    def __enter__(self) -> Self:
        """Hold the record.

        Raises:
            Conflict: somebody else imports into this manual, or there is no place for a record.
        """
        try:
            os.makedirs(self._folder, PRIVATE_FOLDER, exist_ok=True)
            self._lock = open_regular(self._lock_path, os.O_RDWR | os.O_CREAT)
            self._file = open_regular(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as wrong:
            why = wrong.strerror or "it is something else"
            raise Conflict(f"no record of the import can be kept: {why}") from wrong
        if not try_lock(self._lock):
            raise Conflict("another import into this manual is running; wait for its end")
        self._load()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        unlock(self._lock)
        os.close(self._file)
        os.close(self._lock)

    @property
    def roots(self) -> list[str]:
        """What was typed as a source, ever."""
        return list(self._roots)

    @property
    def entries(self) -> list[WrittenFile]:
        """Everything that was written."""
        return list(self._by_output.values())

    def at(self, output: str) -> WrittenFile | None:
        """What was written to a place."""
        return self._by_output.get(output)

    def parts_of(self, one: WrittenFile) -> list[WrittenFile]:
        """All files that were made from the same file, with the same place to begin with."""
        same = [other for other in self._by_output.values() if other.key == one.key]
        stem = one.output.removesuffix(".md")
        return [other for other in same if other.output.startswith(stem)]

    def note_root(self, root: str) -> None:
        """Note a source that was typed.

        Raises:
            Conflict: there is no place for it.
        """
        if root in self._roots:
            return
        try:
            self._add({"root": root})
        except OSError as wrong:
            raise Conflict(f"no record of the import can be kept: {wrong.strerror}") from wrong
        self._roots[root] = None

    def note(self, one: WrittenFile) -> None:
        """Note a file that is about to be written."""
        self._add({**one._asdict(), "unread": list(one.unread)})
        self._by_output[one.output] = one

    def forget(self, output: str) -> None:
        """Note that a file was removed."""
        del self._by_output[output]
        self._add({"gone": output})

    def _load(self) -> None:
        with open(self._path, "rb") as file:
            lines = file.read().split(b"\n")
        if lines[-1]:
            # A kill in the middle of a line: the next one must not be glued to it.
            os.write(self._file, b"\n")
        for line in lines:
            try:
                self._apply(json.loads(line))
            except (ValueError, TypeError, KeyError):
                continue  # a line that was cut off; what it was to announce was not written
        if len(lines) > 2 * (len(self._by_output) + len(self._roots)) + SPARE_LINES:
            self._write_anew()

    def _apply(self, line: dict[str, Any]) -> None:
        if "output" in line:
            line["unread"] = tuple(line["unread"])
            self._by_output[line["output"]] = WrittenFile(**line)
        elif "gone" in line:
            self._by_output.pop(line["gone"], None)
        elif "root" in line:
            self._roots[line["root"]] = None

    def _write_anew(self) -> None:
        held = f"{self._path}.new"
        os.close(self._file)
        self._file = open_regular(held, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
        for root in self._roots:
            self._add({"root": root}, is_safe=False)
        for one in self._by_output.values():
            self._add({**one._asdict(), "unread": list(one.unread)}, is_safe=False)
        os.fsync(self._file)
        os.replace(held, self._path)

    def _add(self, line: dict[str, Any], *, is_safe: bool = True) -> None:
        told = {"form": FORM, "manual": self._manual} if not os.fstat(self._file).st_size else None
        for one in (told, line):
            if one is not None:
                self._write(json.dumps(one).encode() + b"\n")
        if is_safe:
            os.fsync(self._file)

    def _write(self, line: bytes) -> None:
        """Write a line; one that a full disk cut off is ended before the next."""
        left = memoryview(b"\n" + line if self._is_torn else line)
        self._is_torn = True
        while left:
            left = left[os.write(self._file, left) :]
        self._is_torn = False

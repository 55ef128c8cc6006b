"""Files on their way into an index: read, parted into sections, made ready for an engine.

Here one after the other; a long build has it done by other processes (`builders`).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Protocol

from tebiki.errors import InvalidArguments
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tebiki.manuals.documents.walking import FileStat
    from tebiki.manuals.index.packing import PackedSection

FEW_BYTES = 60_000
"""What so little takes is no longer than a caller may wait who is out of time."""


class FileRead(NamedTuple):
    """A file as it was read: its bytes and their digest, or the reason why it is not searched.

    `is_known` of one whose sections the index has, `is_settled` of one whose next change will show.
    """

    file: FileStat
    data: bytes
    digest: str
    reason: str | None
    is_known: bool
    is_settled: bool


class ReadySections(NamedTuple):
    """What a file gives: its sections, made ready as they are taken; or why it gives none."""

    sections: Iterable[PackedSection]
    reason: str | None = None


Preparation = tuple[FileRead, ReadySections]


class Preparing(Protocol):
    """Makes files ready, in their order."""

    def __call__(
        self, files: Iterator[FileRead], check: Callable[[], None]
    ) -> Iterator[Preparation]:
        """Each file with what it gives; `check` is called often, and may raise."""


def digest_of(data: bytes) -> str:
    """By what the contents of a file are known."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def prepare(path: str, data: bytes, check: Callable[[], None]) -> ReadySections:
    """Part a file, and make its sections ready; `check` is called often, and may raise."""
    # A fresh index parses nothing.
    from tebiki.manuals.documents.parting import sections_of
    from tebiki.manuals.index.packing import pack

    if len(data) <= FEW_BYTES:
        check = _go_on
    try:
        sections = sections_of(path, data, check)
    except InvalidArguments:
        return ReadySections((), "encoding")
    return ReadySections(pack(sections, check))


def prepare_here(files: Iterator[FileRead], check: Callable[[], None]) -> Iterator[Preparation]:
    """Make files ready in this thread, one by one."""
    return ((read, prepare_one(read, check)) for read in files)


def prepare_one(read: FileRead, check: Callable[[], None]) -> ReadySections:
    """What a file gives; nothing where that is known, or where it is not searched."""
    if read.is_known or read.reason is not None:
        return ReadySections((), read.reason)
    return prepare(read.file.path, read.data, check)


def _go_on() -> None:
    """Small files are not left off in the middle."""

"""The steps that every build takes: files are read, and made ready here or elsewhere."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from tebiki.errors import NotFound
from tebiki.manuals.documents.folders import Skipped
from tebiki.manuals.index.manifest import is_settled
from tebiki.manuals.index.preparing import FileRead, digest_of, prepare_here
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.manuals.documents.sources import ManualSource
    from tebiki.manuals.documents.walking import FileStat
    from tebiki.manuals.index.batch import Batch
    from tebiki.manuals.index.preparing import Preparing

LONG_BUILD_BYTES = 4_000_000
"""A second or two of one processor: for less others need not come up."""


class Pace(NamedTuple):
    """Whoever waits for a build: `check` may raise, and `progress` hears how far it is."""

    check: Callable[[], None]
    progress: Callable[[int, int], None]
    now_ns: Callable[[], int]


def read_files(
    source: ManualSource, stale: list[FileStat], batch: Batch, pace: Pace
) -> Iterator[FileRead]:
    """Read files one by one, and tell how far that is."""
    with source.reader() as reader:
        for done, file in enumerate(stale):
            pace.check()
            pace.progress(done, len(stale))
            try:
                data = reader.contents(file.path)
            except NotFound:
                batch.remove(file.path)
                continue
            told, digest, reason = b"", "", None
            if isinstance(data, Skipped):
                reason = data.reason
            else:
                told, digest = data, digest_of(data)
            is_known = batch.knows(file.path, digest, reason)
            yield FileRead(file, told, digest, reason, is_known, is_settled(file, pace.now_ns()))


@contextlib.contextmanager
def preparing(stale: list[FileStat]) -> Iterator[Preparing]:
    """Who makes files ready: this thread, or for a long build other processes."""
    size = sum(file.size for file in stale)
    if size < LONG_BUILD_BYTES:
        yield prepare_here
        return
    from tebiki.manuals.index.builders import Builders, count_builders  # most builds are short

    with Builders(count_builders()) as builders:
        yield builders.prepare

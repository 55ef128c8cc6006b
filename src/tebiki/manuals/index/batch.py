"""Changes on their way into an index: files put and removed, then one commit for all of them.

What has changed, and when to stop, is `refresh`'s business.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tebiki.manuals.index.engine import contain_failures
from tebiki.manuals.index.records import Record
from tebiki.manuals.index.values import sum_lengths

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from tebiki.manuals.index.manifest import Manifest
    from tebiki.manuals.index.packing import PackedSection
    from tebiki.manuals.index.preparing import FileRead, ReadySections
    from tebiki.manuals.index.protocols import IndexWriter, State, Store
    from tebiki.manuals.index.values import Lengths

BYTES_PER_COMMIT = 16_000_000
"""A build that is interrupted goes on from its last commit."""

FEW_BYTES_TO_COMMIT = 8_000
"""What so little takes to commit is no longer than a caller may wait who is out of time."""


class Batch:
    """Changes of one store; the engine's writer is opened by the first real one.

    `order` has all paths as they are going to be compared again.
    """

    def __init__(self, store: Store, state: State, order: Collection[str] = ()) -> None:
        self._store = store
        self._order = order
        self._manifest = state.manifest
        self._is_given = True
        self._is_sealed = state.is_sealed
        self._writer: IndexWriter | None = None
        self._waiting = 0
        self._is_touched = False

    @property
    def manifest(self) -> Manifest:
        """What is known, with all that was put and removed."""
        return self._manifest

    @property
    def is_small(self) -> bool:
        """Tell whether a commit takes no longer than a caller may wait who is out of time."""
        return self._waiting <= FEW_BYTES_TO_COMMIT

    @property
    def is_committed(self) -> bool:
        """Tell whether nothing waits for a commit."""
        return not self._is_touched

    @property
    def is_large(self) -> bool:
        """Tell whether a commit is due."""
        return self._waiting >= BYTES_PER_COMMIT

    def remove(self, path: str) -> None:
        """Forget a file."""
        record = self._own().drop(path)
        if record is not None:
            self._is_touched = True
            self._take_out(path, record)

    def remove_all(self, paths: list[str]) -> None:
        """Forget files."""
        for path in paths:
            self.remove(path)

    def knows(self, path: str, digest: str, reason: str | None) -> bool:
        """Tell whether a file with such contents is in the index, or left out for that reason."""
        old = self._manifest.files.get(path)
        return old is not None and old.digest == digest and old.reason in {reason, "encoding"}

    def put(self, read: FileRead, prepared: ReadySections) -> None:
        """Know a file as it is now; if its sections cannot all be taken, it is not known at all."""
        file = read.file
        old = self._manifest.files.get(file.path)
        stat = (file.size, file.mtime_ns, file.ctime_ns, file.inode)
        if old is not None and read.is_known:
            sections, lengths, reason = old.sections, old.lengths, old.reason
        else:
            self._is_touched = True
            if old is not None:
                self.remove(file.path)
            sections, lengths = self._add(file.path, prepared.sections, read.digest)
            reason = prepared.reason
            self._waiting += len(read.data)
        record = Record(*stat, read.digest, sections, *lengths, read.is_settled, reason)
        if record != old:
            self._is_touched = True
            self._own().put(file.path, record)

    def commit(self) -> None:
        """Make what there is the newest state."""
        if not self._is_touched:
            return
        self._own().advance()
        self._manifest.order = self._order
        if self._writer is not None and self._waiting:
            self._manifest.state = os.urandom(8).hex()
            self._manifest.commits += 1
            self._is_sealed = False
            self._store.announce(self._manifest)
            with contain_failures():
                self._writer.commit(self._manifest.state)
        self._store.save(self._manifest)
        self._manifest.order = ()
        self._is_given = True
        self._waiting = 0
        self._is_touched = False

    def finish(self) -> None:
        """Commit, and let go of the engine."""
        self.commit()
        writer, self._writer = self._writer, None
        if writer is not None:
            with contain_failures():
                writer.close()
        if not self._is_sealed:
            self._store.seal(self._manifest.state)

    def abandon(self) -> None:
        """Let go of an engine that failed; what is not committed is lost."""
        self._writer = None

    def _add(
        self, path: str, sections: Iterable[PackedSection], digest: str
    ) -> tuple[int, Lengths]:
        every: list[Lengths] = []
        is_whole = False
        try:
            for packed in sections:
                self._open_writer().put(packed, digest)
                every.append(packed.lengths)
            is_whole = True
        finally:
            if every and not is_whole:
                self._open_writer().remove(path)
                self._own().has_removed = True
        return len(every), sum_lengths(every)

    def _take_out(self, path: str, record: Record) -> None:
        if record.sections:
            self._open_writer().remove(path)
            self._own().has_removed = True
            self._waiting += 1

    def _own(self) -> Manifest:
        """The manifest, to be changed: one that was given away stays as it is."""
        if self._is_given:
            self._manifest, self._is_given = self._manifest.copy(), False
        return self._manifest

    def _open_writer(self) -> IndexWriter:
        if self._writer is None:
            self._writer = self._store.write()
        return self._writer

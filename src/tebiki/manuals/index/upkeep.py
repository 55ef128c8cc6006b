"""Keeps the index of a manual fresh: what changed on disk is indexed before a question is asked.

Every find walks and stats; only changed files are read. Shared by threads and processes.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tebiki.errors import InvalidArguments, NotFound
from tebiki.manuals.index.engine import FAILURES
from tebiki.manuals.index.manifest import Manifest, Record, is_settled
from tebiki.manuals.index.store import Broken, FolderStore, MemoryStore
from tebiki.manuals.walking import Skipped, contents, walked

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.files.paths import Root
    from tebiki.manuals.index.engine import Writing
    from tebiki.manuals.index.store import Store
    from tebiki.manuals.index.values import Postings
    from tebiki.manuals.walking import FileStat, Walk

SECTIONS_PER_COMMIT = 20_000
"""A build that is interrupted goes on from its last commit."""

COMMITS_PER_MERGE = 16
"""So often a writer waits for the engine to merge its parts."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """A state to search, and the files it does not hold: left out for good, or out of time."""

    postings: Postings
    files: int
    sections: int
    skipped: tuple[Skipped, ...]
    late: tuple[str, ...]
    paths: frozenset[str]
    fingerprint: str


class ManualIndex:
    """The index of one manual; without a folder that can be written it lives in memory."""

    def __init__(
        self,
        root: Root,
        manual_id: str,
        folder: str | None,
        *,
        now_ns: Callable[[], int],
        log: Callable[[str], None],
    ) -> None:
        self._root = root
        self._manual_id = manual_id
        self._now_ns = now_ns
        self._log = log
        self._lock = threading.Lock()
        self._fingerprint: tuple[str, str] = ("", "")
        self._store: Store = self._first_store(folder)

    def fresh(
        self,
        stop: Callable[[], bool],
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> Fresh:
        """Bring the index up to date as far as `stop` allows, and give its state.

        Raises:
            NotFound: there is no such manual.
            Forbidden: it is a link, or may not be listed.
        """
        walk = walked(self._root, self._manual_id, stop)
        with self._lock:
            try:
                return self._up_to_date(walk, stop, progress)
            except (Broken, *FAILURES) as error:
                return self._begun_anew(walk, stop, progress, error)

    def _up_to_date(
        self, walk: Walk, stop: Callable[[], bool], progress: Callable[[int, int], None]
    ) -> Fresh:
        manifest, postings = self._store.state()
        if walk.is_whole and self._stale(walk, manifest):
            with self._store.held(stop) as is_held:
                if is_held:
                    manifest, _ = self._store.state()
                    self._update(walk, manifest, stop, progress)
                manifest, postings = self._store.state()
        return self._given(walk, manifest, postings)

    def _begun_anew(
        self,
        walk: Walk,
        stop: Callable[[], bool],
        progress: Callable[[int, int], None],
        error: Exception,
    ) -> Fresh:
        """Build again in the same place, and if even that fails, in memory."""
        try:
            with self._store.held(stop) as is_held:
                if is_held:
                    self._wipe_if_broken(error)
            return self._up_to_date(walk, stop, progress)
        except (Broken, *FAILURES) as second:
            self._log(
                f"index of {self._manual_id}: cannot be kept ({_words(second)}); using memory"
            )
            self._store = MemoryStore()
            return self._up_to_date(walk, stop, progress)

    def _wipe_if_broken(self, error: Exception) -> None:
        try:
            self._store.state()
        except (Broken, *FAILURES):
            if not isinstance(error, Broken):
                self._log(f"index of {self._manual_id}: broken ({_words(error)}); building anew")
            self._store.wipe()

    def _first_store(self, folder: str | None) -> Store:
        if folder is None:
            return MemoryStore()
        try:
            return FolderStore(folder)
        except OSError as error:
            self._log(f"index of {self._manual_id}: no cache ({_words(error)}); using memory")
            return MemoryStore()

    def _stale(self, walk: Walk, manifest: Manifest) -> bool:
        if walk.files.keys() != manifest.files.keys():
            return True
        return any(
            not record.is_settled or not record.matches(walk.files[path])
            for path, record in manifest.files.items()
        )

    def _update(
        self,
        walk: Walk,
        manifest: Manifest,
        stop: Callable[[], bool],
        progress: Callable[[int, int], None],
    ) -> None:
        """Index what changed; commits when all is done, and now and then on the way."""
        new = replace(manifest, files=dict(manifest.files))
        batch = _Batch(self._store, new)
        gone = sorted(new.files.keys() - walk.files.keys())
        changed = [file for path, file in walk.files.items() if _is_stale(new, path, file)]
        for path in gone:
            batch.remove(path)
        try:
            for done, file in enumerate(changed):
                if stop():
                    break
                progress(done, len(changed))
                self._index(file, batch)
            else:
                progress(len(changed), len(changed))
            batch.finish()
        finally:
            batch.close()

    def _index(self, file: FileStat, batch: _Batch) -> None:
        try:
            data = contents(self._root, self._manual_id, file.path)
        except NotFound:
            batch.remove(file.path)
            return
        settled = is_settled(file, self._now_ns())
        if isinstance(data, Skipped):
            batch.put(file, "", settled, data.reason)
            return
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        batch.put(file, digest, settled, None, data)

    def _given(self, walk: Walk, manifest: Manifest, postings: Postings) -> Fresh:
        late = tuple(
            path for path, file in walk.files.items() if not _is_known(manifest, path, file)
        )
        if not walk.is_whole:
            # Not seen again is not gone: nobody has looked.
            late += tuple(path for path in manifest.files if path not in walk.files)
        unread = tuple(
            Skipped(path, record.reason)
            for path, record in manifest.files.items()
            if record.reason and path in walk.files
        )
        paths = frozenset(walk.files if walk.is_whole else walk.files | manifest.files.keys())
        if self._fingerprint[0] != manifest.state or not manifest.state:
            self._fingerprint = (manifest.state, manifest.fingerprint())
        return Fresh(
            postings,
            len(paths) - len(late) - len(unread),
            postings.sections,
            walk.skipped + unread,
            late,
            paths,
            self._fingerprint[1],
        )


class _Batch:
    """Changes on their way into an index; the writer is opened by the first real one."""

    def __init__(self, store: Store, manifest: Manifest) -> None:
        self._store = store
        self._manifest = manifest
        self._writer: Writing | None = None
        self._waiting = 0
        self._is_touched = False

    def remove(self, path: str) -> None:
        """Forget a file."""
        record = self._manifest.files.pop(path, None)
        if record is not None:
            self._is_touched = True
            self._take_out(path, record)

    def put(
        self, file: FileStat, digest: str, settled: bool, reason: str | None, data: bytes = b""
    ) -> None:
        """Know a file as it is now."""
        old = self._manifest.files.get(file.path)
        self._is_touched = True
        stat = (file.size, file.mtime_ns, file.ctime_ns, file.inode)
        if old is not None and old.digest == digest and old.reason == reason:
            self._manifest.files[file.path] = Record(
                *stat, digest, old.sections, old.length, settled, reason
            )
            return
        if old is not None:
            self._take_out(file.path, old)
        sections = length = 0
        if reason is None:
            try:
                sections, length = self._add(file.path, data)
            except InvalidArguments:
                reason = "encoding"
        self._manifest.files[file.path] = Record(*stat, digest, sections, length, settled, reason)
        if self._waiting >= SECTIONS_PER_COMMIT:
            self.finish()

    def finish(self) -> None:
        """Commit what there is, then the manifest that belongs to it."""
        if self._writer is not None and self._waiting:
            self._manifest.state = secrets.token_hex(8)
            self._manifest.commits += 1
            self._writer.commit(self._manifest.state)
            self._waiting = 0
        if self._is_touched:
            self._store.save(replace(self._manifest, files=dict(self._manifest.files)))
            self._is_touched = False

    def close(self) -> None:
        """Let go of the engine."""
        if self._writer is not None:
            self._writer.close(settle=self._manifest.commits % COMMITS_PER_MERGE == 0)
            self._writer = None

    def _add(self, path: str, data: bytes) -> tuple[int, int]:
        from tebiki.manuals.documents import sections_of  # a find over a fresh index parses nothing

        found = sections_of(path, data)
        writer = self._opened()
        length = sum(writer.add(section) for section in found)
        self._waiting += len(found) + 1
        return len(found), length

    def _take_out(self, path: str, record: Record) -> None:
        if record.sections:
            self._opened().remove(path)
            self._manifest.has_removed = True
            self._waiting += 1

    def _opened(self) -> Writing:
        if self._writer is None:
            self._writer = self._store.write()
        return self._writer


def _is_stale(manifest: Manifest, path: str, file: FileStat) -> bool:
    record = manifest.files.get(path)
    return record is None or not record.is_settled or not record.matches(file)


def _is_known(manifest: Manifest, path: str, file: FileStat) -> bool:
    # An unsettled record was read again just now, or the time for it was missing: then it is late
    # only when its times show a change.
    record = manifest.files.get(path)
    return record is not None and record.matches(file)


def _words(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__

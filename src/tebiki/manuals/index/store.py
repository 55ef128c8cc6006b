"""The folder of one index: its lock, its manifest, its engine; or none of them, in memory.

A commit of the engine is the one moment at which a new state begins: the manifest that belongs to
it is written before, and takes the place of the old one after. Whoever dies in between leaves
either state whole. What is in the index and when it is fresh is `refresh`'s business.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from typing import TYPE_CHECKING

from tebiki.errors import Conflict
from tebiki.files import handles, locks
from tebiki.files.handles import Kind, kind_of
from tebiki.files.privacy import PRIVATE_FILE, close_to_others
from tebiki.manuals.index import engine
from tebiki.manuals.index.manifest import Manifest
from tebiki.manuals.index.manifest_file import manifest_body, manifest_of
from tebiki.manuals.index.manifest_log import (
    LOG,
    append_change,
    as_change,
    follow,
    is_worth_a_line,
    read_changes,
)
from tebiki.manuals.index.postings import Reading
from tebiki.manuals.index.private_folders import open_folder, private_folder
from tebiki.manuals.index.protocols import State
from tebiki.manuals.index.small_files import (
    Broken,
    Mark,
    Missing,
    Seal,
    mark_of,
    marks_of,
    read_body,
    read_digest,
    read_json,
    remove_path,
    seal_from,
    size_of,
    take_seal,
    write_body,
    write_json,
)
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import tantivy

    from tebiki.manuals.index.values import Postings

MANIFEST = "files.json"
NEXT = "files.next.json"
SEAL = "seal.json"
LOCK = "lock"
ORIGIN = "origin.json"
POSTINGS = f"postings-{engine.FORMAT}"
ONE_WAIT_SECONDS = 0.02
TRIES = 25
KEY_CHARS = 24
PAUSE_SECONDS = 0.004


def indexes_folder(cache: str) -> str:
    """Where the indexes of all manuals live, in a folder of the user's cache."""
    return os.path.join(cache, "manuals")


def index_folder(cache: str, root: str, manual_id: str) -> str:
    """Where the index of a manual lives: keyed by the root and the manual."""
    key = hashlib.sha256(f"{os.path.realpath(root)}\0{manual_id}".encode()).hexdigest()
    return os.path.join(indexes_folder(cache), key[:KEY_CHARS])


class IndexOrigin(NamedTuple):
    """Of which manual an index is, so that it can be told when that is gone."""

    root: str
    manual_id: str


def note_origin(folder: str, origin: IndexOrigin) -> None:
    """Note of which manual an index is, once."""
    if not os.path.lexists(os.path.join(folder, ORIGIN)):
        write_json(folder, ORIGIN, list(origin))


def read_origin(folder: str) -> IndexOrigin | None:
    """Tell of which manual an index is; None where that was not noted."""
    try:
        root, manual_id = read_json(folder, ORIGIN)
    except (Broken, OSError, TypeError, ValueError):
        return None
    return IndexOrigin(str(root), str(manual_id))


@contextlib.contextmanager
def open_lock(folder: str) -> Iterator[int]:
    """Open the lock of an index.

    Raises:
        Broken: something else stands where the lock should be.
    """
    with open_folder(folder) as opened:
        descriptor = opened.open(LOCK, handles.APPEND, PRIVATE_FILE)
    try:
        if kind_of(os.fstat(descriptor)) is not Kind.FILE:
            raise Broken("the lock is no file")
        close_to_others(descriptor)
        yield descriptor
    finally:
        os.close(descriptor)


class _Kept(NamedTuple):
    """A manifest as it is on disk: the mark of its file, and up to where the changes are in it."""

    mark: Mark | None
    manifest: Manifest
    end: int


class FolderStore:
    """An index in a folder of the user's cache, shared by processes."""

    def __init__(self, folder: str, origin: IndexOrigin) -> None:
        self._folder = private_folder(folder)
        self._origin = origin
        self._postings = os.path.join(self._folder, POSTINGS)
        self._index: tantivy.Index | None = None
        self._known: State | None = None
        self._seal = Seal()
        self._announced = ""
        self._read: _Kept | None = None
        self._seen: tuple[dict[str, Mark | None], ...] = ()

    @contextlib.contextmanager
    def hold(self, stop: Callable[[], bool]) -> Iterator[bool]:
        """Hold the writer's lock; false when it was not free until `stop`.

        Raises:
            Broken: something else stands where the lock should be.
        """
        private_folder(self._folder)  # it may be deleted at any time
        with contextlib.ExitStack() as opened:
            descriptor = opened.enter_context(open_lock(self._folder))
            while True:
                try:
                    opened.enter_context(locks.hold_file(descriptor, "the index", ONE_WAIT_SECONDS))
                except Conflict:
                    if stop():
                        yield False
                        return
                    continue
                note_origin(self._folder, self._origin)
                yield True
                return

    def state(self) -> State:
        """The newest committed state.

        Raises:
            Broken: there is none that can be used.
        """
        for _ in range(TRIES):
            if self._known is not None and self._look(self._seal) == self._seen:
                return self._known
            seal = seal_from(read_json(self._folder, SEAL))
            seen = self._look(seal)
            if seal.is_harmed(seen[1], engine.META):
                raise Broken("its files were changed")
            with engine.contain_failures():
                known = self._load(seal, *seen)
            if known is not None:
                self._known, self._seal, self._seen = known, seal, seen
                return known
            # Another process commits right now.
            time.sleep(PAUSE_SECONDS)
        raise Broken("the manifest is not of this index")

    def write(self) -> engine.Writing:
        """Begin to change it; only while the lock is held."""
        self._clean()
        self._settle()
        index = self._open_index()
        engine.remove_uncommitted(self._postings)
        return engine.Writing(index)

    def announce(self, manifest: Manifest) -> None:
        """Keep the manifest of a state that is about to be committed."""
        if self._is_worth_a_line(manifest):
            write_json(self._folder, NEXT, as_change(manifest))
        else:
            write_body(self._folder, NEXT, manifest_body(manifest, engine.FORMAT))
        self._announced = manifest.state

    def save(self, manifest: Manifest) -> None:
        """Keep the manifest of the committed state: what changed, or all of it."""
        path, end = os.path.join(self._folder, MANIFEST), 0
        if self._read is not None and self._is_worth_a_line(manifest):
            end = append_change(self._folder, manifest, self._read.end)
            remove_path(os.path.join(self._folder, NEXT))
        else:
            digest = self._write_whole(path, manifest)
            manifest.begin_kin(digest)
            remove_path(os.path.join(self._folder, LOG))
        self._announced = ""
        self._read = _Kept(mark_of(path), manifest, end)

    def _settle(self) -> None:
        """Put the manifest of the newest state in its place.

        A writer that died right after its commit left it as announced only, and what is announced
        next would take its place: should that not be committed, no manifest would be of this index.
        """
        known, kept = self._known, self._read
        if known is not None and kept is not None and known.manifest.state != kept.manifest.state:
            self.save(known.manifest)

    def _write_whole(self, path: str, manifest: Manifest) -> str:
        """Write all of a manifest, unless that is done already; gives its digest."""
        if manifest.state != self._announced:
            digest = write_body(self._folder, MANIFEST, manifest_body(manifest, engine.FORMAT))
            remove_path(os.path.join(self._folder, NEXT))
            return digest
        os.replace(os.path.join(self._folder, NEXT), path)
        return read_digest(self._folder, MANIFEST)

    def _is_worth_a_line(self, manifest: Manifest) -> bool:
        """Tell whether a manifest is the next of the one on disk, and does not differ by much."""
        kept = self._read
        is_next = kept is not None and (manifest.base, manifest.revision) == (
            kept.manifest.base,
            kept.manifest.revision + 1,
        )
        return is_next and is_worth_a_line(manifest)

    def seal(self, state: str) -> None:
        """Note how the engine's files look, now that nothing writes them."""
        private_folder(self._postings)
        write_json(self._folder, SEAL, take_seal(self._postings, state).to_json())

    def wipe(self) -> None:
        """Begin anew; only while the lock is held."""
        self._index = self._known = self._read = None
        if os.path.isdir(self._postings) and not os.path.islink(self._postings):
            # A thread of the engine may still write there; what it leaves is removed later.
            os.rename(self._postings, f"{self._postings}-{os.urandom(4).hex()}")
        for name in (MANIFEST, NEXT, LOG, SEAL, POSTINGS):
            remove_path(os.path.join(self._folder, name))
            remove_path(os.path.join(self._folder, f"{name}.new"))
        self._open_index()
        self.save(Manifest(engine.EMPTY))

    def _look(self, seal: Seal) -> tuple[dict[str, Mark | None], ...]:
        """See whether anything changed since the known state was loaded."""
        ours = marks_of(self._folder, (MANIFEST, LOG, SEAL, os.path.join(POSTINGS, engine.META)))
        return ours, marks_of(self._postings, tuple(seal.marks))

    def _load(
        self, seal: Seal, ours: dict[str, Mark | None], marks: dict[str, Mark | None]
    ) -> State | None:
        """Load the state that is committed; None when it changes meanwhile."""
        manifest = self._manifest(ours[MANIFEST])
        announced = self._next_of(manifest)
        index = self._open_index()
        index.reload()
        # Its writer may have died between the commit and the last word on it.
        for one in (announced, manifest):
            reading = None if one is None else self._reading(index, one)
            if one is not None and reading is not None:
                is_sealed = seal.state == one.state
                if is_sealed and marks != seal.marks:
                    raise Broken("its files were changed")
                return State(one, reading, is_sealed)
        return None

    def _manifest(self, mark: Mark | None) -> Manifest:
        """The manifest in its place with the changes since, as far as not read before."""
        kept = self._read
        if kept is None or mark is None or kept.mark != mark:
            digest, body = read_body(self._folder, MANIFEST)
            if body is None:
                raise Missing
            if (manifest := manifest_of(body, engine.FORMAT)) is None:
                raise Broken("it has another format")
            manifest.begin_kin(digest)
            kept = _Kept(mark, manifest, 0)
        size = size_of(os.path.join(self._folder, LOG))
        if size > kept.end:
            manifest = kept.manifest.copy()
            end = read_changes(self._folder, manifest, kept.end)
            kept = _Kept(mark, manifest if end > kept.end else kept.manifest, end)
        self._read = kept
        return kept.manifest

    def _next_of(self, manifest: Manifest) -> Manifest | None:
        """The manifest that was announced, if it is one that comes next."""
        _, announced = read_body(self._folder, NEXT)
        if announced is None:
            return None
        if (whole := manifest_of(announced, engine.FORMAT)) is not None:
            return whole
        following = manifest.copy()
        return following if follow(following, json.loads(announced)) else None

    def _reading(self, index: tantivy.Index, manifest: Manifest) -> Postings | None:
        """The postings of a manifest, if they are its own."""
        found = reading_of(index, manifest)
        if not found.has_state(manifest.state):
            return None
        # What was asked for before is remembered there.
        is_known = self._known is not None and self._known.manifest.state == manifest.state
        return self._known.postings if self._known is not None and is_known else found

    def _open_index(self) -> tantivy.Index:
        if self._index is None:
            private_folder(self._postings)
        engine.require_files(self._postings)
        if self._index is None:
            self._index = engine.open_engine(self._postings)
        return self._index

    def _clean(self) -> None:
        """Remove what older versions of this program left."""
        for name in os.listdir(self._folder):
            if name.startswith("postings-") and name != POSTINGS:
                with contextlib.suppress(OSError):
                    remove_path(os.path.join(self._folder, name))


def reading_of(index: tantivy.Index, manifest: Manifest) -> Reading:
    """The postings of an index as a manifest counts them."""
    return Reading(
        index,
        manifest.sections,
        manifest.lengths,
        has_removed=manifest.has_removed,
        files=manifest.files,
    )

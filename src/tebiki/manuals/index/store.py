"""The folder of one index: its lock, its manifest, its engine; or none of them, in memory.

A commit of the engine is the one moment at which a new state begins: the manifest that belongs to
it is written before, and takes the place of the old one after. Whoever dies in between leaves
either state whole. What is in the index and when it is fresh is `refresh`'s business.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from typing import TYPE_CHECKING, Protocol

from tebiki.errors import Conflict
from tebiki.files import handles, locks
from tebiki.files.handles import Kind, kind_of
from tebiki.files.privacy import PRIVATE_FILE, close_to_others
from tebiki.manuals.index import engine
from tebiki.manuals.index.manifest import (
    Broken,
    Manifest,
    Mark,
    Missing,
    Seal,
    manifest_from,
    mark_of,
    marks_of,
    read_json,
    remove_path,
    seal_from,
    take_seal,
    write_json,
)
from tebiki.manuals.index.postings import Reading
from tebiki.manuals.index.private_folders import open_folder, private_folder
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import tantivy

MANIFEST = "files.json"
NEXT = "files.next.json"
SEAL = "seal.json"
LOCK = "lock"
ORIGIN = "origin.json"
POSTINGS = f"postings-{engine.FORMAT}"
META = "meta.json"
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


class State(NamedTuple):
    """A committed state: its manifest, its postings, and whether its files are sealed."""

    manifest: Manifest
    postings: Reading
    is_sealed: bool = True


class Store(Protocol):
    """Where an index is kept. All but `held` and `state` only while the lock is held."""

    @contextlib.contextmanager
    def held(self, stop: Callable[[], bool]) -> Iterator[bool]:
        """Hold the writer's lock; false when it was not free until `stop`."""

    def state(self) -> State:
        """The newest committed state."""

    def write(self) -> engine.Writing:
        """Begin to change it."""

    def announce(self, manifest: Manifest) -> None:
        """Keep the manifest of a state that is about to be committed."""

    def save(self, manifest: Manifest) -> None:
        """Keep the manifest of the committed state."""

    def seal(self, state: str) -> None:
        """Note how the engine's files look, now that nothing writes them."""

    def wipe(self) -> None:
        """Begin anew."""


class MemoryStore:
    """An index that ends with the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._index = engine.open_engine(None)
        self._manifest = Manifest()
        self._known: State | None = None

    @contextlib.contextmanager
    def held(self, stop: Callable[[], bool]) -> Iterator[bool]:
        """Keep other threads out."""
        while not self._lock.acquire(timeout=ONE_WAIT_SECONDS):
            if stop():
                yield False
                return
        try:
            yield True
        finally:
            self._lock.release()

    def state(self) -> State:
        """The newest committed state; what was asked for before is remembered there."""
        known, manifest = self._known, self._manifest
        if known is not None and known.manifest is manifest:
            return known
        self._index.reload()
        state = State(manifest, _reading(self._index, manifest))
        # Another thread may have committed between the two, or be about to say so.
        if state.postings.has_state(manifest.state):
            self._known = state
        return state

    def write(self) -> engine.Writing:
        """Begin to change it."""
        return engine.Writing(self._index)

    def announce(self, manifest: Manifest) -> None:
        """Nothing can come in between."""

    def save(self, manifest: Manifest) -> None:
        """Keep a manifest."""
        self._manifest = manifest

    def seal(self, state: str) -> None:
        """Nobody else can write it."""

    def wipe(self) -> None:
        """Begin anew."""
        self._index = engine.open_engine(None)
        self._manifest = Manifest()
        self._known = None


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
        self._read: tuple[Mark | None, Manifest] | None = None
        self._seen: tuple[dict[str, Mark | None], ...] = ()

    @contextlib.contextmanager
    def held(self, stop: Callable[[], bool]) -> Iterator[bool]:
        """Hold the writer's lock; false when it was not free until `stop`.

        Raises:
            Broken: something else stands where the lock should be.
        """
        private_folder(self._folder)  # it may be deleted at any time
        with contextlib.ExitStack() as opened:
            descriptor = opened.enter_context(open_lock(self._folder))
            while True:
                try:
                    opened.enter_context(locks.locked(descriptor, "the index", ONE_WAIT_SECONDS))
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
            if seal.is_harmed(seen[1], META):
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
        return engine.Writing(self._open_index())

    def announce(self, manifest: Manifest) -> None:
        """Keep the manifest of a state that is about to be committed."""
        write_json(self._folder, NEXT, manifest.to_json(engine.FORMAT))
        self._announced = manifest.state

    def save(self, manifest: Manifest) -> None:
        """Keep the manifest of the committed state."""
        path = os.path.join(self._folder, MANIFEST)
        if manifest.state == self._announced:
            os.replace(os.path.join(self._folder, NEXT), path)
        else:
            write_json(self._folder, MANIFEST, manifest.to_json(engine.FORMAT))
            remove_path(os.path.join(self._folder, NEXT))
        self._announced = ""
        self._read = (mark_of(path), manifest)

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
        for name in (MANIFEST, NEXT, SEAL, POSTINGS):
            remove_path(os.path.join(self._folder, name))
            remove_path(os.path.join(self._folder, f"{name}.new"))
        self._open_index()
        self.save(Manifest(engine.EMPTY))

    def _look(self, seal: Seal) -> tuple[dict[str, Mark | None], ...]:
        """See whether anything changed since the known state was loaded."""
        ours = marks_of(self._folder, (MANIFEST, SEAL, os.path.join(POSTINGS, META)))
        return ours, marks_of(self._postings, tuple(seal.marks))

    def _load(
        self, seal: Seal, ours: dict[str, Mark | None], marks: dict[str, Mark | None]
    ) -> State | None:
        """Load the state that is committed; None when it changes meanwhile."""
        manifest = self._manifest(ours[MANIFEST])
        announced = manifest_from(read_json(self._folder, NEXT), engine.FORMAT)
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
        """The manifest in its place, read again only if that has changed."""
        if self._read is not None and mark is not None and self._read[0] == mark:
            return self._read[1]
        if (stored := read_json(self._folder, MANIFEST)) is None:
            raise Missing
        if (manifest := manifest_from(stored, engine.FORMAT)) is None:
            raise Broken("it has another format")
        self._read = (mark, manifest)
        return manifest

    def _reading(self, index: tantivy.Index, manifest: Manifest) -> Reading | None:
        """The postings of a manifest, if they are its own."""
        found = _reading(index, manifest)
        if not found.has_state(manifest.state):
            return None
        # What was asked for before is remembered there.
        is_known = self._known is not None and self._known.manifest.state == manifest.state
        return self._known.postings if self._known is not None and is_known else found

    def _open_index(self) -> tantivy.Index:
        if self._index is None:
            private_folder(self._postings)
            self._index = engine.open_engine(self._postings)
        return self._index

    def _clean(self) -> None:
        """Remove what older versions of this program left."""
        for name in os.listdir(self._folder):
            if name.startswith("postings-") and name != POSTINGS:
                with contextlib.suppress(OSError):
                    remove_path(os.path.join(self._folder, name))


def _reading(index: tantivy.Index, manifest: Manifest) -> Reading:
    return Reading(
        index,
        manifest.sections,
        manifest.lengths,
        has_removed=manifest.has_removed,
        files=manifest.files,
    )

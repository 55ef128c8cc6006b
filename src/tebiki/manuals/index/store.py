"""The folder of one index: its lock, its manifest, its engine; or none of them, in memory.

What is in the index and when it is fresh is `upkeep`'s business.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from typing import TYPE_CHECKING, Protocol

from tebiki.errors import Conflict
from tebiki.files import handles, locks
from tebiki.manuals.index import engine
from tebiki.manuals.index.manifest import Manifest, loaded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import tantivy

MANIFEST = "files.json"
LOCK = "lock"
POSTINGS = f"postings-{engine.FORMAT}"
ONE_WAIT_SECONDS = 0.02
TRIES = 25
PAUSE_SECONDS = 0.004


def index_folder(cache: str, root: str, manual_id: str) -> str:
    """Where the index of a manual lives: keyed by the root and the manual."""
    key = hashlib.sha256(f"{os.path.realpath(root)}\0{manual_id}".encode()).hexdigest()[:24]
    return os.path.join(cache, "manuals", key)


class Broken(Exception):
    """The stored index cannot be used; it is to be built anew. Never leaves this package."""


class Store(Protocol):
    """Where an index is kept."""

    @contextlib.contextmanager
    def held(self, stop: Callable[[], bool]) -> Iterator[bool]:
        """Hold the writer's lock; false when it was not free until `stop`."""

    def state(self) -> tuple[Manifest, engine.Reading]:
        """The newest committed state."""

    def write(self) -> engine.Writing:
        """Begin to change it; only while the lock is held."""

    def save(self, manifest: Manifest) -> None:
        """Keep a manifest; only while the lock is held."""

    def wipe(self) -> None:
        """Begin anew; only while the lock is held."""


class MemoryStore:
    """An index that ends with the process."""

    def __init__(self) -> None:
        self._index = engine.open_engine(None)
        self._manifest = Manifest()

    @contextlib.contextmanager
    def held(self, stop: Callable[[], bool]) -> Iterator[bool]:
        """Nobody else is there."""
        del stop
        yield True

    def state(self) -> tuple[Manifest, engine.Reading]:
        """The newest committed state."""
        self._index.reload()
        return self._manifest, _reading(self._index, self._manifest)

    def write(self) -> engine.Writing:
        """Begin to change it."""
        return engine.Writing(self._index)

    def save(self, manifest: Manifest) -> None:
        """Keep a manifest."""
        self._manifest = manifest

    def wipe(self) -> None:
        """Begin anew."""
        self._index = engine.open_engine(None)
        self._manifest = Manifest()


class FolderStore:
    """An index in a folder of the user's cache, shared by processes."""

    def __init__(self, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        self._folder = os.path.realpath(folder)
        self._index: tantivy.Index | None = None
        self._seen: tuple[int, ...] = ()
        self._known: tuple[Manifest, engine.Reading] | None = None

    @contextlib.contextmanager
    def held(self, stop: Callable[[], bool]) -> Iterator[bool]:
        """Hold the writer's lock; false when it was not free until `stop`."""
        with contextlib.ExitStack() as kept:
            folder = kept.enter_context(handles.open_top(self._folder))
            while True:
                try:
                    kept.enter_context(locks.held(folder, LOCK, "the index", ONE_WAIT_SECONDS))
                except Conflict:
                    if stop():
                        yield False
                        return
                    continue
                yield True
                return

    def state(self) -> tuple[Manifest, engine.Reading]:
        """The newest committed state.

        Raises:
            Broken: there is none that can be used.
        """
        for _ in range(TRIES):
            seen = self._stamp()
            if self._known is not None and seen == self._seen:
                return self._known
            known = self._load()
            if known is not None:
                self._known, self._seen = known, seen
                return known
            # Another process has committed and not yet written its manifest.
            time.sleep(PAUSE_SECONDS)
        raise Broken

    def write(self) -> engine.Writing:
        """Begin to change it; only while the lock is held."""
        return engine.Writing(self._opened())

    def save(self, manifest: Manifest) -> None:
        """Keep a manifest: whole or not at all."""
        path = os.path.join(self._folder, MANIFEST)
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            file.write(manifest.dumped(engine.FORMAT))
        os.replace(f"{path}.new", path)
        self._known = None

    def wipe(self) -> None:
        """Begin anew; only while the lock is held."""
        self._index = None
        self._known = None
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self._folder, MANIFEST))
        shutil.rmtree(os.path.join(self._folder, POSTINGS), ignore_errors=True)
        self._opened()
        self.save(Manifest())

    def _stamp(self) -> tuple[int, ...]:
        try:
            status = os.stat(os.path.join(self._folder, MANIFEST))
        except FileNotFoundError:
            raise Broken from None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _load(self) -> tuple[Manifest, engine.Reading] | None:
        with open(os.path.join(self._folder, MANIFEST), encoding="utf-8") as file:
            manifest = loaded(file.read(), engine.FORMAT)
        if manifest is None:
            raise Broken
        index = self._opened()
        index.reload()
        reading = _reading(index, manifest)
        return (
            (manifest, reading) if not manifest.state or reading.has_state(manifest.state) else None
        )

    def _opened(self) -> tantivy.Index:
        if self._index is None:
            folder = os.path.join(self._folder, POSTINGS)
            os.makedirs(folder, exist_ok=True)
            self._index = engine.open_engine(folder)
        return self._index


def _reading(index: tantivy.Index, manifest: Manifest) -> engine.Reading:
    return engine.Reading(
        index, manifest.sections, manifest.length, has_removed=manifest.has_removed
    )

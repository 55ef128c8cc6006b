"""An index in memory, where there is no folder that can be written."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING

from tebiki.manuals.index import engine
from tebiki.manuals.index.manifest import Manifest
from tebiki.manuals.index.protocols import State
from tebiki.manuals.index.store import ONE_WAIT_SECONDS, reading_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class MemoryStore:
    """An index that ends with the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._index = engine.open_engine(None)
        self._manifest = _first_manifest()
        self._known: State | None = None

    @contextlib.contextmanager
    def hold(self, stop: Callable[[], bool]) -> Iterator[bool]:
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
        reading = reading_of(self._index, manifest)
        state = State(manifest, reading)
        # Another thread may have committed between the two, or be about to say so.
        if reading.has_state(manifest.state):
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
        self._manifest = _first_manifest()
        self._known = None


def _first_manifest() -> Manifest:
    """Of an index in memory; no other has its base."""
    manifest = Manifest()
    manifest.begin_kin(os.urandom(8).hex())
    return manifest

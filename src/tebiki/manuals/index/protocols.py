"""What keeps an index, whichever engine is behind it: a store, its states, and its writer.

No engine is named here, and no file: `store` keeps an index in a folder, `memory_store` in memory.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Protocol

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.manuals.index.manifest import Manifest
    from tebiki.manuals.index.packing import PackedSection
    from tebiki.manuals.index.values import Postings


class State(NamedTuple):
    """A committed state: its manifest, its postings, and whether its files are sealed."""

    manifest: Manifest
    postings: Postings
    is_sealed: bool = True


class IndexWriter(Protocol):
    """Changes of an index that become visible together."""

    def put(self, packed: PackedSection, digest: str) -> None:
        """Add a section of a file whose contents have a digest."""

    def remove(self, path: str) -> None:
        """Remove every section of a file."""

    def commit(self, state: str) -> None:
        """Make the changes visible, under the name of the new state."""

    def close(self) -> None:
        """Let go of the index."""


class Store(Protocol):
    """Where an index is kept. All but `hold` and `state` only while the lock is held."""

    @contextlib.contextmanager
    def hold(self, stop: Callable[[], bool]) -> Iterator[bool]:
        """Hold the writer's lock; false when it was not free until `stop`."""

    def state(self) -> State:
        """The newest committed state."""

    def write(self) -> IndexWriter:
        """Begin to change it."""

    def announce(self, manifest: Manifest) -> None:
        """Keep the manifest of a state that is about to be committed."""

    def save(self, manifest: Manifest) -> None:
        """Keep the manifest of the committed state."""

    def seal(self, state: str) -> None:
        """Note how the index looks, now that nothing writes it."""

    def wipe(self) -> None:
        """Begin anew."""

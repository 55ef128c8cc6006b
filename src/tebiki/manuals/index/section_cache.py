"""Sections that were loaded from the indexes at hand, for whoever asks next; not without bound.

One bound for all of them: a process may have many manuals open, and each find loads some hundred.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from typing import TYPE_CHECKING

from tebiki.manuals.index.packing import unpack
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tantivy import DocAddress, Searcher

    from tebiki.manuals.index.values import Stored

MOST_SECTIONS = 8192
MOST_HELD_BYTES = 32_000_000
HELD_BYTES_OF_ANY = 2_500
"""What a section takes in memory beside its texts: a score of small objects."""


class SectionRoom:
    """The room that sections of several indexes share; what was loaded first makes way first."""

    def __init__(
        self, most_bytes: int = MOST_HELD_BYTES, most_sections: int = MOST_SECTIONS
    ) -> None:
        self._most_bytes = most_bytes
        self._most_sections = most_sections
        self._lock = threading.Lock()
        self._loaded: deque[_Loaded] = deque()
        self._bytes = 0

    def keep(self, cache: SectionCache, key: tuple[int, int], stored: Stored, size: int) -> Stored:
        """Keep a section at hand; the last one stays, however long it is."""
        with self._lock:
            kept = cache.sections.setdefault(key, stored)
            if kept is stored:  # no thread was quicker
                self._loaded.append(_Loaded(weakref.ref(cache), key, size))
                self._bytes += size
            while self._is_full() and len(self._loaded) > 1:
                self._forget(self._loaded.popleft())
        return kept

    def _is_full(self) -> bool:
        return self._bytes > self._most_bytes or len(self._loaded) > self._most_sections

    def _forget(self, first: _Loaded) -> None:
        self._bytes -= first.size
        cache = first.cache()
        if cache is not None:  # it goes with the state of the index that it is of
            del cache.sections[first.key]


class _Loaded(NamedTuple):
    """What was loaded, by which cache, and what it takes."""

    cache: weakref.ref[SectionCache]
    key: tuple[int, int]
    size: int


ROOM = SectionRoom()
"""Of this process."""


class SectionCache:
    """What was loaded through one searcher; shared by threads."""

    __slots__ = ("__weakref__", "_room", "_searcher", "sections")

    def __init__(self, searcher: Searcher, room: SectionRoom = ROOM) -> None:
        self._searcher = searcher
        self._room = room
        self.sections: dict[tuple[int, int], Stored] = {}
        """By address; changed by the room alone."""

    def load(self, address: DocAddress) -> Stored:
        """The section at an address."""
        key = (address.segment_ord, address.doc)
        held = self.sections.get(key)
        if held is None:
            packed = self._searcher.doc(address)["stored"][0]
            # About what its texts take in memory, tokens included.
            held = self._room.keep(self, key, unpack(packed), len(packed) + HELD_BYTES_OF_ANY)
        return held

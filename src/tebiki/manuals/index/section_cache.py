"""Sections of one state that were loaded, at hand for whoever asks next; not without bound."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tebiki.manuals.index import packing

if TYPE_CHECKING:
    from tantivy import DocAddress, Searcher

    from tebiki.manuals.index.values import Stored

MOST_SECTIONS = 8192
MOST_CHARS = 8_000_000
KEPT = 0.95
"""Of what may be at hand, when it is too much: so little is forgotten that no find waits for it."""


class SectionCache:
    """What was loaded through one searcher; shared by threads."""

    __slots__ = ("_chars", "_room", "_searcher", "_sections")

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher
        self._sections: dict[tuple[int, int], Stored] = {}
        self._chars = 0
        self._room = threading.Lock()

    def load(self, address: DocAddress) -> Stored:
        """The section at an address."""
        key = (address.segment_ord, address.doc)
        stored = self._sections.get(key)
        if stored is None:
            stored = packing.unpack(self._searcher.doc(address)["stored"][0])
            with self._room:
                if self._sections.setdefault(key, stored) is stored:  # no thread was quicker
                    self._chars += len(stored.section.text)
                if len(self._sections) > MOST_SECTIONS or self._chars > MOST_CHARS:
                    self._make_room()
        return stored

    def _make_room(self) -> None:
        """Forget the sections that were loaded first; the last one stays, however long it is."""
        for key in list(self._sections)[:-1]:
            self._chars -= len(self._sections.pop(key).section.text)
            left = len(self._sections)
            if left <= KEPT * MOST_SECTIONS and self._chars <= KEPT * MOST_CHARS:
                break

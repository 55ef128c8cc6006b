"""Sections of published manuals that were loaded, at hand for whoever asks next."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from tebiki.manuals.index.section_cache import HELD_BYTES_OF_ANY, MOST_HELD_BYTES

if TYPE_CHECKING:
    from tebiki.manuals.index.values import Stored

LATELY = 500
"""Sections that were looked for, by which it is judged how many of the next are at hand."""

MOST_MISSED = 0.1


class SectionShelf:
    """Sections that were loaded, of any state; not without bound, and shared by threads."""

    def __init__(self, most_bytes: int = MOST_HELD_BYTES) -> None:
        self._sections: OrderedDict[str, tuple[Stored, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._most, self._bytes = most_bytes, 0
        self._missed = 1.0

    def get(self, section_id: str) -> Stored | None:
        """A section, if it is at hand."""
        held = self._sections.get(section_id)
        self._missed += ((held is None) - self._missed) / LATELY
        return None if held is None else held[0]

    @property
    def is_bare(self) -> bool:
        """Tell whether too few of those that were looked for lately were at hand."""
        return self._missed > MOST_MISSED

    def put(self, section_id: str, stored: Stored, size: int) -> None:
        """Keep a section at hand, and forget those that came first."""
        with self._lock:
            size += HELD_BYTES_OF_ANY
            if section_id not in self._sections:
                self._sections[section_id] = (stored, size)
                self._bytes += size
            while self._bytes > self._most and len(self._sections) > 1:
                self._bytes -= self._sections.popitem(last=False)[1][1]

"""Sections at hand: loaded once, and within one room, however many indexes are open."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tebiki.manuals.documents.sections import Section
from tebiki.manuals.index.packing import pack
from tebiki.manuals.index.section_cache import HELD_BYTES_OF_ANY, SectionCache, SectionRoom

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tantivy import Searcher


class Address(NamedTuple):
    """Where a section is in an index."""

    doc: int
    segment_ord: int = 0


class Shown:
    """An index of so many sections, which counts how often one was taken out of it."""

    def __init__(self, sections: int) -> None:
        self._packed = [one.stored for one in _packed(sections)]
        self.loads = 0

    def doc(self, address: Address) -> dict[str, Any]:
        """A section as the engine keeps it."""
        self.loads += 1
        return {"stored": [self._packed[address.doc]]}

    def size(self) -> int:
        """What one of them takes in memory."""
        return len(self._packed[0]) + HELD_BYTES_OF_ANY


def _packed(count: int) -> Iterator[Any]:
    sections = [
        Section("a.md", line, line, 1, f"title {line:04}", (), "some text " * 9, None, "")
        for line in range(1, count + 1)
    ]
    return pack(sections)


def _cache(shown: Shown, room: SectionRoom) -> SectionCache:
    return SectionCache(cast("Searcher", shown), room)


def _load_all(cache: SectionCache, count: int) -> list[str]:
    return [cache.load(cast("Any", Address(doc))).section.title for doc in range(count)]


def test_a_section_is_loaded_once() -> None:
    """While there is room for it."""
    shown = Shown(5)
    cache = _cache(shown, SectionRoom())

    assert _load_all(cache, 5) == _load_all(cache, 5)
    assert shown.loads == 5


def test_indexes_share_one_room() -> None:
    """Many manuals take no more than one: what was loaded first makes way."""
    indexes = [Shown(20) for _ in range(10)]
    room = SectionRoom(most_bytes=30 * indexes[0].size())
    caches = [_cache(shown, room) for shown in indexes]
    for cache in caches:
        _load_all(cache, 20)

    assert sum(len(cache.sections) for cache in caches) == 30
    assert [len(cache.sections) for cache in caches[-2:]] == [10, 20]
    assert _load_all(caches[0], 20) == _load_all(caches[-1], 20)


def test_no_more_sections_than_are_allowed_are_at_hand() -> None:
    """However small they are."""
    shown = Shown(20)
    cache = _cache(shown, SectionRoom(most_sections=7))
    _load_all(cache, 20)

    assert len(cache.sections) == 7


def test_a_section_that_is_larger_than_the_room_stays_until_the_next() -> None:
    """Whoever asks for it again at once does not load it again."""
    shown = Shown(2)
    cache = _cache(shown, SectionRoom(most_bytes=1))
    _load_all(cache, 1)
    _load_all(cache, 1)

    assert shown.loads == 1
    assert _load_all(cache, 2) == ["title 0001", "title 0002"]
    assert len(cache.sections) == 1


def test_an_index_that_is_gone_leaves_its_room() -> None:
    """A new state of an index has a cache of its own, and the old one's sections go with it."""
    shown = Shown(20)
    room = SectionRoom(most_sections=20)
    old = _cache(shown, room)
    _load_all(old, 20)
    del old
    gc.collect()
    new = _cache(shown, room)
    _load_all(new, 20)

    assert len(new.sections) == 20

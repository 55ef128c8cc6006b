"""Sections as the engine takes and keeps them: what is searched, what is stored beside it.

And those of one state that were loaded, at hand for whoever asks next; not without bound.
"""

from __future__ import annotations

import struct
import threading
from binascii import crc32
from itertools import chain, groupby
from typing import TYPE_CHECKING

from tantivy import Document

from tebiki.manuals.documents.sections import Section
from tebiki.manuals.index.link_rows import texts_of, write_rows
from tebiki.manuals.index.values import (
    LINKS,
    SEPARATOR,
    Lengths,
    Stored,
    body_of,
    key_of,
    place_in,
    place_of,
)
from tebiki.manuals.text.tokenizer import APART, GAP, Tokens
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    _Field = tuple[Tokens, str, str, int]
    """A text of a section, what the index is to know of it, its symbols, and its
    length."""
    from tantivy import DocAddress, Searcher

    from tebiki.manuals.documents.links import Link


EVERY = "\0section"
"""Stands beside the path of every section: the engine's number of them counts removed ones too."""

PLACE_NUMBER = "place_number"
"""A number made of where a section is, for an order in which nothing has to be loaded."""

BEFORE_GAP = f" {GAP}"
NUMBER = struct.Struct("<I")
TEXTS = 15
"""Of a section without headings above it; these come last."""

CHARS_AT_ONCE = 8192
"""Small sections are made ready together, which costs far less than one by one.

No more of them than take some milliseconds: whoever is out of time waits for no more.
"""

CHARS_OF_ANY = 100
"""What a section costs whatever it says, in characters."""


def documents(
    sections: Sequence[Section], check: Callable[[], None] = lambda: None
) -> Iterator[tuple[Document, Lengths]]:
    """Make sections ready for the engine; gives the lengths of each too.

    `check` is called often, and may raise.
    """
    some: list[_Linked] = []
    chars = 0
    for linked in _with_links(sections, check):
        section = linked.section
        more = CHARS_OF_ANY + len(section.text) + len(section.path) + sum(map(len, section.trail))
        if some and chars + more > CHARS_AT_ONCE:
            yield from _make_ready(some, check)
            some, chars = [], 0
        some.append(linked)
        chars += more
    yield from _make_ready(some, check)


def _with_links(sections: Sequence[Section], check: Callable[[], None]) -> Iterator[_Linked]:
    # A fresh index reads no links.
    from tebiki.manuals.documents.link_targets import fragment_key
    from tebiki.manuals.documents.links import links_of

    for _, of_file in groupby(sections, key=lambda section: section.path):
        some = list(of_file)
        top = next((section for section in some if section.level == 1), some[0])
        for section, links in zip(some, links_of(some, check), strict=True):
            places = {fragment_key(section.title)} if section.level else set()
            if section is top:
                places.add("")
            yield _Linked(section, links, [place_in(section.path, one) for one in sorted(places)])


class _Linked(NamedTuple):
    """A section, its links, and the places that links to it may name."""

    section: Section
    links: list[Link]
    places: list[str]


def _make_ready(
    some: list[_Linked], check: Callable[[], None]
) -> Iterator[tuple[Document, Lengths]]:
    sections = [one.section for one in some]
    titles = [section.title for section in sections]
    trails = [SEPARATOR.join(section.trail) for section in sections]
    places = list(map(place_of, sections))
    said = [texts_of(one.links) for one in some]
    heads = list(dict.fromkeys([*titles, *trails, *places, *said]))
    fields = _fields([*heads, *map(body_of, sections)], check)
    above = dict(zip(heads, fields, strict=False))
    for linked, title, trail, place, texts, body in zip(
        some, titles, trails, places, said, fields[len(heads) :], strict=True
    ):
        check()
        of_section = (body, above[title], above[trail], above[place], above[texts])
        yield _document(linked, of_section, check)


def _fields(texts: list[str], check: Callable[[], None]) -> list[_Field]:
    # A fresh index takes nothing apart.
    from tebiki.manuals.text.lines import join_all_tokens, tokens_of_all
    from tebiki.manuals.text.symbols import symbol_tokens

    tokens = tokens_of_all(texts, check)
    indexed = join_all_tokens(tokens, check)
    symbols = [symbol_tokens(one.folded, check) for one in tokens]
    return list(zip(tokens, indexed, symbols, map(_length, indexed), strict=True))


def _length(indexed: str) -> int:
    """How many tokens the engine finds: a space ends each, and one may stand before all."""
    return indexed.count(" ") - indexed.count(BEFORE_GAP) - indexed.startswith(" ")


def _document(
    linked: _Linked, fields: tuple[_Field, ...], check: Callable[[], None]
) -> tuple[Document, Lengths]:
    section = linked.section
    tokens, (body, title, trail, place, said), symbols, lengths = zip(*fields, strict=True)
    made = Document()
    # One by one: given together, the engine tries each value as everything that it might be.
    made.add_text("body", body)
    made.add_text("title", title)
    made.add_text("trail", trail)
    made.add_text("place", place)
    if said:
        made.add_text(LINKS, said)
    # What links say is part of the body too.
    made.add_text("signs", APART.join(filter(None, symbols[:-1])))
    made.add_text("path", section.path)
    made.add_text("path", EVERY)
    for name in linked.places:
        made.add_text("path", name)
    place_number = crc32(f"{section.start_line} {section.path} {section.json_path}".encode())
    made.add_unsigned(PLACE_NUMBER, place_number)
    check()
    packed = _pack(section, lengths, tokens, write_rows(linked.links))
    check()
    made.add_bytes("stored", packed)
    return made, lengths


def _pack(section: Section, lengths: Lengths, tokens: tuple[Tokens, ...], links: str) -> bytes:
    """A section with its tokens: taking them from here is cheaper than making them again.

    How many numbers there are, the numbers, and all texts in a row: the last numbers say how long
    each of these is.
    """
    json_path = section.json_path or ""
    texts = [section.path, json_path, section.title, section.text, *chain(*tokens), links]
    texts += section.trail
    numbers = [section.start_line, section.end_line, section.level, *lengths, *map(len, texts)]
    return struct.pack(f"<{len(numbers) + 1}I", len(numbers), *numbers) + "".join(texts).encode()


def unpack(packed: bytes) -> Stored:
    """A section, ready to be scored, from what the engine keeps of it.

    Raises:
        ValueError: it was not packed here.
    """
    try:
        (count,) = NUMBER.unpack_from(packed)
        numbers = struct.unpack_from(f"<{count}I", packed, NUMBER.size)
        start, end, level = numbers[:3]
    except struct.error as error:
        raise ValueError(f"a section is cut off: {error}") from error
    texts = packed[NUMBER.size * (count + 1) :].decode()
    parts: list[str] = []
    here = 0
    for size in numbers[8:]:
        parts.append(texts[here : here + size])
        here += size
    if here != len(texts) or len(parts) < TEXTS:
        raise ValueError("a section has other texts than it says")
    path, json_path, title, text = parts[:4]
    body, titles = Tokens(parts[4], parts[5]), Tokens(parts[6], parts[7])
    trails, places = Tokens(parts[8], parts[9]), Tokens(parts[10], parts[11])
    said, links = Tokens(parts[12], parts[13]), parts[14]
    trail = tuple(parts[TEXTS:])
    section = Section(path, start, end, level, title, trail, text, json_path or None)
    head = Tokens(
        SEPARATOR.join([titles.folded, trails.folded, places.folded]),
        titles.words + trails.words + places.words,
    )
    fields = (body, titles, trails, places, said)
    return Stored(key_of(section), section, *fields, links, head, numbers[3:8])


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
            stored = unpack(self._searcher.doc(address)["stored"][0])
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

"""Sections as an engine takes and keeps them: what is searched, what is stored beside it.

Plain values, which each engine puts into its own form.
"""

from __future__ import annotations

import struct
from binascii import crc32
from itertools import chain, groupby
from typing import TYPE_CHECKING

from tebiki.manuals.documents.sections import Section
from tebiki.manuals.index.link_rows import texts_of, write_rows
from tebiki.manuals.index.values import (
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
    from tebiki.manuals.documents.links import Link


EVERY = "\0section"
"""Stands beside the path of every section: the engine's number of them counts removed ones too."""

PLACE_NUMBER = "place_number"
"""A number made of where a section is, for an order in which nothing has to be loaded."""

BEFORE_GAP = f" {GAP}"
NUMBER = struct.Struct("<I")
TEXTS = 16
"""Of a section without headings above it; these come last."""

CHARS_AT_ONCE = 8192
"""Small sections are made ready together, which costs far less than one by one.

No more of them than take some milliseconds: whoever is out of time waits for no more.
"""

WHOLE_CHARS = 60_000
"""A file of so few is not left off in the middle, and is made ready whole."""

CHARS_OF_ANY = 100
"""What a section costs whatever it says, in characters."""


class PackedSection(NamedTuple):
    """A section made ready for an engine: tokens by field, names to find it by, and all of it.

    `said` is what its links say, `signs` what is no letter, `paths` its file, `EVERY` and the
    places that links to it may name; `stored` is what `unpack` takes.
    """

    body: str
    title: str
    trail: str
    place: str
    said: str
    signs: str
    paths: tuple[str, ...]
    place_number: int
    stored: bytes
    lengths: Lengths


def pack(
    sections: Sequence[Section], check: Callable[[], None] = lambda: None
) -> Iterator[PackedSection]:
    """Make sections ready for an engine; `check` is called often, and may raise."""
    is_small = sum(len(section.text) for section in sections) <= WHOLE_CHARS
    at_once = 2 * WHOLE_CHARS if is_small else CHARS_AT_ONCE
    some: list[_Linked] = []
    chars = 0
    for linked in _with_links(sections, check):
        section = linked.section
        more = CHARS_OF_ANY + len(section.text) + len(section.path) + sum(map(len, section.trail))
        if some and chars + more > at_once:
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


def _make_ready(some: list[_Linked], check: Callable[[], None]) -> Iterator[PackedSection]:
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
        yield _pack(linked, of_section, check)


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


def _pack(linked: _Linked, fields: tuple[_Field, ...], check: Callable[[], None]) -> PackedSection:
    section = linked.section
    tokens, (body, title, trail, place, said), symbols, lengths = zip(*fields, strict=True)
    place_number = crc32(f"{section.start_line} {section.path} {section.json_path}".encode())
    check()
    stored = _store(section, lengths, tokens, write_rows(linked.links))
    check()
    # What links say is part of the body too.
    signs = APART.join(filter(None, symbols[:-1]))
    paths = (section.path, EVERY, *linked.places)
    return PackedSection(
        body, title, trail, place, said, signs, paths, place_number, stored, lengths
    )


def _store(section: Section, lengths: Lengths, tokens: tuple[Tokens, ...], links: str) -> bytes:
    """A section with its tokens: taking them from here is cheaper than making them again.

    How many numbers there are, the numbers, and all texts in a row: the last numbers say how long
    each of these is.
    """
    json_path = section.json_path or ""
    texts = [section.path, json_path, section.title, section.text, *chain(*tokens), links]
    texts.append(section.page)
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
    said, links, page = Tokens(parts[12], parts[13]), parts[14], parts[15]
    trail = tuple(parts[TEXTS:])
    section = Section(path, start, end, level, title, trail, text, json_path or None, page)
    head = Tokens(
        SEPARATOR.join([titles.folded, trails.folded, places.folded]),
        titles.words + trails.words + places.words,
    )
    fields = (body, titles, trails, places, said)
    return Stored(key_of(section), section, *fields, links, head, numbers[3:8])

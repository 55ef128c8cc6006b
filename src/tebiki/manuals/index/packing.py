"""Sections as an engine takes and keeps them: what is searched, what is stored beside it.

Plain values, which each engine puts into its own form.
"""

from __future__ import annotations

import struct
from binascii import crc32
from itertools import chain, count, groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

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
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tebiki.manuals.documents.links import Link
    from tebiki.manuals.text.chunks import Apart


EVERY = "\0section"
"""Stands beside the path of every section: the engine's number of them counts removed ones too."""

PLACE_NUMBER = "place_number"
"""A number made of where a section is, for an order in which nothing has to be loaded."""

PATH = attrgetter("path")
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
    sections: Sequence[Section], check: Callable[[], None] | None = None
) -> Iterator[PackedSection]:
    """Make sections ready for an engine; `check` is called often, and may raise."""
    return map(PackedSection._make, pack_plainly(sections, check))


def pack_plainly(
    sections: Sequence[Section], check: Callable[[], None] | None = None
) -> Iterator[tuple[Any, ...]]:
    """As `pack`, each as a plain tuple.

    Where nobody waits who could be out of time, it is left out: all are made ready together.
    """
    is_small = check is None or sum(len(section.text) for section in sections) <= WHOLE_CHARS
    check = check or _go_on
    linked = list(map(_Linked, sections, _links_of(sections, check), _places(sections)))
    if is_small:
        yield from _make_ready(linked, check)
        return
    start, chars = 0, 0
    for at, section in enumerate(sections):
        more = CHARS_OF_ANY + len(section.text) + len(section.path) + sum(map(len, section.trail))
        if at > start and chars + more > CHARS_AT_ONCE:
            yield from _make_ready(linked[start:at], check)
            start, chars = at, 0
        chars += more
    yield from _make_ready(linked[start:], check)


def _go_on() -> None:
    """Nobody waits."""


def _links_of(sections: Sequence[Section], check: Callable[[], None]) -> list[list[Link]]:
    # A fresh index reads no links.
    from tebiki.manuals.documents.links import links_of

    found: list[list[Link]] = []
    for _, of_file in groupby(sections, key=PATH):
        found += links_of(list(of_file), check)
    return found


def _places(sections: Sequence[Section]) -> Iterator[tuple[str, ...]]:
    """The names by which each is found: its file, `EVERY`, the places that links to it may name."""
    from tebiki.manuals.documents.link_targets import fragment_key

    for path, of_file in groupby(sections, key=PATH):
        some = list(of_file)
        top = next((section for section in some if section.level == 1), some[0])
        for section in some:
            key = fragment_key(section.title) if section.level else ""
            names = (place_in(path, key),) if section.level or section is top else ()
            if section is top and key:
                names = (place_in(path, ""), *names)
            yield path, EVERY, *names


class _Linked(NamedTuple):
    """A section, its links, and the names by which it is found."""

    section: Section
    links: list[Link]
    paths: tuple[str, ...]


def _make_ready(some: list[_Linked], check: Callable[[], None]) -> Iterator[tuple[Any, ...]]:
    sections = [one.section for one in some]
    trails: dict[tuple[str, ...], str] = {}
    for section in sections:
        if section.trail not in trails:
            trails[section.trail] = SEPARATOR.join(section.trail)
    heads = [
        [section.title for section in sections],
        [trails[section.trail] for section in sections],
        list(map(place_of, sections)),
        [texts_of(one.links) if one.links else "" for one in some],
    ]
    known = dict.fromkeys(chain(*heads))
    texts = [*known, *map(body_of, sections)]
    apart, indexed = _taken_apart(texts, check)
    numbers = dict(zip(known, count()))
    fields: list[Iterable[int]] = [range(len(known), len(texts))]
    fields += [[numbers[text] for text in head] for head in heads]
    rows = zip(
        some,
        _in_rows([indexed], fields),
        _in_rows([list(map(_length, indexed))], fields),
        _in_rows([apart.folded, apart.words], fields),
        # What links say is part of the body too.
        _in_rows([apart.symbols], fields[:-1]),
        strict=True,
    )
    for (section, links, paths), given, lengths, taken, symbols in rows:
        check()
        path, start, _, _, _, _, _, json_path, _ = section
        yield (
            *given,
            APART.join(filter(None, symbols)),
            paths,
            crc32(f"{start} {path} {json_path}".encode()),
            _store(section, lengths, taken, write_rows(links) if links else ""),
            lengths,
        )


def _in_rows(columns: Sequence[Sequence[Any]], fields: Iterable[Iterable[int]]) -> Iterator[Any]:
    """What columns have for each section, field by field."""
    return zip(*(map(column.__getitem__, of) for of in fields for column in columns), strict=True)


def _taken_apart(texts: list[str], check: Callable[[], None]) -> tuple[Apart, list[str]]:
    # A fresh index takes nothing apart.
    from tebiki.manuals.text.chunks import take_apart
    from tebiki.manuals.text.lines import join_all_tokens

    apart = take_apart(texts, check)
    return apart, join_all_tokens(apart.folded, apart.words, check)


def _length(indexed: str) -> int:
    """How many tokens the engine finds: a space ends each, and one may stand before all."""
    if GAP not in indexed:
        return indexed.count(" ") - indexed.startswith(" ")
    return indexed.count(" ") - indexed.count(BEFORE_GAP) - indexed.startswith(" ")


def _store(section: Section, lengths: Lengths, tokens: Iterable[str], links: str) -> bytes:
    """A section with its tokens: taking them from here is cheaper than making them again.

    How many numbers there are, the numbers, and all texts in a row: the last numbers say how long
    each of these is.
    """
    path, start, end, level, title, trail, text, json_path, page = section
    texts = [path, json_path or "", title, text, *tokens, links, page, *trail]
    packer = _NUMBERS[len(texts)]
    numbers = packer.pack(len(texts) + NUMBERS, start, end, level, *lengths, *map(len, texts))
    return numbers + "".join(texts).encode()


class _Packers(dict[int, struct.Struct]):
    def __missing__(self, texts: int) -> struct.Struct:
        packer = struct.Struct(f"<{1 + NUMBERS + texts}I")
        if texts < MOST_PACKERS:
            self[texts] = packer
        return packer


NUMBERS = 8
MOST_PACKERS = 100
_NUMBERS = _Packers()


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

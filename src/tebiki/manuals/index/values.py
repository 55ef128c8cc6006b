"""What an index gives and takes: sections as stored, and the small interface of an engine.

No engine is named here; a second one (a server) implements `Postings` with the same tokens.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

from tebiki.manuals.documents.page_marks import without_marks
from tebiki.manuals.text.folding import lazy_pattern
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from tebiki.manuals.documents.sections import Section
    from tebiki.manuals.text.tokenizer import Tokens

SEPARATOR = " \x01 "
"""Between the headings above a section; no text and no term has it."""

SHORT_CHARS = 500
"""Longer headings are not remembered, and are searched as text as well."""

LONGEST_HEADING = 2000
"""Characters of a heading as written, marks and all; longer ones are searched as text as well."""

FIRST_LINE = lazy_pattern(rf"[^\r\n]{{0,{LONGEST_HEADING}}}(?![^\r\n])")
HIDDEN = lazy_pattern(r"\]\((.*?)\)|\]\[(.*?)\]|<([^>]+)>")
"""What a reader of a heading does not see: where it links to, and its marks of HTML."""

FIELDS = ("body", "title", "trail", "place")
"""Own text, own heading, headings above, path."""

LINKS = "links"
"""What the links of a section say, which is part of its text and no part of what it is about."""

ALL_FIELDS = (*FIELDS, LINKS)

BOOSTS = {"body": 1.0, "title": 1.0, "trail": 0.5, "place": 0.5, LINKS: 1.0}
"""What a token counts in each field, whichever engine scores it."""

Lengths = tuple[int, int, int, int, int]
"""How many tokens there are in each of all fields."""

NOTHING: Lengths = (0, 0, 0, 0, 0)

Key = tuple[str, int, str]
"""Where a section is: path, line, and the JSON path, since a line may hold several nodes.

No two nodes of a file have the same JSON path, and no line has two headings.
"""


def key_of(section: Section) -> Key:
    """The key of a section; no two of a manual share it."""
    return section.path, section.start_line, section.json_path or ""


def place_in(path: str, part: str) -> str:
    """How a place of a file is named: a heading, as `fragment_key` gives it, or the file's top."""
    return f"{path}\0{part}"


class Stored(NamedTuple):
    """A section as the index has it, ready to be scored.

    `said` is what its links say, `links` what `link_rows` reads, `head` all but these and its body.
    """

    key: Key
    section: Section
    body: Tokens
    title: Tokens
    trail: Tokens
    place: Tokens
    said: Tokens
    links: str
    head: Tokens
    lengths: Lengths

    @property
    def is_bare(self) -> bool:
        """Tell whether it is a heading without text."""
        return not self.body.folded


class Clause(NamedTuple):
    """What a section must have to be a candidate: for each of some runs, one of its spellings.

    A spelling is a list of tokens that stand one after the other; a gap among them takes a place.
    `symbols` are such lists too, of what is no letter, and all of them are needed.
    """

    runs: tuple[tuple[tuple[str, ...], ...], ...]
    infix: str = ""
    symbols: tuple[tuple[str, ...], ...] = ()


class SectionQuery(NamedTuple):
    """Which sections an index is to propose, and at most how many.

    Those that score best for weighted tokens in some fields, of those that satisfy the clauses and
    are `among` some files. `holds`, if given, tells of a section whether it satisfies them. The
    `first` so many of them are the best of them; apart from that they come in any order.
    """

    weights: Mapping[str, float]
    limit: int
    must: tuple[Clause, ...] = ()
    among: Collection[str] | None = None
    fields: tuple[str, ...] = FIELDS
    holds: Callable[[Stored], bool] | None = None
    first: int = 0


class Postings(Protocol):
    """One committed state of an index.

    `know` and `foresee` are told what is going to be asked for, so that an engine which is far
    away answers it all at once; one that is at hand does not even listen.
    """

    @property
    def sections(self) -> int:
        """How many sections there are."""

    @property
    def mean_length(self) -> float:
        """Tokens of a section, on average."""

    def know(self, tokens: Iterable[str], clauses: Iterable[tuple[Clause, ...]] = ()) -> None:
        """Hear which frequencies and counts are going to be asked for."""

    def foresee(self, asked: Iterable[SectionQuery]) -> None:
        """Hear which sections are going to be asked for."""

    def foresee_places(self, guess: Callable[[Postings], Collection[str]]) -> None:
        """Hear which places are likely to be asked for, before all that tells which is counted.

        An engine that has to count may call `guess`, with postings that guess what they do not
        know; what comes of it is asked for along with the counts.
        """

    def frequency(self, token: str) -> int:
        """How many sections have the token."""

    def count(self, *clauses: Clause) -> int:
        """How many sections satisfy all of some clauses."""

    def sections_in(self, paths: Collection[str]) -> int:
        """How many sections some files have."""

    def best(self, query: SectionQuery) -> list[Stored]:
        """The sections that score best, of those that satisfy the clauses."""

    def sections_at(self, places: Collection[str]) -> list[Stored]:
        """The sections at some places, as `place_in` names them."""

    def near(self, word: str, slips: int) -> Iterable[str]:
        """Words of the manual that begin alike: at least those that are so few slips away."""

    def file_of(self, target: str) -> str | None:
        """The file of the manual that a link's target names, if there is one."""


def add_lengths(lengths: Lengths, more: Lengths, times: int = 1) -> Lengths:
    """Lengths together with others, or without them."""
    body, title, trail, place, links = (
        one + times * other for one, other in zip(lengths, more, strict=True)
    )
    return body, title, trail, place, links


def sum_lengths(every: Iterable[Lengths]) -> Lengths:
    """Lengths together."""
    body, title, trail, place, links = map(sum, zip(NOTHING, *every, strict=True))
    return body, title, trail, place, links


def rarity_of(holders: int, sections: int) -> float:
    """The inverse document frequency of a token (BM25): what so many of so many sections have."""
    return math.log(1 + (sections - holders + 0.5) / (holders + 0.5))


def rarities_of(tokens: Iterable[str], postings: Postings) -> dict[str, float]:
    """How rare each of some tokens is in a manual."""
    sections = postings.sections
    return {token: rarity_of(postings.frequency(token), sections) for token in tokens}


def body_of(section: Section) -> str:
    """A section's text without its heading line, which is a field of its own unless too long."""
    text = section.text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if section.page:
        text = without_marks(text)
    if section.level == 0 or len(section.title) >= SHORT_CHARS:
        return text
    line, _, rest = text.partition("\n")
    if len(line) > LONGEST_HEADING:
        return text
    lines = rest.split("\n", 1)
    if lines and lines[0].strip() and not lines[0].strip().strip("=-"):
        return lines[1] if len(lines) > 1 else ""  # the underline of a setext heading
    return rest


def place_of(section: Section) -> str:
    """Where a section is: its path, whose ending says nothing, and what its heading links to."""
    path = section.path.rpartition(".")[0]
    line = _heading_line(section)
    if "](" not in line and "][" not in line and "<" not in line:
        return path
    hidden = ("".join(parts) for parts in HIDDEN().findall(line))
    return SEPARATOR.join([path, *(part for part in hidden if part not in section.title)])


def _heading_line(section: Section) -> str:
    if section.level == 0 or len(section.title) >= SHORT_CHARS:
        return ""
    found = FIRST_LINE().match(section.text)
    return found.group() if found else ""

"""What a person is shown of a section that was found: whole sentences, or a row below its header.

Pure functions over text. By plain splitting and not by patterns: the text is anybody's.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from tebiki.manuals.documents.page_marks import is_mark, last_page
from tebiki.manuals.text.folding import fold, is_japanese
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LONGEST = 300
"""Characters of an excerpt: as many sentences as fit, and at least one."""

MOST_READ = 20_000
"""Characters of a section that are looked at."""

ENDS = "。！？!?"
ENDS_BEFORE_A_SPACE = ".;"
FENCES = ("```", "~~~")
BULLETS = ("- ", "* ", "+ ")
LOOK_OF_A_RULE = frozenset("-=_*|: +")


class Excerpt(NamedTuple):
    """A passage, the header of the table that it is a row of, and the mark of a page before it."""

    text: str
    header: str | None = None
    page: str = ""


class _Block(NamedTuple):
    """Sentences that belong together: of a paragraph or an item, or a row of a table."""

    sentences: tuple[str, ...]
    header: str | None = None
    page: str = ""


def excerpt_of(text: str, words: Iterable[str]) -> Excerpt | None:
    """Choose the passage that holds most of some words; the first of equals, None of no text."""
    needles = [folded for word in words if (folded := fold(word))]
    best: tuple[int, _Block, int] | None = None
    for block in _paged_blocks(text[:MOST_READ].splitlines()):
        for place, sentence in enumerate(block.sentences):
            found = _count(sentence, needles)
            if best is None or found > best[0]:
                best = (found, block, place)
    if best is None:
        return None
    _, block, place = best
    return Excerpt(_as_many_as_fit(block.sentences[place:]), block.header, block.page)


def _count(sentence: str, needles: Sequence[str]) -> int:
    folded = fold(sentence)
    return sum(needle in folded for needle in needles)


def _as_many_as_fit(sentences: Sequence[str]) -> str:
    """The first sentence whatever its length, and those after it as long as there is room."""
    text = sentences[0]
    for sentence in sentences[1:]:
        longer = _join(text, sentence)
        if len(longer) > LONGEST:
            break
        text = longer
    return text


def _paged_blocks(lines: Sequence[str]) -> Iterator[_Block]:
    """The blocks, page by page of the original where its marks stand among them."""
    page, held = "", list[str]()
    for line in lines:
        if line.startswith("<!--") and is_mark(line):
            yield from (block._replace(page=page) for block in _blocks(held))
            page, held = last_page(line), []
        else:
            held.append(line)
    yield from (block._replace(page=page) for block in _blocks(held))


def _blocks(lines: Sequence[str]) -> Iterator[_Block]:
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        if not line or line.startswith("#") or _is_rule(line):
            at += 1
        elif line.startswith(FENCES):
            at += 1
            code = list(takewhile(lambda one: not one.strip().startswith(FENCES), lines[at:]))
            yield from (_Block((one.strip(),)) for one in code if one.strip())
            at += len(code) + 1
        elif line.startswith("|"):
            table = [one.strip() for one in takewhile(_is_row, lines[at:])]
            yield from _rows(table)
            at += len(table)
        else:
            taken = 1 + sum(1 for _ in takewhile(_goes_on, lines[at + 1 :]))
            end = at + taken
            if not (_is_underlined(lines, end) and _is_plain(line)):
                yield _Block(tuple(_sentences(_without_marks(lines[at:end]))))
            at = end


def _rows(table: Sequence[str]) -> Iterator[_Block]:
    """The rows of a table below its header; what has no line below the header has none."""
    is_headed = len(table) > 1 and _is_rule(table[1])
    header = _cells(table[0]) if is_headed else None
    rows = [row for row in table[1 if is_headed else 0 :] if not _is_rule(row)]
    if not rows and header:
        yield _Block((header,))
    yield from (_Block((cells,), header) for row in rows if (cells := _cells(row)))


def _cells(row: str) -> str:
    cells: list[str] = []
    for piece in row.strip().strip("|").split("|"):
        if cells and cells[-1].endswith("\\"):
            cells[-1] = f"{cells[-1][:-1]}|{piece}"  # written \|, a bar within the cell
        else:
            cells.append(piece)
    return " | ".join(cell.strip() for cell in cells).strip(" |")


def _is_row(line: str) -> bool:
    return line.strip().startswith("|")


def _is_rule(line: str) -> bool:
    """Tell whether a line only draws one."""
    return ("-" in line and LOOK_OF_A_RULE.issuperset(line)) or set(line) <= {"=", "*", "_"}


def _is_underlined(lines: Sequence[str], end: int) -> bool:
    """Tell whether the line below draws one under a text, which then is a heading."""
    below = lines[end].strip() if end < len(lines) else ""
    return bool(below) and set(below) in ({"="}, {"-"})


def _is_plain(line: str) -> bool:
    """Tell whether a line begins a paragraph, and neither an item nor a quotation."""
    return not line.startswith((">", *BULLETS)) and not _is_numbered(line)


def _is_numbered(text: str) -> bool:
    number, dot, _ = text.partition(". ")
    return bool(dot) and number.isdigit()


def _goes_on(line: str) -> bool:
    """Tell whether a line belongs to the paragraph or the item above it."""
    text = line.strip()
    if not text or text.startswith(("#", "|", *FENCES, *BULLETS)) or _is_rule(text):
        return False
    return not _is_numbered(text)


def _without_marks(lines: Sequence[str]) -> str:
    text = ""
    for line in lines:
        text = _join(text, line.strip().removeprefix(">").strip())
    bullet = next((mark for mark in BULLETS if text.startswith(mark)), "")
    return text.removeprefix(bullet).strip()


def _join(text: str, more: str) -> str:
    """Two pieces of a line; Japanese has no blank there."""
    if not text or not more:
        return text or more
    if (is_japanese(text[-1]) and is_japanese(more[0])) or text[-1] in "。、！？":
        return text + more
    return f"{text} {more}"


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a paragraph, each with its full stop."""
    start = 0
    for at, character in enumerate(text, 1):
        follower = text[at : at + 1]
        is_end = follower not in ENDS if character in ENDS else character in ENDS_BEFORE_A_SPACE
        if is_end and (character in ENDS or follower == " "):
            if sentence := text[start:at].strip():
                yield sentence
            start = at
    if rest := text[start:].strip():
        yield rest

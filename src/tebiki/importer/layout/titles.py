"""Which lines are headings: those that the outline names, else those that look like it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from tebiki.importer.limits import MOST_HEADING_CHARS
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tebiki.importer.layout.runs import TextLine

LARGER = 1.13
SLIGHTLY = 1.035
"""Bold type that is as much larger is that of the deepest headings."""

SMALLEST = 0.88
"""Journals set the headings of small parts in smaller type than the text."""

MOST_LEVELS = 4
LONGEST = 70
NUMBERED = re.compile(
    r"^(?:第\s*[\d一二三四五六七八九十]+\s*([部編章節項])|(\d{1,2}(?:[.．-]\d{1,2}){0,3})[.．]?\s*\D|付録|附則"
    r"|Chapter\s|Appendix\s|(?-i:[IVX]{1,4}|[A-H])[.．]\s)",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"[。、，,;；]$")
NEVER_IN_TITLES = ("…", "。", "://")
ONLY_SIGNS = re.compile(r"^[\W\d_]+$")
PARTS = {"部": 1, "編": 1, "章": 1, "節": 2, "項": 3}
MOST_PREFIX = 14
"""Signs before a title that the outline leaves out: its number."""

LINES_OF_ONE_TITLE = 3
RUNNING_SHARE = 0.05
"""Of a document's characters: with fewer a size is no text, however its lines stand."""

RUNNING_LINES = 3
"""One line in so many among others is enough: code and lists stand between the paragraphs."""

LONG = 0.5
"""Of its column's width: a heading that is shorter ends there, and the next one is another."""

USUAL_WIDTH = 0.95
"""Of the lines of a document so many are no wider than its columns: a title may be."""

NEARLY = 0.08
ALIKE = 0.6
NEAR_IN_LINES = 4


class OutlineEntry(NamedTuple):
    """A heading as the outline has it: its level from 1, its page from 0, and how far down."""

    level: int
    title: str
    page: int
    y: float | None


class Title(NamedTuple):
    """Lines of a page that are one heading."""

    level: int
    text: str
    first: int
    lines: int


def plain(text: str) -> str:
    """A title by which it is known again, however it is spaced and spelt."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\s\u00ad.．・:：\-–—]+", "", folded)


def titles_by_outline(
    lines: Sequence[TextLine], wanted: Sequence[OutlineEntry]
) -> tuple[list[Title], list[OutlineEntry]]:
    """Find the lines of a page that an outline names; gives those that were not found too."""
    texts = [plain(line.text) for line in lines]
    taken: set[int] = set()
    found: list[Title] = []
    missing: list[OutlineEntry] = []
    for entry in wanted:
        title = _find(texts, lines, entry, taken) or _find_alike(texts, lines, entry, taken)
        if title is None:
            missing.append(entry)
            continue
        taken.update(range(title.first, title.first + title.lines))
        found.append(title)
    return found, missing


def _find(
    texts: list[str], lines: Sequence[TextLine], entry: OutlineEntry, taken: set[int]
) -> Title | None:
    wanted = plain(entry.title)
    if not wanted:
        return None
    best: tuple[float, Title] | None = None
    for first in range(len(texts)):
        joined = ""
        for count in range(1, min(LINES_OF_ONE_TITLE, len(texts) - first) + 1):
            at = first + count - 1
            if at in taken or len(joined) > len(wanted) + MOST_PREFIX:
                break
            joined += texts[at]
            if not _is_same(joined, wanted):
                continue
            far = abs(lines[first].y0 - entry.y) if entry.y is not None else 0.0
            # An exact one beats one with a number in front, a larger one a smaller one.
            far += (joined != wanted) * 20 - lines[first].size * 5
            if best is None or far < best[0]:
                best = (far, Title(entry.level, entry.title, first, count))
            break
    return best[1] if best else None


def _find_alike(
    texts: list[str], lines: Sequence[TextLine], entry: OutlineEntry, taken: set[int]
) -> Title | None:
    """Find a line that is nearly the title, where that leads: some signs differ."""
    if entry.y is None:
        return None
    wanted = plain(entry.title)
    best: tuple[float, Title] | None = None
    for at, line in enumerate(lines):
        # Where an entry leads is the top of the line, or a little above it.
        if at in taken or not -2 * line.size < line.y0 - entry.y < NEAR_IN_LINES * line.size:
            continue
        alike = SequenceMatcher(None, wanted, texts[at], autojunk=False).ratio()
        if alike > ALIKE and (best is None or alike > best[0]):
            best = (alike, Title(entry.level, entry.title, at, 1))
    return best[1] if best else None


def _is_same(joined: str, wanted: str) -> bool:
    if joined == wanted:
        return True
    extra = len(joined) - len(wanted)
    if 0 < extra <= MOST_PREFIX and joined.endswith(wanted):
        return True
    return -MOST_PREFIX <= extra < 0 and len(joined) > 3 and wanted.endswith(joined)  # noqa: PLR2004


class TypeSizes(NamedTuple):
    """The size of ordinary text in a document, and those of its headings from the largest.

    `running` are larger sizes in which whole paragraphs are set: a book's code may outweigh them.
    `width` is that of a full line.
    """

    body: float
    larger: tuple[float, ...]
    running: frozenset[float] = frozenset()
    width: float = 0.0


def sizes_of(lines: Iterable[TextLine]) -> TypeSizes:
    """Tell which type is ordinary: most of the text is."""
    counted: Counter[float] = Counter()
    titles: Counter[float] = Counter()
    every = list(lines)
    for line in every:
        counted[_round_size(line.size)] += len(line.text)
    if not counted:
        return TypeSizes(0.0, ())
    body = counted.most_common(1)[0][0]
    running = _running_sizes(every, counted, body)
    for line in every:
        is_large = line.size > LARGER * body and _round_size(line.size) not in running
        if is_large and _could_be(line.text):
            titles[_round_size(line.size)] += 1
    larger = sorted(titles, reverse=True)
    merged: list[float] = []
    for size in larger:
        if not merged or merged[-1] - size > 0.6:  # noqa: PLR2004 -- points that nobody sees
            merged.append(size)
    # Code may outweigh the text, and its lines are shorter.
    widths = sorted(
        line.x1 - line.x0
        for line in every
        if line.size <= LARGER * body or _round_size(line.size) in running
    )
    return TypeSizes(body, tuple(merged), running, widths[int(USUAL_WIDTH * len(widths))])


def _running_sizes(
    lines: Sequence[TextLine], counted: Counter[float], body: float
) -> frozenset[float]:
    """Larger sizes of which many lines stand among others of nearly the same size.

    Nearly: Latin letters in a Japanese line are often set a little larger.
    """
    in_rows: Counter[float] = Counter()
    all_lines = Counter(_round_size(line.size) for line in lines)
    held: list[TextLine] = []
    for line in [*lines, None]:
        if line is not None and held and abs(line.size - held[-1].size) < NEARLY * line.size:
            held.append(line)
            continue
        if len(held) > LINES_OF_ONE_TITLE:
            in_rows.update(_round_size(one.size) for one in held)
        held = [] if line is None else [line]
    enough = RUNNING_SHARE * sum(counted.values())
    return frozenset(
        size
        for size, count in all_lines.items()
        if size > body and counted[size] > enough and RUNNING_LINES * in_rows[size] > count
    )


def titles_by_size(lines: Sequence[TextLine], sizes: TypeSizes) -> list[Title]:
    """Find the lines of a page that look like headings."""
    found: list[Title] = []
    for at, line in enumerate(lines):
        level = _level(line, sizes)
        if level is None:
            continue
        last = found[-1] if found else None
        if last is not None and _goes_on(last, level, at, lines, sizes.width):
            text = f"{last.text} {line.text}"
            found[-1] = Title(level, text, last.first, last.lines + 1)
        else:
            found.append(Title(level, line.text, at, 1))
    return found


def _goes_on(last: Title, level: int, at: int, lines: Sequence[TextLine], width: float) -> bool:
    """Tell whether a heading is the second line of the one before it, in columns so wide."""
    above = lines[at - 1]
    line = lines[at]
    return (
        last.level == level
        and last.first + last.lines == at
        and -0.5 * line.size < line.y0 - above.y1 < 0.8 * line.size
        and not NUMBERED.match(line.text)
        and len(last.text) + len(line.text) < LONGEST
        and abs(line.size - above.size) < 1
        and (above.x1 - above.x0 > LONG * width or _are_centred(above, line))
    )


def _are_centred(upper: TextLine, lower: TextLine) -> bool:
    far = abs(upper.x0 + upper.x1 - lower.x0 - lower.x1) / 2
    return far < lower.size < abs(upper.x0 - lower.x0)


def _level(line: TextLine, sizes: TypeSizes) -> int | None:
    text = line.text
    if not _could_be(text):
        return None
    numbered = NUMBERED.match(text)
    if line.size > LARGER * sizes.body and not _is_running(line, sizes):
        rank = next(
            (n for n, size in enumerate(sizes.larger) if line.size > size - 0.7), MOST_LEVELS
        )
        return min(rank, MOST_LEVELS - 1) + 1
    if line.is_bold and line.size > SLIGHTLY * sizes.body and not _is_running(line, sizes):
        return min(len(sizes.larger) + 1, MOST_LEVELS + 1)
    if line.is_bold and numbered and line.size > SMALLEST * sizes.body:
        depth = PARTS.get(numbered[1] or "", 0) or len(re.split(r"[.．-]", numbered[2] or ""))
        return min(len(sizes.larger) + depth, MOST_LEVELS + 1)
    return None


def _is_running(line: TextLine, sizes: TypeSizes) -> bool:
    return _round_size(line.size) in sizes.running


def _could_be(text: str) -> bool:
    if not text or len(text) > min(LONGEST, MOST_HEADING_CHARS) or SENTENCE_END.search(text):
        return False
    return not ONLY_SIGNS.match(text) and not any(sign in text for sign in NEVER_IN_TITLES)


def _round_size(size: float) -> float:
    return round(size * 2) / 2

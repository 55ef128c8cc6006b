"""Characters that are no letters, as the index knows them: `C++`, `--force`, `::`, `→`.

A section is given each of its symbols once, and where they stand together or touch a word, these in
their order. Common punctuation in its common place is not: it is in every sentence.
"""

from __future__ import annotations

import re
from itertools import filterfalse, product
from typing import TYPE_CHECKING

from tebiki.manuals.text.folding import JAPANESE, Memo, lazy_pattern
from tebiki.manuals.text.pieces import PIECE_CHARS, pieces
from tebiki.manuals.text.tokenizer import APART, GAP
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

CLOSING = frozenset(".,;:!?)]'\"』】")
OPENING = frozenset("([\"'『【")
RIM = "".join(CLOSING | OPENING)
JAPANESE_SYMBOLS = "、。「」・"
"""In every sentence, and looked for one by one."""

CHUNKS = lazy_pattern(rf"[^{JAPANESE}{JAPANESE_SYMBOLS} \x00-\x1f]+")
"""Words with the symbols that touch them, where spaces alone do not part them."""

RUNS = lazy_pattern(
    r"(?:(?<![a-z0-9])([a-z0-9]{1,40}))?([^\w\s\x00-\x1f]+|_+)"
    r"(?=([a-z0-9]{1,40}(?![a-z0-9]))?)"
)
"""Symbols that stand together, with the words on the left and on the right that they touch."""

LONGEST_WORD = 40
RUNS_OF_SHORT = lazy_pattern(r"(?<![a-z0-9])([a-z0-9]*+)([^\w\s\x00-\x1f]+|_+)(?=([a-z0-9]*+))")
"""As `RUNS` where no word is too long, in half the time."""

SYMBOLS = re.compile(r"[^\w\s\x00-\x1f]|_")
LONGEST_ROW = 32
ROWS = lazy_pattern(rf"(.)\1{{{LONGEST_ROW},}}")
"""Of one symbol again and again; so many of them are enough."""

LONGEST_COMMON = 3
MOST_CHUNKS = 200_000
MOST_ROWS = 10_000
LONGEST_KEPT = 40
LONG_CHUNK = 12
"""Characters between two spaces, on average: in a text with fewer of them spaces part the words."""


class NeededSymbols(NamedTuple):
    """What any text that has a term has in its symbols; `is_all` when it need not be read."""

    phrases: tuple[tuple[str, ...], ...]
    is_all: bool


def symbol_tokens(folded: str, check: Callable[[], None] = lambda: None) -> str:
    """The symbols of a folded text for the index; `check` is called now and then, and may raise."""
    check()
    if folded.isalnum():
        return ""
    is_split = folded.isascii() or folded.count(" ") * LONG_CHUNK > len(folded)
    is_large = len(folded) > PIECE_CHARS
    texts = (one.text for one in pieces(folded, check)) if is_large else (folded,)
    # In their order: a text gives the same in any process.
    singles = [] if is_split else list(filter(folded.__contains__, JAPANESE_SYMBOLS))
    phrases: list[str] = []
    for text in texts:
        chunks = dict.fromkeys(text.split(" ") if is_split else CHUNKS().findall(text))
        taken = [*map(_CHUNKS.__getitem__, filterfalse(str.isalnum, chunks))]
        if taken:
            found, more = zip(*taken, strict=True)
            singles += found
            phrases += more
    return APART.join(
        [*map(_token, dict.fromkeys("".join(singles))), *filter(None, dict.fromkeys(phrases))]
    )


def symbols_of_chunk(chunk: str) -> str:
    """As `symbol_tokens` for what stands between two spaces of a folded text in ASCII."""
    singles, phrases = _take_symbols(chunk)
    return APART.join([*map(_token, singles), *filter(None, [phrases])])


def needed_symbols(folded: str) -> NeededSymbols:
    """What the index can be asked about the symbols of a term; empty when it has none."""
    symbols = dict.fromkeys(SYMBOLS.findall(folded))
    phrases: list[tuple[str, ...]] = [(_token(symbol),) for symbol in symbols]
    for chunk in CHUNKS().findall(folded) if symbols else ():
        for left, run, right in RUNS().findall(chunk):
            if _is_surely_indexed(left, run, right):
                phrase = tuple(_phrase(left, run, right).split())
                if len(left + run + right) == len(folded):
                    return NeededSymbols((phrase,), is_all=True)
                phrases.append(phrase)
    return NeededSymbols(tuple(phrases), is_all=bool(phrases) and len(folded) == 1)


def _take_symbols(chunk: str) -> tuple[str, str]:
    """Each symbol of a chunk; and those that stand together, ready for the index."""
    if chunk[:-1].isalnum() and chunk[-1] in CLOSING:
        return _ALONE[chunk[-1]]  # most of all: a word that ends a clause
    word = chunk.strip(RIM)
    if word.isalnum() and len(chunk) - len(word) == 1:
        # A word that ends a clause, or the first one in brackets.
        symbol = chunk[0] if chunk[-1] == word[-1] else chunk[-1]
        if (chunk[0] == symbol) != (symbol in CLOSING):
            return _ALONE[symbol]
    singles: list[str] = []
    phrases: list[str] = []
    pattern = RUNS_OF_SHORT() if len(chunk) <= LONGEST_WORD else RUNS()
    for left, run, right in pattern.findall(chunk):
        known = _ROWS[run]
        singles.append(known.singles)
        if known.is_indexed[2 * bool(left) + bool(right)]:
            phrases.append(f"{left} {known.spaced} {right}".strip())
    # In their order, so that a chunk gives the same in any process.
    found = "".join(dict.fromkeys("".join(singles)))
    return (found, APART.join(phrases)) if phrases else _ALONE[found]


_ALONE: Memo[tuple[str, str]] = Memo(
    lambda symbols: (symbols, ""), most=MOST_ROWS, longest=LONGEST_ROW
)
"""Most chunks have few symbols, which stand alone: one pair of texts for all of these."""
_CHUNKS = Memo(_take_symbols, most=MOST_CHUNKS, longest=LONGEST_KEPT)
"""What the index takes of a chunk that is more than a word."""


def _is_indexed(left: str, run: str, right: str) -> bool:
    """Tell whether a run is given in its place: not where it ends or begins a clause.

    One that contains a run which is given, beside the same words, is given too.
    """
    if len(run) > LONGEST_COMMON or len(set(run)) < len(run):
        return True
    if CLOSING.issuperset(run):
        return right != "" and not OPENING.issuperset(run)
    if OPENING.issuperset(run):
        return left != ""
    return len(run) > 1 or left + right != ""


def _is_surely_indexed(left: str, run: str, right: str) -> bool:
    """Tell whether a run is given wherever a text has it, whatever else it touches there."""
    return len(run) <= LONGEST_ROW and _is_indexed(left, run, right)


def _phrase(left: str, run: str, right: str) -> str:
    """Symbols one by one, with the word on either side that they touch."""
    return f"{left} {_ROWS[run].spaced} {right}".strip()


class _Row(NamedTuple):
    """Symbols that stand together: each once, all of them between spaces, and whether they count.

    That with no word beside them, with one after them, with one before them, and with both.
    """

    singles: str
    spaced: str
    is_indexed: tuple[bool, ...]


def _row(run: str) -> _Row:
    is_indexed = tuple(
        _is_indexed(left, run, right) for left, right in product(("", "a"), repeat=2)
    )
    singles = "".join(dict.fromkeys(run))
    if len(run) > LONGEST_ROW:
        run = ROWS().sub(lambda row: row.group()[:LONGEST_ROW], run)
    return _Row(singles, " ".join(run).replace(GAP, GAP * 2), is_indexed)


_ROWS = Memo(_row, most=MOST_ROWS, longest=LONGEST_ROW)


def _token(symbol: str) -> str:
    """A symbol as a token; the one that stands for a gap is doubled."""
    return symbol * 2 if symbol == GAP else symbol

"""Characters that are no letters, as the index knows them: `C++`, `--force`, `::`, `→`.

A section is given each of its symbols once, and where they stand together or touch a word, these in
their order. Common punctuation in its common place is not: it is in every sentence.
"""

from __future__ import annotations

import re
from itertools import compress, filterfalse, product
from operator import not_
from typing import TYPE_CHECKING

from tebiki.manuals.text.folding import JAPANESE, Memo, lazy_pattern
from tebiki.manuals.text.pieces import PIECE_CHARS, pieces
from tebiki.manuals.text.tokenizer import APART, GAP, LINE_END
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CLOSING = frozenset(".,;:!?)]'\"』】")
OPENING = frozenset("([\"'『【")
RIM = "".join(CLOSING | OPENING)
JAPANESE_SYMBOLS = "、。「」・"
"""In every sentence, and looked for one by one."""

CHUNKS = lazy_pattern(rf"\n|[^{JAPANESE}{JAPANESE_SYMBOLS} \x00-\x1f]+")
"""Words with the symbols that touch them, where spaces alone do not part them; and line ends."""

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
    if len(folded) <= PIECE_CHARS:
        return symbols_of_all([folded])[0]
    is_split = _parts_at_spaces(folded)
    # In their order: a text gives the same in any process.
    found = [_of_some([one.text], is_split=is_split)[0] for one in pieces(folded, check)]
    return _each_once(APART.join(filter(None, found)))


def symbols_of_all(texts: Sequence[str]) -> list[str]:
    """As `symbol_tokens` for many texts that are not large."""
    are_split = list(map(_parts_at_spaces, texts))
    split = iter(_of_some(list(compress(texts, are_split)), is_split=True))
    others = iter(_of_some(list(compress(texts, map(not_, are_split))), is_split=False))
    return [next(split if is_split else others) for is_split in are_split]


def symbols_of_chunk(chunk: str) -> str:
    """As `symbol_tokens` for what stands between two spaces of a text whose words they part."""
    return _take_symbols(chunk)


def _parts_at_spaces(folded: str) -> bool:
    return folded.isascii() or folded.count(" ") * LONG_CHUNK > len(folded)


def _of_some(texts: list[str], *, is_split: bool) -> list[str]:
    """The symbols of texts that are parted alike: into chunks, a line end among these."""
    if is_split:
        chunks = f" {LINE_END} ".join(texts).split(" ")
    else:
        chunks = CHUNKS().findall(LINE_END.join(texts))
    odd = filterfalse(str.isalnum, chunks)
    taken = APART.join(["", *filter(None, map(_CHUNKS.__getitem__, odd)), ""]).split(LINE_END)
    found = ["" if one == APART else _each_once(one[len(APART) : -len(APART)]) for one in taken]
    if is_split:
        return found[: len(texts)]
    alone = [APART.join(filter(text.__contains__, JAPANESE_SYMBOLS)) for text in texts]
    # Without any texts there is one line.
    return [APART.join(filter(None, both)) for both in zip(alone, found, strict=False)]


def _each_once(symbols: str) -> str:
    return APART.join(dict.fromkeys(symbols.split(APART)))


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


def _take_symbols(chunk: str) -> str:
    """Each symbol of a chunk, and those that stand together, as tokens for the index."""
    if chunk[:-1].isalnum() and chunk[-1] in CLOSING:
        return chunk[-1]  # most of all: a word that ends a clause
    if chunk == LINE_END:
        return chunk
    word = chunk.strip(RIM)
    if word.isalnum() and len(chunk) - len(word) == 1:
        # A word that ends a clause, or the first one in brackets.
        symbol = chunk[0] if chunk[-1] == word[-1] else chunk[-1]
        if (chunk[0] == symbol) != (symbol in CLOSING):
            return symbol
    pattern = RUNS_OF_SHORT() if len(chunk) <= LONGEST_WORD else RUNS()
    found: dict[str, None] = {}  # in their order, so that a chunk gives the same in any process
    for left, run, right in pattern.findall(chunk):
        singles, spaced, is_indexed = _ROWS[run]
        found.update(singles)
        if is_indexed[2 * bool(left) + bool(right)]:
            found[f"{left} {spaced} {right}".strip()] = None
    return APART.join(found)


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

    singles: dict[str, None]
    spaced: str
    is_indexed: tuple[bool, ...]


def _row(run: str) -> _Row:
    is_indexed = tuple(
        _is_indexed(left, run, right) for left, right in product(("", "a"), repeat=2)
    )
    singles = dict.fromkeys(map(_token, run))
    if len(run) > LONGEST_ROW:
        run = ROWS().sub(lambda row: row.group()[:LONGEST_ROW], run)
    return _Row(singles, " ".join(run).replace(GAP, GAP * 2), is_indexed)


_ROWS = Memo(_row, most=MOST_ROWS, longest=LONGEST_ROW)


def _token(symbol: str) -> str:
    """A symbol as a token; the one that stands for a gap is doubled."""
    return symbol * 2 if symbol == GAP else symbol

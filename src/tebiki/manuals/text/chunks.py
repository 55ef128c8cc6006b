"""Many texts taken apart by what stands between their spaces, which a manual says again and again.

A word with the signs that touch it (`(see`, `--force,`) has the same tokens and the same symbols
wherever it stands, if all of it is plain ASCII: so they are remembered. What the texts of many
files have is looked up in one go; new chunks are taken apart together, as `lines` does it. All
other texts are taken apart by `lines` and `symbols` themselves.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import filterfalse
from typing import TYPE_CHECKING, Any

from tebiki.manuals.text.folding import Memo, tidy_by_patterns
from tebiki.manuals.text.lines import kinds_of, tokens_of_all, tokens_of_tidied
from tebiki.manuals.text.pieces import PIECE_CHARS
from tebiki.manuals.text.symbols import symbol_tokens, symbols_of_all, symbols_of_chunk
from tebiki.manuals.text.tokenizer import APART, GAP, LINE_END, MARK
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SIGNS = "\x02"
"""Around the symbols of a chunk, as `MARK` is around the joined forms of its names."""

TEXT_END = f" {LINE_END}{MARK}{LINE_END}{MARK}{SIGNS}{LINE_END}{SIGNS}"
"""What a mark between two texts is taken for: a line end among the tokens of each kind."""

BEFORE_GAP = f" {GAP}"
MOST_CHUNKS = 60_000
MOST_OF_BUILDER = 120_000
"""Remembered by a process that does nothing else: of English MDN one chunk in twelve is new then,
and one in eleven otherwise."""

LONGEST_CHUNK = 100


class Apart(NamedTuple):
    """Texts taken apart, in columns: folded, their words as in `Tokens`, symbols for the index."""

    folded: list[str]
    words: list[str]
    symbols: list[str]


def take_apart(
    texts: Sequence[str], check: Callable[[], None] = lambda: None, size: int = PIECE_CHARS
) -> Apart:
    """Take texts apart, about `size` characters at a time; `check` is called often, may raise."""
    found = Apart([], [], [])
    for some in _in_parts(texts, size):
        check()
        is_large = len(some[0]) > size
        made = _take_large(some[0], check, size) if is_large else _take_some(some)
        for column, more in zip(found, made, strict=True):
            column.extend(more)
    return found


def remember_more() -> None:
    """Remember what a process may that does nothing else."""
    _CHUNKS.hold(MOST_OF_BUILDER)


def _in_parts(texts: Sequence[str], size: int) -> Iterator[list[str]]:
    some: list[str] = []
    chars = 0
    for text in texts:
        chars += len(text)
        if some and chars > size:
            yield some
            some, chars = [], len(text)
        some.append(text)
    if some:
        yield some


def _take_large(text: str, check: Callable[[], None], size: int) -> Apart:
    (tokens,) = tokens_of_all([text], check, size)
    return Apart([tokens.folded], [tokens.words], [symbol_tokens(tokens.folded, check)])


def _take_some(texts: list[str]) -> Apart:
    tidied = [text if text.isascii() else tidy_by_patterns(text) for text in texts]
    plain = list(filter(str.isascii, tidied))
    whole = f" {MARK} ".join(plain)
    if whole.count(MARK) >= max(len(plain), 1):  # a text has one itself
        return _take_others(list(map(tidy_by_patterns, texts)))
    of_plain = _take_plain(whole)
    if len(plain) == len(tidied):
        return of_plain
    of_others = _take_others(list(filterfalse(str.isascii, tidied)))
    are_plain = list(map(str.isascii, tidied))
    return Apart(*map(partial(_merge, are_plain), of_plain, of_others))


def _merge(are_first: list[bool], first: list[str], second: list[str]) -> list[str]:
    firsts, seconds = iter(first), iter(second)
    return [next(firsts if is_first else seconds) for is_first in are_first]


def _take_others(lines: list[str]) -> Apart:
    tokens = tokens_of_tidied(lines)
    folded = [one.folded for one in tokens]
    return Apart(folded, [one.words for one in tokens], symbols_of_all(folded))


def _take_plain(whole: str) -> Apart:
    """The tokens and symbols of texts in ASCII between marks, tidied or not."""
    chunks = whole.split()
    folded = " ".join(chunks).lower().split(MARK)
    parts = "".join(_taken(chunks)).split(SIGNS)
    symbols = APART.join(["", *parts[1::2], ""]).split(LINE_END)
    parts = "".join(parts[::2]).split(MARK)
    joined = " ".join(["", *parts[1::2], ""]).split(LINE_END)
    # Where nothing is between two gaps, one of them is enough.
    between = "".join([*parts[::2], " "]).split(BEFORE_GAP)
    words = BEFORE_GAP.join(filter(None, between))
    return Apart(
        list(map(str.strip, folded)),
        # What parts the first word from nothing parts nothing.
        [
            (line[2:] if line.startswith(APART) else line) + names[1:]
            for line, names in zip(words.split(LINE_END), joined, strict=True)
        ],
        ["" if one == APART else _each_once(one[3:-3]) for one in symbols],
    )


def _each_once(symbols: str) -> str:
    return APART.join(dict.fromkeys(symbols.split(APART)))


def _taken(chunks: list[str]) -> list[str]:
    """What the index is to know of each chunk."""
    known: list[Any] = list(map(_CHUNKS.get, chunks))
    if None in known:
        new: list[int] = []
        with suppress(ValueError):
            while True:
                new.append(known.index(None, new[-1] + 1 if new else 0))
        wanted = dict.fromkeys([chunks[at] for at in new])
        made = _CHUNKS.recall(wanted)
        if unknown := [chunk for chunk in wanted if chunk not in made]:
            made |= _take_new(unknown)
        _CHUNKS.keep({chunk: one for chunk, one in made.items() if len(chunk) <= LONGEST_CHUNK})
        for at in new:
            known[at] = made[chunks[at]]
    return known


def _take_new(chunks: list[str]) -> dict[str, str]:
    """What the index is to know of chunks: words, joined forms of names and symbols."""
    words, _, _, _, joined = kinds_of(chunks, LINE_END.join(chunks))
    made: dict[str, str] = {}
    for chunk, found, names in zip(chunks, words, joined, strict=True):
        told = found[:-1] if names == " " else f"{found[:-1]}{MARK}{names[1:-1]}{MARK}"
        if not chunk.isalnum() and (symbols := symbols_of_chunk(chunk.lower())):
            told = f"{told}{SIGNS}{symbols}{SIGNS}"
        made[chunk] = told
    if MARK in made:
        made[MARK] = TEXT_END
    return made


_CHUNKS = Memo(str, most=MOST_CHUNKS, longest=LONGEST_CHUNK)

"""Texts taken apart, many in one go: their tokens and bigrams for the index.

One by one the small sections of a manual cost more in calls than in signs. A tidied text has no
line end, so texts become the lines of one, which is searched once for each kind of token; what is
found is then shared out by the line ends that are found along with it.
"""

from __future__ import annotations

import re
import sys
from array import array
from typing import TYPE_CHECKING, NamedTuple

from tebiki.manuals.text.folding import lower, plainly_lower, tidy
from tebiki.manuals.text.pieces import PIECE_CHARS, pieces
from tebiki.manuals.text.signs import (
    JAPANESE,
    KANJI,
    KATAKANA,
    is_japanese,
    is_kanji,
    is_katakana,
    late,
)
from tebiki.manuals.text.tokenizer import (
    APART,
    ASCII_NAME,
    GAP,
    JOINED,
    LINE_END,
    NAME,
    NUMBERS,
    SPELT,
    Tokens,
    counted_tokens,
    indexed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SOFT = r"\w\s\"'`*~()\[\]<>{}"
"""What may stand between two words that follow each other: spaces, quotes and marks of style."""

WORDS = late(rf"({NAME}|\n)|(?:[{JAPANESE}]|[^{SOFT}])(?:[{JAPANESE}]+|[^\w\n]+|_+)*")
"""Words, names, numbers and codes; an empty one where something else parts two of them."""

ASCII_WORDS = re.compile(rf"({ASCII_NAME}|\n)|[^{SOFT}](?:[^\w\n]+|_+)*")
"""As `WORDS` for text without any other sign."""

# Each begins with a class of signs, and a line end among them: a search skips whatever is in none.
KATAKANA_WORDS = late(rf"[{KATAKANA}\n](?:(?<=\n)|[{KATAKANA}]+)")
LONE_KANJI = late(rf"[{KANJI}\n](?:(?<=\n)|(?![{KANJI}])(?<![{KANJI}].))")
JAPANESE_RUNS = late(rf"[{JAPANESE}\n](?:(?<=\n)|[{JAPANESE}]+)")
HAS_DIGITS = re.compile("[0-9]").search

PAIRS_LIKE_ONE = re.compile(r"(?<!\S)\S(\S) (?=\1\S(?!\S))")
"""Two words of two signs that look like the bigrams of one word."""

WIDE = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
SIGN = "I"
"""Four bytes, as `WIDE` has them."""

SPACE = " ".encode(WIDE)


class _Kinds(NamedTuple):
    """The tokens of one line, each kind in the order of the text."""

    words: Sequence[str]
    joined: Sequence[str]
    katakana: Sequence[str]
    kanji: Sequence[str]
    counted: Sequence[str]


def tokens_of(
    text: str, check: Callable[[], None] = lambda: None, size: int = PIECE_CHARS
) -> Tokens:
    """Take one text apart; see `tokens_of_all`."""
    return tokens_of_all([text], check, size)[0]


def tokens_of_all(
    texts: Sequence[str], check: Callable[[], None] = lambda: None, size: int = PIECE_CHARS
) -> list[Tokens]:
    """Take texts apart, about `size` signs at a time; `check` is called in between, may raise."""
    found: list[Tokens] = []
    lines: list[str] = []
    chars = 0
    for text in texts:
        if chars + len(text) > size:
            found += _tokens_of_lines(lines)
            lines, chars = [], 0
            check()
        if len(text) > size:
            found.append(_tokens_of_large(text, check, size))
        else:
            lines.append(tidy(text))
            chars += len(text)
    return found + _tokens_of_lines(lines)


def _tokens_of_lines(lines: list[str]) -> list[Tokens]:
    if not lines:
        return []
    whole = LINE_END.join(lines)
    every = map(_spaced, _kinds(lines, whole))
    folded = plainly_lower(whole)
    told = folded.split(LINE_END) if folded is not None else map(lower, lines)
    return list(map(Tokens, told, every))


def _tokens_of_large(text: str, check: Callable[[], None], size: int) -> Tokens:
    folded: list[str] = []
    every: tuple[list[str], ...] = ([], [], [], [], [])
    for piece in pieces(text, check, size):
        tidied = tidy(piece.text)
        for kinds in _kinds([tidied], tidied):
            is_parted = every[0][-1:] == kinds.words[:1] == [GAP]
            every[0].extend(kinds.words[is_parted:])
            for all_of_kind, of_piece in zip(every[1:], kinds[1:], strict=True):
                all_of_kind.extend(of_piece)
        if piece.has_space and folded:
            folded.append(" ")
        if tidied:
            folded.append(lower(tidied))
    return Tokens("".join(folded), _spaced(_Kinds(*every)))


def _spaced(kinds: _Kinds) -> str:
    words, joined, katakana, kanji, counted = kinds
    if words and words[0] == GAP:
        words = words[1:]  # nothing to part
    return f" {' '.join([*words, *katakana, *kanji, *counted, *joined])} "


def _kinds(lines: list[str], whole: str) -> Iterable[_Kinds]:
    """The tokens of each line of tidied text."""
    is_ascii, count = whole.isascii(), len(lines)
    runs = (ASCII_WORDS if is_ascii else WORDS()).findall(whole)
    words = _by_line(list(map(SPELT.__getitem__, runs)), count)
    joined = _by_line([name for run in runs if (name := JOINED[run])], count)
    if is_ascii:
        return [_Kinds(*both, (), (), ()) for both in zip(words, joined, strict=True)]
    katakana = _by_line(_kept_apart(KATAKANA_WORDS().findall(whole)), count)
    kanji = _by_line(LONE_KANJI().findall(whole), count)
    counted = [_counted(line) if HAS_DIGITS(line) else () for line in lines]
    return map(_Kinds, words, joined, katakana, kanji, counted)


def _by_line(found: list[str], lines: int, end_of_line: str = LINE_END) -> list[list[str]]:
    """What was found, parted where a line end was."""
    shared: list[list[str]] = []
    start = 0
    for _ in range(lines - 1):
        end = found.index(end_of_line, start)
        shared.append(found[start:end])
        start = end + 1
    shared.append(found[start:])
    return shared


def _kept_apart(katakana: list[str]) -> list[str]:
    """Words without their last long vowel, and a gap where two would look like one's bigrams."""
    words = [word.rstrip("ー") for word in katakana]
    together = " ".join(words)
    if not PAIRS_LIKE_ONE.search(together):
        return words
    return PAIRS_LIKE_ONE.sub(rf"\g<0>{GAP} ", together).split(" ")


def _counted(tidied: str) -> list[str]:
    """The numbers of a text with the signs around them: `第12条`, `31日`.

    No sign belongs to two of them.
    """
    words: list[str] = []
    taken = 0
    for match in NUMBERS.finditer(tidied):
        start, end = match.span()
        before = tidied[start - 1] if start > taken and is_kanji(tidied[start - 1]) else ""
        after = tidied[end : end + 1]
        after = after if is_kanji(after) or is_katakana(after) else ""
        taken = end + len(after)
        words.extend(counted_tokens(before, match.group(), after))
    return words


def indexed_all(
    texts: Sequence[Tokens], check: Callable[[], None] = lambda: None, size: int = PIECE_CHARS
) -> list[str]:
    """Everything the index is to know of texts, bigrams included; `check` as above."""
    grams = bigrams_of_all([one.folded for one in texts], check, size)
    return list(map(indexed, grams, (one.words for one in texts)))


def bigrams_of_all(
    texts: Sequence[str], check: Callable[[], None] = lambda: None, size: int = PIECE_CHARS
) -> list[str]:
    """The bigrams of folded texts with spaces between them, and gaps between runs."""
    found: list[str] = []
    lines: list[str] = []
    chars = 0
    for text in texts:
        if chars + len(text) > size:
            found += _woven(lines)
            lines, chars = [], 0
            check()
        if len(text) > size:
            found.append(_bigrams_of_large(text, check, size))
        else:
            lines.append(text)
            chars += len(text)
    return found + _woven(lines)


def _bigrams_of_large(folded: str, check: Callable[[], None], size: int) -> str:
    found: list[str] = []
    for start in range(0, len(folded) - 1, size):
        check()
        # The first sign of the next piece is the second one of a pair.
        (woven,) = _woven([folded[start : start + size + 1]])
        if woven:
            goes_on = start and all(map(is_japanese, folded[start - 1 : start + 2]))
            found.extend([" " if goes_on else APART, woven])
    return "".join(found[1:])


def _woven(lines: list[str]) -> list[str]:
    """The bigrams of each line.

    A string for each would be most of the work of building an index, so all of them are woven at
    once: first signs, second signs and spaces, each a column of one block of memory.
    """
    whole = LINE_END.join(lines)
    if whole.isascii():
        return [""] * len(lines)
    runs = JAPANESE_RUNS().findall(whole)
    signs = array(SIGN, " ".join([LINE_END, *runs, LINE_END]).encode(WIDE))
    woven = array(SIGN, SPACE) * (3 * (len(signs) - 1))
    woven[0::3] = signs[:-1]
    woven[1::3] = signs[1:]
    # `AB CD` became `A AB B   C CD D`: three spaces where runs meet, half a pair on each side.
    # Of a line end, which is a run of one sign, nothing but such halves is left.
    met = [run[2:-2] for run in woven.tobytes().decode(WIDE).split("   ")[1:-1]]
    return list(map(APART.join, _by_line(met, len(lines), "")))

"""Tokens of a text: bigrams of Japanese, stems of words, parts and joined forms of names and codes.

The same for sections and questions. Which tokens a question weighs is `ranking`'s business.
"""

from __future__ import annotations

import re
import sys
from array import array
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tebiki.manuals.text.folding import lower, tidy
from tebiki.manuals.text.memo import Memo
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
from tebiki.manuals.text.stemming import STEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WORD = rf"[^\W_{JAPANESE}]"

SOFT = r"\w\s\"'`*~()\[\]<>{}"
"""What may stand between two words that follow each other: spaces, quotes and marks of style."""

JAPANESE_RUNS = late(rf"[{JAPANESE}]{{2,}}")
WORD_RUNS = late(rf"({WORD}+(?:[-_.&+']{WORD}+)*)|(?:[{JAPANESE}]|[^{SOFT}])[\W_{JAPANESE}]*")
"""Words, names, numbers and codes; an empty one where something else parts two of them."""

ASCII_WORD_RUNS = re.compile(rf"([^\W_]+(?:[-_.&+'][^\W_]+)*)|[^{SOFT}][\W_]*")
ASCII_RUNS = re.compile(r"[^\W_]+(?:[-_.&+'][^\W_]+)*")
"""As `WORD_RUNS` and `RUNS` for text without any other sign."""

RUNS = late(rf"[{JAPANESE}]+|{WORD}+(?:[-_.&+']{WORD}+)*")
KATAKANA_RUNS = re.compile(rf"[{KATAKANA}]{{2,}}")
LONE_KANJI = late(rf"(?<![{KANJI}])[{KANJI}](?![{KANJI}])")
NUMBERS = re.compile(r"[0-9][0-9,.]*[0-9]|[0-9]")
PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W0-9_A-Za-z]+")
WIDE = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
SPACE = " ".encode(WIDE)
SIGN = "I"
"""Four bytes, as `WIDE` has them."""

GAP = "|"
"""Stands between tokens that are no neighbours in the text; the index counts it and forgets it."""

APART = f" {GAP} "
PAIR = 2
LONGEST_JOINED = 48
MOST_RUNS = 200_000
LONGEST_KEPT = 100
"""What is longer is no word that a manual repeats."""


class Tokens(NamedTuple):
    """A text as search sees it: folded, and its tokens beside the bigrams, between spaces.

    Words stand in the order of the text, one beside the other only if nothing parts them there;
    the joined forms of names come last.
    """

    folded: str
    words: str

    def indexed(self) -> str:
        """Everything the index is to know, bigrams included."""
        return indexed(spaced_bigrams(self.folded), self.words)


def indexed(grams: str, words: str) -> str:
    """Bigrams and words together; none of the one is beside any of the other."""
    return f"{grams} {GAP}{words}" if grams else words


def tokens_of(
    text: str, check: Callable[[], None] = lambda: None, size: int = PIECE_CHARS
) -> Tokens:
    """Take a text apart, a piece at a time; `check` is called in between, and may raise."""
    folded: list[str] = []
    words: list[str] = []
    joined: list[str] = []
    katakana: list[str] = []
    kanji: list[str] = []
    counted: list[str] = []
    for piece in pieces(text, check, size):
        tidied = tidy(piece.text)
        is_ascii = tidied.isascii()
        runs = (ASCII_WORD_RUNS if is_ascii else WORD_RUNS()).findall(tidied)
        if runs and not runs[0] and (not words or words[-1] == GAP):
            del runs[0]  # nothing to part, or parted already
        words.extend(map(_SPELT.__getitem__, runs))
        joined.extend(filter(None, map(_JOINED.__getitem__, runs)))
        if not is_ascii:
            katakana.extend(run.rstrip("ー") for run in KATAKANA_RUNS.findall(tidied))
            kanji.extend(LONE_KANJI().findall(tidied))
            counted.extend(_counted(tidied))
        if piece.has_space and folded:
            folded.append(" ")
        if tidied:
            folded.append(lower(tidied))
    every = [*words, *_kept_apart(katakana), *kanji, *counted, *joined]
    return Tokens("".join(folded), f" {' '.join(every)} ")


def _kept_apart(katakana: list[str]) -> list[str]:
    """Words of katakana, with a gap where two of them would look like the bigrams of one."""
    if not any(_look_like_one(*both) for both in pairwise(katakana)):
        return katakana
    apart = katakana[:1]
    for before, after in pairwise(katakana):
        apart.extend([GAP, after] if _look_like_one(before, after) else [after])
    return apart


def _look_like_one(before: str, after: str) -> bool:
    return len(before) == len(after) == PAIR and before[1] == after[0]


def runs_of(tidied: str) -> Iterator[re.Match[str]]:
    """What tokens are made of: Japanese without a gap, or a word, name, number or code."""
    return (ASCII_RUNS if tidied.isascii() else RUNS()).finditer(tidied)


def bigrams(folded: str) -> list[str]:
    """Every pair of neighbours in Japanese, across the borders of kanji and kana."""
    return spaced_bigrams(folded).replace(APART, " ").split()


def spaced_bigrams(
    folded: str, check: Callable[[], None] = lambda: None, size: int = PIECE_CHARS
) -> str:
    """The bigrams with spaces between them, and gaps between runs; `check` as in `tokens_of`."""
    if folded.isascii():
        return ""
    if len(folded) <= size:
        return _woven(folded)
    found: list[str] = []
    for start in range(0, len(folded) - 1, size):
        check()
        # The first sign of the next piece is the second one of a pair.
        if woven := _woven(folded[start : start + size + 1]):
            goes_on = start and all(map(is_japanese, folded[start - 1 : start + 2]))
            found.extend([" " if goes_on else APART, woven])
    return "".join(found[1:])


def _woven(folded: str) -> str:
    """The bigrams of a piece.

    A string for each would be most of the work of building an index, so all of them are woven at
    once: first signs, second signs and spaces, each a column of one block of memory.
    """
    if not (runs := JAPANESE_RUNS().findall(folded)):
        return ""
    signs = array(SIGN, " ".join(runs).encode(WIDE))
    woven = array(SIGN, SPACE) * (3 * (len(signs) - 1))
    woven[0::3] = signs[:-1]
    woven[1::3] = signs[1:]
    # `AB CD` became `AB B   C CD `: three spaces where runs meet, with half a pair on each side.
    met = woven.tobytes().decode(WIDE)[:-1].split("   ")
    if len(met) == 1:
        return met[0]
    return APART.join([met[0][:-2], *(run[2:-2] for run in met[1:-1]), met[-1][2:]])


def word_tokens(run: str) -> tuple[str, ...]:
    """The tokens of a word, name or code: its stem, or its parts and the joined form."""
    return _WORDS[run]


def spelt_in(tidied: str) -> str:
    """Words as they stand in `Tokens.words`, where nothing but spaces parts them."""
    return " ".join(_SPELT[run.group()] for run in runs_of(tidied) if not is_japanese(run[0]))


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


def counted_tokens(before: str, number: str, after: str) -> list[str]:
    """A number together with the signs around it."""
    plain = number.replace(",", "")
    found = [plain + after] if after else []
    if before:
        found.append(before + plain)
        if after:
            found.append(before + plain + after)
    return found


def parts_of(run: str) -> list[str]:
    """The parts of a name written in camelCase, kebab-case, with dots or with digits."""
    return [lower(part) for part in PARTS.findall(run)]


def _owned(run: str) -> str:
    return run[:-2] if run.endswith(("'s", "'S")) else run


def _tokens_of_run(run: str) -> tuple[str, ...]:
    parts = parts_of(_owned(run))
    if len(parts) <= 1:
        return (STEMS[lower(_owned(run))],)
    joined = "".join(parts)
    found = [STEMS[part] for part in parts if _says_something(part)]
    if len(joined) <= LONGEST_JOINED:
        found.append(STEMS[joined])
    # Nothing but single letters, too many to join: they are all there is.
    return tuple(dict.fromkeys(found or parts))


def _says_something(part: str) -> bool:
    """Tell a part of a name from a single letter."""
    return len(part) > 1 or part.isdigit()


def _spelt(run: str) -> str:
    """A run as it stands in a text: its parts, with a gap between any two.

    A single letter stands there as no question asks for it, so that the place of it is known.
    """
    if not run:
        return GAP
    parts = parts_of(_owned(run))
    if len(parts) <= 1:
        return STEMS[lower(_owned(run))]
    has_more = any(map(_says_something, parts)) or len("".join(parts)) <= LONGEST_JOINED
    return APART.join(
        STEMS[part] if _says_something(part) or not has_more else part + GAP for part in parts
    )


def _joined(run: str) -> str:
    """The joined form of a name after a gap; nothing for a plain word."""
    parts = parts_of(_owned(run))
    joined = "".join(parts)
    return f"{GAP} {STEMS[joined]}" if len(parts) > 1 and len(joined) <= LONGEST_JOINED else ""


_WORDS = Memo(_tokens_of_run, most=MOST_RUNS, longest=LONGEST_KEPT)
_SPELT = Memo(_spelt, most=MOST_RUNS, longest=LONGEST_KEPT)
_JOINED = Memo(_joined, most=MOST_RUNS, longest=LONGEST_KEPT)

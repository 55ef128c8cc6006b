"""Texts taken apart, many in one go: their tokens and bigrams for the index.

One by one the small sections of a manual cost more in calls than in length. A tidied text has no
line end, so texts become the lines of one, which is searched once for each kind of token; what is
found is then shared out by the line ends that are found along with it.
"""

from __future__ import annotations

import re
import sys
from array import array
from typing import TYPE_CHECKING, TypeVar

from tebiki.manuals.text.folding import (
    JAPANESE,
    KANJI,
    KATAKANA,
    is_japanese,
    is_kanji,
    is_katakana,
    lazy_pattern,
    lower,
    plainly_lower,
    tidy_by_patterns,
)
from tebiki.manuals.text.pieces import PIECE_CHARS, pieces
from tebiki.manuals.text.tokenizer import (
    APART,
    GAP,
    LINE_END,
    MARK,
    NAME,
    NUMBERS,
    RUNS,
    Tokens,
    counted_tokens,
    join_tokens,
    learn,
)
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Made = TypeVar("Made")

SOFT = r"\w\s\"'`*~()\[\]<>{}"
"""What may stand between two words that follow each other: spaces, quotes and marks of style."""

WORDS = lazy_pattern(rf"({NAME}|\n)|(?:[{JAPANESE}]|[^{SOFT}])(?:[{JAPANESE}]+|[^\w\n]+|_+)*")
"""Words, names, numbers and codes; an empty one where something else parts two of them."""

ASCII_WORDS = re.compile(
    r"[A-Za-z0-9]+(?:[-_.&+'][A-Za-z0-9]+)*|\n|[^A-Za-z0-9_\s\"'`*~()\[\]<>{}][^A-Za-z0-9\n]*"
)
"""As `WORDS` for text without any other character, and with what parts two words as it stands.

Without a group, and by the plainest classes, the same is found in half the time.
"""

# Each begins with a class of characters, a line end among them: a search skips all others.
KATAKANA_WORDS = lazy_pattern(rf"[{KATAKANA}\n](?:(?<=\n)|[{KATAKANA}]+)")
LONE_KANJI = lazy_pattern(rf"[{KANJI}\n](?:(?<=\n)|(?![{KANJI}])(?<![{KANJI}].))")
JAPANESE_RUNS = lazy_pattern(rf"[{JAPANESE}\n](?:(?<=\n)|[{JAPANESE}]+)")
HAS_DIGITS = re.compile("[0-9]").search

PAIRS_LIKE_ONE = re.compile(r"(?<!\S)\S(\S) (?=\1\S(?!\S))")
"""Two words of two characters that look like the bigrams of one word."""

WIDE = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
CODE_POINT = "I"
"""Four bytes, as `WIDE` has them."""

SPACE = " ".encode(WIDE)


def tokens_of_all(
    texts: Sequence[str], check: Callable[[], None] = lambda: None, size: int = PIECE_CHARS
) -> list[Tokens]:
    """Take texts apart, about `size` characters at a time; `check` is called often, may raise."""
    return _of_all(texts, _tokens_of_texts, _tokens_of_large, check, size)


def _of_all(
    texts: Sequence[str],
    of_some: Callable[[list[str]], list[Made]],
    of_large: Callable[[str, Callable[[], None], int], Made],
    check: Callable[[], None],
    size: int,
) -> list[Made]:
    """What is made of texts: of some with `size` characters together, or of a larger one alone."""
    if texts and sum(map(len, texts)) <= size:
        return of_some(list(texts))
    found: list[Made] = []
    some: list[str] = []
    chars = 0
    for text in texts:
        if some and chars + len(text) > size:
            found += of_some(some)
            check()
            some, chars = [], 0
        if len(text) > size:
            found.append(of_large(text, check, size))
        else:
            some.append(text)
            chars += len(text)
    return found + of_some(some) if some else found


def _tokens_of_texts(texts: list[str]) -> list[Tokens]:
    return tokens_of_tidied(list(map(tidy_by_patterns, texts)))


def tokens_of_tidied(lines: list[str]) -> list[Tokens]:
    """As `tokens_of_all` for some small texts that were tidied."""
    whole = LINE_END.join(lines)
    folded = plainly_lower(whole)
    folded_lines = map(lower, lines) if folded is None else folded.split(LINE_END)
    return list(map(Tokens, folded_lines, _together(kinds_of(lines, whole))))


def _tokens_of_large(text: str, check: Callable[[], None], size: int) -> Tokens:
    folded: list[str] = []
    parts: list[Kinds] = []
    for piece in pieces(text, check, size):
        tidied = tidy_by_patterns(piece.text)
        if piece.has_space and folded:
            folded.append(" ")
        if tidied:
            folded.append(lower(tidied))
        parts.append(kinds_of([tidied], tidied))
    (words,) = _together(Kinds.of_parts(parts))
    return Tokens("".join(folded), words)


class Kinds(NamedTuple):
    """The tokens of some lines by kind: for each line those of it, in order and between spaces."""

    words: list[str]
    katakana: list[str]
    kanji: list[str]
    counted: list[str]
    joined: list[str]

    @classmethod
    def of_parts(cls, parts: list[Kinds]) -> Kinds:
        """The tokens of a text from those of its parts, each of which is one line."""
        words, last = [" "], ""
        for part in parts:
            (found,) = part.words
            is_parted = last.endswith(APART) and found.startswith(APART)
            words.append(found[len(APART) if is_parted else 1 :])
            last = found if words[-1] else last
        katakana, *rest = (
            "".join([" ", *(one[1:] for (one,) in kind)])
            for kind in list(zip(*parts, strict=True))[1:]
        )
        return cls(["".join(words)], [_keep_apart(katakana)], *([kind] for kind in rest))


def _together(kinds: Kinds) -> list[str]:
    """All tokens of each line, one kind after the other."""
    return [
        # What parts the first word from nothing parts nothing.
        f"{words[len(APART) - 1 :] if words.startswith(APART) else words}"
        f"{katakana[1:]}{kanji[1:]}{counted[1:]}{joined[1:]}"
        for words, katakana, kanji, counted, joined in zip(*kinds, strict=True)
    ]


def kinds_of(lines: list[str], whole: str) -> Kinds:
    """The tokens of lines of tidied text, which are `whole` together."""
    is_ascii = whole.isascii()
    runs = (ASCII_WORDS if is_ascii else WORDS()).findall(whole)
    known = list(map(RUNS.get, runs))
    if None in known:
        learn([run for run, one in zip(runs, known, strict=True) if one is None])
        known = list(map(RUNS.__getitem__, runs))
    words = _join_spaced(filter(None, known)).split(LINE_END)
    joined = [" "] * len(words)
    for place, line in enumerate(words):
        if MARK in line:
            parts = line.split(MARK)
            words[place], joined[place] = "".join(parts[::2]), _join_spaced(parts[1::2])
    if is_ascii:
        nothing = [" "] * len(lines)
        return Kinds(words, nothing, nothing, nothing, joined)
    katakana = (word.rstrip("ー") for word in KATAKANA_WORDS().findall(whole))
    return Kinds(
        words,
        _keep_apart(_join_spaced(filter(None, katakana))).split(LINE_END),
        _join_spaced(LONE_KANJI().findall(whole)).split(LINE_END),
        [_join_spaced(_counted_words(line)) if HAS_DIGITS(line) else " " for line in lines],
        joined,
    )


def _join_spaced(tokens: Iterable[str]) -> str:
    return " ".join(["", *tokens, ""])


def _keep_apart(katakana: str) -> str:
    """Words, with a gap between two that would look like the bigrams of one."""
    return PAIRS_LIKE_ONE.sub(rf"\g<0>{GAP} ", katakana)


def _counted_words(tidied: str) -> list[str]:
    """The numbers of a text with the characters around them: `第12条`, `31日`.

    No character belongs to two of them.
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


def join_all_tokens(
    folded: Sequence[str],
    words: Sequence[str],
    check: Callable[[], None] = lambda: None,
    size: int = PIECE_CHARS,
) -> list[str]:
    """Everything the index is to know of texts, bigrams included; `check` as above."""
    if all(map(str.isascii, folded)):
        return list(words)
    return list(map(join_tokens, bigrams_of_all(folded, check, size), words))


def bigrams_of_all(
    texts: Sequence[str], check: Callable[[], None] = lambda: None, size: int = PIECE_CHARS
) -> list[str]:
    """The bigrams of folded texts with spaces between them, and gaps between runs."""
    return _of_all(texts, _weave_bigrams, _bigrams_of_large, check, size)


def _bigrams_of_large(folded: str, check: Callable[[], None], size: int) -> str:
    found: list[str] = []
    for start in range(0, len(folded) - 1, size):
        check()
        # The first character of the next piece is the second one of a pair.
        (woven,) = _weave_bigrams([folded[start : start + size + 1]])
        if woven:
            goes_on = start and all(map(is_japanese, folded[start - 1 : start + 2]))
            found.extend([" " if goes_on else APART, woven])
    return "".join(found[1:])


def _weave_bigrams(lines: list[str]) -> list[str]:
    """The bigrams of each line.

    A string for each would be most of the work of building an index, so all of them are woven at
    once: first characters, second characters and spaces, each a column of one block of memory.
    """
    whole = LINE_END.join(lines)
    if whole.isascii():
        return [""] * len(lines)
    runs = JAPANESE_RUNS().findall(whole)
    characters = array(CODE_POINT, " ".join([LINE_END, *runs, LINE_END]).encode(WIDE))
    woven = array(CODE_POINT, SPACE) * (3 * (len(characters) - 1))
    woven[0::3] = characters[:-1]
    woven[1::3] = characters[1:]
    # `AB CD` became `A AB B   C CD D`: three spaces where runs meet, half a pair on each side.
    # Of a line end, which is a run of one character, nothing but such halves is left.
    met = woven.tobytes().decode(WIDE).split("   ")[1:-1]
    spaced = APART.join([run[2:-2] or LINE_END for run in met])
    return [line.strip(APART) for line in spaced.split(LINE_END)]

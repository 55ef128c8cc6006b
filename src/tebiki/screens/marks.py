"""Where the words of a question stand in a text, for marking them. Pure."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from tebiki.manuals.text.query import question_of
from tebiki.manuals.text.tokenizer import word_tokens
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_WORDS = 32
MOST_MARKS = 2_000
"""In one text; whoever looks at more sees nothing but marks."""

SHORTEST_STEM = 3
LONGEST_QUESTION = 2_000


class Needle(NamedTuple):
    """A word to mark; a stem goes on to the end of the word that begins with it."""

    folded: str
    is_stem: bool


def needles_of(question: str) -> tuple[Needle, ...]:
    """The words of a question that are worth marking."""
    found: dict[Needle, None] = {}
    for unit in question_of(question[:LONGEST_QUESTION]).units[:MOST_WORDS]:
        found[Needle(_fold(unit.surface), is_stem=False)] = None
        found.update(_stems(unit.words))
    return tuple(needle for needle in found if needle.folded)


def needles_for(words: Iterable[str]) -> tuple[Needle, ...]:
    """Words of a question that a text has in this form or another, as needles."""
    found: dict[Needle, None] = {}
    for word in filter(None, map(_fold, list(words)[:MOST_WORDS])):
        found[Needle(word, is_stem=_is_word(word))] = None
        if _is_word(word):
            found.update(_stems(word_tokens(word)))
    return tuple(found)


def _stems(tokens: Iterable[str]) -> dict[Needle, None]:
    """Those of some tokens that are long enough to be marked as the beginning of a word."""
    return {
        Needle(token, is_stem=True): None
        for token in tokens
        if token.isascii() and token.isalpha() and len(token) >= SHORTEST_STEM
    }


def pieces_of(text: str, needles: tuple[Needle, ...]) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is marked."""
    at = 0
    for start, stop in spans_of(text, needles):
        if start > at:
            yield text[at:start], False
        yield text[start:stop], True
        at = stop
    if at < len(text):
        yield text[at:], False


def spans_of(text: str, needles: tuple[Needle, ...]) -> list[tuple[int, int]]:
    """From where to where words stand in a text, in order, none over another."""
    if not needles or not text:
        return []
    folded, places = _folded_with_places(text)
    found: list[tuple[int, int]] = []
    for needle in needles:
        found += _occurrences(folded, needle)
    spans: list[tuple[int, int]] = []
    for start, stop in sorted(found)[:MOST_MARKS]:
        first, last = (start, stop) if places is None else (places[start], places[stop - 1] + 1)
        if spans and first <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], last))
        else:
            spans.append((first, last))
    return spans


def _occurrences(folded: str, needle: Needle) -> Iterator[tuple[int, int]]:
    """Every place of a word; a word of Latin letters stands where a word begins."""
    word, is_stem = needle
    begins = _is_word(word)
    at = folded.find(word)
    while at >= 0:
        stop = at + len(word)
        if not begins or at == 0 or not _is_letter(folded[at - 1]):
            while is_stem and stop < len(folded) and _is_letter(folded[stop]):
                stop += 1
            if not begins or is_stem or stop == len(folded) or not _is_letter(folded[stop]):
                yield at, stop
        at = folded.find(word, stop)


def _is_word(word: str) -> bool:
    return word.isascii() and word.isalnum()


def _is_letter(sign: str) -> bool:
    return sign.isascii() and sign.isalnum()


def _folded_with_places(text: str) -> tuple[str, list[int] | None]:
    """The text as words are compared, and where each of its signs was; None where nothing moved."""
    if text.isascii():
        return text.lower(), None
    if unicodedata.is_normalized("NFKC", text) and len(lower := text.casefold()) == len(text):
        return lower, None
    signs: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        plain = _fold_sign(sign)
        signs.append(plain)
        places.extend([place] * len(plain))
    return "".join(signs), places


@lru_cache(maxsize=8192)
def _fold_sign(sign: str) -> str:
    return unicodedata.normalize("NFKC", sign).casefold()


def _fold(word: str) -> str:
    return "".join(map(_fold_sign, word))

"""English stems (Snowball), by the search engine's own stemmer: fast, and no dependency more.

Memoised by word, since a manual repeats its words. Other languages pass unchanged.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tebiki.manuals.text.memo import Memo

if TYPE_CHECKING:
    from tantivy import TextAnalyzer

MOST_WORDS = 200_000
LONGEST_WORD = 40
SHORTEST_WORD = 3


@cache
def _analyzer() -> TextAnalyzer:
    # Imported late: nothing but a search needs the engine.
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stemmer("english"))
    return builder.build()


def stems_of(words: list[str]) -> list[str]:
    """The stems of plain English words, each of them of `SHORTEST_WORD` to `LONGEST_WORD` letters.

    In one call of the engine, which costs as much as the stem of a word.
    """
    return _analyzer().analyze(" ".join(words))


def _stem(word: str) -> str:
    is_english = word.isascii() and SHORTEST_WORD <= len(word) <= LONGEST_WORD
    return _analyzer().analyze(word)[0] if is_english else word


STEMS = Memo(_stem, most=MOST_WORDS, longest=LONGEST_WORD)
"""The stem of a folded word: `STEMS["policies"]`."""

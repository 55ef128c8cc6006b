"""English stems (Snowball), by the search engine's own stemmer: fast, and no dependency more.

Memoised by word, since a manual repeats its words. Other languages pass unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tantivy import TextAnalyzer

MOST_WORDS = 200_000
LONGEST_WORD = 40
SHORTEST_WORD = 3


class _Stems(dict[str, str]):
    """Stems by word; filled as words are asked for."""

    _analyzer: TextAnalyzer | None = None

    def __missing__(self, word: str) -> str:
        stem = (
            self._stem(word)
            if word.isascii() and SHORTEST_WORD <= len(word) <= LONGEST_WORD
            else word
        )
        if len(self) >= MOST_WORDS:
            self.clear()
        self[word] = stem
        return stem

    def _stem(self, word: str) -> str:
        if self._analyzer is None:
            # Imported late: nothing but a search needs the engine.
            from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

            builder = TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stemmer("english"))
            self._analyzer = builder.build()
        return self._analyzer.analyze(word)[0]


STEMS = _Stems()
"""The stem of a folded word: `STEMS["policies"]`."""

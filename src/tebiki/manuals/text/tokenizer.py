"""What tokens are: bigrams of Japanese, stems of words, parts and joined forms of names and codes.

The same for sections and questions, and so are sentences. How whole texts are taken apart is told
in `lines`; which tokens a question weighs is `ranking`'s business.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from tebiki.manuals.text.folding import (
    JAPANESE,
    KANJI,
    Memo,
    fold,
    is_japanese,
    lazy_pattern,
    lower,
)
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tantivy import TextAnalyzer

MOST_WORDS = 200_000
"""Of which the stems are remembered: a manual repeats its words."""

LONGEST_WORD = 40
SHORTEST_WORD = 3


@cache
def _analyzer() -> TextAnalyzer:
    """Snowball's stems of English, by the search engine: fast, and no dependency more."""
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


WORD = rf"[^\W_{JAPANESE}]"
NAME = rf"{WORD}+(?:[-_.&+']{WORD}+)*"
"""A word, name, number or code."""

ASCII_NAME = r"[^\W_]+(?:[-_.&+'][^\W_]+)*"
"""As `NAME` for text without Japanese."""

NAMES = re.compile(ASCII_NAME)
LONE_KANJI = lazy_pattern(rf"(?<![{KANJI}])[{KANJI}](?![{KANJI}])")
NUMBERS = re.compile("[0-9][0-9,.]*[0-9]|[0-9]")
PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W0-9_A-Za-z]+")
LINE_END = "\n"
"""No tidied text has one; where texts are taken apart together, it is a run between two of them."""

GAP = "|"
"""Stands between tokens that are no neighbours in the text; the index counts it and forgets it."""

APART = f" {GAP} "
MARK = "\0"
"""Around what is taken apart from the words of a text, which have none, and between sentences.

In a folded text it can only stand where somebody put it as a line's end.
"""

LONGEST_JOINED = 48
MOST_RUNS = 200_000
MOST_SPELT = 20_000
"""Of questions."""

MOST_CHARACTERS = 20_000
LONGEST_KEPT = 100
"""What is longer is no word that a manual repeats."""


class Tokens(NamedTuple):
    """A text as search sees it: folded, and its tokens beside the bigrams, between spaces.

    Words stand in the order of the text, one beside the other only if nothing parts them there;
    the joined forms of names come last.
    """

    folded: str
    words: str


def join_tokens(grams: str, words: str) -> str:
    """Bigrams and words together; none of the one is beside any of the other."""
    return f"{grams} {GAP}{words}" if grams else words


def runs_of(tidied: str) -> Iterator[tuple[int, str]]:
    """What tokens are made of: Japanese without a gap, or a word, name, number or code.

    Each with where it begins. For questions: a pattern that knows what is Japanese takes longer to
    compile than all of these take to be read.
    """
    start = 0
    for is_japanese_part, characters in groupby(tidied, _ARE_JAPANESE.__getitem__):
        part = "".join(characters)
        if is_japanese_part:
            yield start, part
        else:
            yield from ((start + name.start(), name.group()) for name in NAMES.finditer(part))
        start += len(part)


def bigrams(folded: str) -> list[str]:
    """Every pair of neighbours in Japanese, across the borders of kanji and kana."""
    if folded.isascii():
        return []
    return [
        first + second
        for first, second in pairwise(folded)
        if is_japanese(first) and is_japanese(second)
    ]


def word_tokens(run: str) -> tuple[str, ...]:
    """The tokens of a word, name or code: its stem, or its parts and the joined form."""
    return _WORDS[run]


def learn(runs: Iterable[str]) -> None:
    """Find the stems of plain words that are new, together: one by one takes longer."""
    words = {
        run: run.lower()
        for run in set(runs)
        if SHORTEST_WORD <= len(run) <= LONGEST_WORD and _is_plain(run)
    }
    RUNS.keep(dict(zip(words, stems_of(list(words.values())), strict=True)))


def spell_words(tidied: str) -> str:
    """Words as they stand in `Tokens.words`, where nothing but spaces parts them."""
    return " ".join(SPELT[run] for _, run in runs_of(tidied) if not is_japanese(run[0]))


def counted_tokens(before: str, number: str, after: str) -> list[str]:
    """A number together with the characters around it."""
    plain = number.replace(",", "")
    found = [plain + after] if after else []
    if before:
        found.append(before + plain)
        if after:
            found.append(before + plain + after)
    return found


def parts_of(run: str) -> list[str]:
    """The parts of a name written in camelCase, kebab-case, with dots or with digits."""
    if run.isascii():
        return [part.lower() for part in PARTS.findall(run)]
    return [lower(part) for part in PARTS.findall(run)]


def _drop_possessive(run: str) -> str:
    return run[:-2] if run.endswith(("'s", "'S")) else run


def _tokens_of_run(run: str) -> tuple[str, ...]:
    parts = parts_of(_drop_possessive(run))
    if len(parts) <= 1:
        return (STEMS[lower(_drop_possessive(run))],)
    joined = "".join(parts)
    found = [STEMS[part] for part in parts if _says_something(part)]
    if len(joined) <= LONGEST_JOINED:
        found.append(STEMS[joined])
    # Nothing but single letters, too many to join: they are all there is.
    return tuple(dict.fromkeys(found or parts))


def _is_plain(run: str) -> bool:
    """Tell a word of one part, as most are, without looking for its parts."""
    return run.isascii() and run.isalpha() and (run.islower() or run.istitle() or run.isupper())


def _says_something(part: str) -> bool:
    """Tell a part of a name from a single letter."""
    return len(part) > 1 or part.isdigit()


def _spell(run: str) -> str:
    """A run as it stands in a text: its parts, with a gap between any two."""
    return _take_run(run).partition(MARK)[0]


def _take_run(run: str) -> str:
    """A run as it stands in a text, and the joined form of a name after a gap, each marked.

    A single letter stands there as no question asks for it, so that the place of it is known. A
    plain word is its stem, with no mark; and what is no word, a line end aside, is a gap.
    """
    if not run or not run[0].isalnum():
        return run if run == LINE_END else GAP
    if _is_plain(run):
        return STEMS[run.lower()]
    parts = parts_of(_drop_possessive(run))
    if len(parts) <= 1:
        return STEMS[lower(_drop_possessive(run))]
    joined = "".join(parts)
    is_short = len(joined) <= LONGEST_JOINED
    has_more = is_short or any(map(_says_something, parts))
    words = APART.join(
        [STEMS[part] if _says_something(part) or not has_more else part + GAP for part in parts]
    )
    return f"{words}{MARK}{GAP} {STEMS[joined]}{MARK}" if is_short else words


_ARE_JAPANESE = Memo(is_japanese, most=MOST_CHARACTERS)
_WORDS = Memo(_tokens_of_run, most=MOST_RUNS, longest=LONGEST_KEPT)
SPELT = Memo(_spell, most=MOST_SPELT, longest=LONGEST_KEPT)
RUNS = Memo(_take_run, most=MOST_RUNS, longest=LONGEST_KEPT)
"""What the index is to know of a run; what stands between marks comes after all words."""


ENDS = "。!?"
ENDS_BEFORE_A_SPACE = ".;"

MOST_TEXTS = 1024
LONGEST_TEXT = 4000


def split_sentences(folded: str) -> list[str]:
    """Part a folded text, which has no line ends, where sentences end; some parts may be blank.

    By plain replacing: a pattern that looks back would try every place of the text.
    """
    for end in ENDS:
        folded = folded.replace(end, end + MARK)
    for end in ENDS_BEFORE_A_SPACE:
        folded = folded.replace(f"{end} ", end + MARK)
    return folded.split(MARK)


def _sentences(folded: str) -> tuple[str, ...]:
    return tuple(filter(str.strip, split_sentences(folded))) or ("",)


SENTENCES = Memo(_sentences, most=MOST_TEXTS, longest=LONGEST_TEXT)
"""The sentences of a folded text; there is always one."""

LEADING = " #>*+|-"
TRAILING = " *|"
"""Marks of style around a sentence, and spaces; every other white space is folded into these."""


def _folded_sentences(body: str) -> tuple[str, ...]:
    """Folded in one go, which is quicker than one by one; a mark keeps the place of a line end."""
    marked = split_sentences(fold(body.replace("\n", MARK)))
    return tuple(filter(None, [part.lstrip(LEADING).rstrip(TRAILING) for part in marked]))


FOLDED_SENTENCES = Memo(_folded_sentences, most=MOST_TEXTS, longest=LONGEST_TEXT)
"""The sentences of a text as written, folded, without the marks around them."""

"""Characters and their one spelling: what readers take to be the same is folded into it.

Which script a character is of; width, case, dashes, spaces and kana width folded; and what was made
of a text, remembered. Pure functions over text; no token is cut here (`tokenizer`).

A class of all kanji takes a millisecond to compile, and a find needs few of them: what it asks of
one character is compared, and what it looks for in a text is compiled when there is such a text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from re import Match

Made = TypeVar("Made")

ANY_LENGTH = 1 << 62


class Memo(dict[str, Made]):
    """A dictionary that makes what it does not have, and forgets what nobody asks for.

    Bounded by the number of texts and by the length of each. Half of them are at hand; when these
    are too many, they become the other half, from which each comes back that is asked for again.
    Threads may make the same twice, which is as good as once.
    """

    def __init__(
        self, make: Callable[[str], Made], *, most: int, longest: int = ANY_LENGTH
    ) -> None:
        super().__init__()
        self._make = make
        self._half = most // 2
        self._longest = longest
        self._older: dict[str, Made] = {}

    def __missing__(self, text: str) -> Made:
        older = self._older
        found = older[text] if text in older else self._make(text)
        if len(text) <= self._longest:
            if len(self) >= self._half:
                self._age()
            self[text] = found
        return found

    def keep(self, made: Mapping[str, Made]) -> None:
        """Remember what was made elsewhere, of texts that are short enough."""
        if len(self) + len(made) > self._half:
            self._age()
        if len(made) <= self._half:
            self.update(made)

    def recall(self, texts: Iterable[str]) -> dict[str, Made]:
        """Of texts that are not at hand: those that were made once and are not forgotten."""
        older = self._older
        return {text: older[text] for text in texts if text in older}

    def hold(self, most: int) -> None:
        """Remember more, or less, from now on."""
        self._half = most // 2

    def _age(self) -> None:
        self._older = dict(self)
        self.clear()


HIRAGANA = "\u3041-\u3096"
KATAKANA = "\u30a1-\u30fa\u30fc"
KANJI = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f"
JAPANESE = (
    "\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f"
)
"""Kanji, hiragana and katakana after normalisation, as the inside of a character class."""


def lazy_pattern(pattern: str) -> Callable[[], re.Pattern[str]]:
    """A pattern that is compiled when it is first asked for; twice by two threads does no harm."""
    return cache(lambda: re.compile(pattern))


def is_kanji(character: str) -> bool:
    """Tell whether a character is one of `KANJI`; none at all is not."""
    return (
        "\u4e00" <= character <= "\u9fff"
        or "\u3400" <= character <= "\u4dbf"
        or "\u3005" <= character <= "\u3007"
        or "\U00020000" <= character <= "\U0003134f"
    )


def is_hiragana(character: str) -> bool:
    """Tell whether a character is one of `HIRAGANA`."""
    return "\u3041" <= character <= "\u3096"


def is_katakana(character: str) -> bool:
    """Tell whether a character is one of `KATAKANA`."""
    return "\u30a1" <= character <= "\u30fa" or character == "\u30fc"


def is_japanese(character: str) -> bool:
    """Tell whether a character is one of `JAPANESE`."""
    return is_kanji(character) or is_hiragana(character) or is_katakana(character)


SAME = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u2500", "-")
    | dict.fromkeys("\u301c\u3030\uff5e\u223c\u223e", "~")
    | dict.fromkeys("\u00b7\u2022\u2219\u22c5\uff65", "\u30fb")
    | dict.fromkeys("\u2018\u2019\u02bc", "'")
    | dict.fromkeys("\u201c\u201d", '"')
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufe0e\ufe0f\ufeff", None)
)
# Half a character: JSON can spell it, but no index can hold it.
SAME |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
"""Latin letters with marks; kana keep theirs, which make other sounds."""

STOPS = "\u3001\u3002"
SPACES_INSIDE_JAPANESE = lazy_pattern(rf" (?=[{JAPANESE}])(?<=[{JAPANESE}{STOPS}] )")
"""Written so that a search for a space begins it."""

UNCHANGED = (
    "\x00-\x7f\u3001-\u3003\u3005-\u3011\u3041-\u3096\u309d\u309e\u30a1-\u30fe"
    "\u3400-\u4dbf\u4e00-\u9fff"
)
"""Characters that stay as they are, whatever stands before them: most of any Japanese text."""

ODD = lazy_pattern(f"[^{UNCHANGED}]+")
JOINING = lazy_pattern(
    "[\u0300-\u036f\u0483-\u0489\u0530-\u1dff\u20d0-\u20ff\u2cef-\u2fff\u302a-\u302f\u3099\u309a"
    "\u3131-\u318f\ua000-\uabff\ud7a4-\udfff\ufb00-\ufe2f\ufe70-\uff00\uff9e-\uffdf\uffef-\uffff"
    "\U00010000-\U0001efff\U0001fb00-\U0001ffff\U00031350-\U0010ffff]"
)
"""What may be a mark that joins what stands before it; all others are normalised alone."""

LETTERS_THAT_JOIN = lazy_pattern("[\u1160-\u11ff\U00016d63-\U00016d6a]")
"""Those that are no marks and join letters all the same: Hangul vowels and finals, Kirat Rai."""

PLAIN = lazy_pattern(f"[{UNCHANGED}]")
NORMAL_CHARS = 256
"""So many characters are normalised at once, and at most twice as many.

The time that marks without a letter between them take grows with the square of their number.
"""

SHORT_CHARS = 120
"""A question or a heading is folded before the patterns for whole texts would be compiled."""

LONGEST_KEPT = 24
MOST_SPELLINGS = 50_000


def tidy(text: str) -> str:
    """Fold width, dashes and spaces, and keep the case."""
    if len(text) > SHORT_CHARS:
        return tidy_by_patterns(text)
    spaced = tidy_question(text)
    # A line end inside a Japanese sentence is no gap between words.
    if " " not in spaced or spaced.isascii():
        return spaced
    return _without_spaces_inside_japanese(spaced.split(" "))


def tidy_by_patterns(text: str) -> str:
    """As `tidy`, for one of many texts, or a long one: by patterns, which must be compiled."""
    spaced = _collapse_spaces(text if text.isascii() else _respell_by_patterns(text))
    if " " not in spaced or spaced.isascii():
        return spaced
    return SPACES_INSIDE_JAPANESE().sub("", spaced)


def tidy_question(text: str) -> str:
    """As `tidy`, with the spaces that part Japanese words: whoever asks puts them on purpose."""
    if text.isascii():
        return _collapse_spaces(text)
    is_short = len(text) <= SHORT_CHARS
    return _collapse_spaces(_respell(text) if is_short else _respell_by_patterns(text))


def _collapse_spaces(text: str) -> str:
    return " ".join(text.split())


def lower(tidied: str) -> str:
    """Fold the case of text that was tidied."""
    folded = plainly_lower(tidied)
    return tidy(_normal(tidied.casefold()).casefold()) if folded is None else folded


def plainly_lower(tidied: str) -> str | None:
    """As `lower`, character by character; None for text in which that is not enough."""
    if tidied.isascii():
        return tidied.lower()
    folded = tidied.casefold()
    return folded if unicodedata.is_normalized("NFKC", folded) else None


def fold(text: str) -> str:
    """Fold everything that search does not tell apart."""
    return lower(tidy(text))


def normalise_terms(texts: Iterable[str]) -> tuple[str, ...]:
    """Terms as they are used: tidied, the second of two that fold alike left out."""
    kept: dict[str, str] = {}
    for text in texts:
        if shown := tidy(text):
            kept.setdefault(fold(text), shown)
    return tuple(kept.values())


def _without_spaces_inside_japanese(words: list[str]) -> str:
    """As `SPACES_INSIDE_JAPANESE` for few words."""
    found = words[:1]
    for before, after in pairwise(words):
        is_inside = is_japanese(after[0]) and (is_japanese(before[-1]) or before[-1] in STOPS)
        found += [after] if is_inside else [" ", after]
    return "".join(found)


class _Joined(Exception):
    """A run has marks that may join what stands before it."""


def _spelling_alone(run: str) -> str:
    if JOINING().search(run):
        raise _Joined
    return _respell(run)


_SPELLINGS = Memo(_spelling_alone, most=MOST_SPELLINGS, longest=LONGEST_KEPT)
"""Runs of odd characters in the one spelling: a manual repeats its brackets."""


def _spelling(match: Match[str]) -> str:
    return _SPELLINGS[match.group()]


def _respell_by_patterns(text: str) -> str:
    try:
        return ODD().sub(_spelling, text)
    except _Joined:
        return _respell(text)


def _respell(text: str) -> str:
    return ACCENTED.sub(_without_marks, _normal(text).translate(SAME))


def _normal(text: str) -> str:
    """NFKC, piece by piece: it compares each mark with all that stand between letters."""
    if len(text) <= NORMAL_CHARS:
        return unicodedata.normalize("NFKC", text)
    return "".join([unicodedata.normalize("NFKC", part) for part in _apart(text)])


def _apart(text: str) -> Iterator[str]:
    """Part a text before what joins nothing; only marks without end are parted anywhere."""
    start = 0
    while len(text) - start > NORMAL_CHARS:
        least, most = start + NORMAL_CHARS, min(start + 2 * NORMAL_CHARS, len(text))
        if plain := PLAIN().search(text, least, most):
            end = plain.start()
        else:
            end = next((at for at in range(least, most) if not _joins(text[at])), most)
        yield text[start:end]
        start = end
    yield text[start:]


def _joins(character: str) -> bool:
    """Tell whether a character may become one with what stands before it, in this form or another.

    A half-width dakuten is no mark by itself, but what it is normalised to is one.
    """
    first = unicodedata.normalize("NFKD", character)[:1]
    is_mark = unicodedata.category(first).startswith("M")
    return is_mark or bool(LETTERS_THAT_JOIN().match(first))


def _without_marks(match: Match[str]) -> str:
    return unicodedata.normalize("NFD", match.group())[0]

"""One spelling for what readers take to be the same: width, case, dashes, spaces, kana width.

Pure functions over text. No token is cut here (`tokenizer`), no file is read.
"""

from __future__ import annotations

import re
import unicodedata

JAPANESE = (
    "\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f"
)
"""Kanji, hiragana and katakana after normalisation, as the inside of a character class."""

SAME = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u2500", "-")
    | dict.fromkeys("\u301c\u3030\uff5e\u223c\u223e", "~")
    | dict.fromkeys("\u00b7\u2022\u2219\u22c5\uff65", "\u30fb")
    | dict.fromkeys("\u2018\u2019\u02bc", "'")
    | dict.fromkeys("\u201c\u201d", '"')
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None)
)
ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
"""Latin letters with marks; kana keep theirs, which make other sounds."""

SPACES = re.compile(r"\s+")
SPACES_INSIDE_JAPANESE = re.compile(rf"(?<=[{JAPANESE}\u3001\u3002]) (?=[{JAPANESE}])")


def tidy(text: str) -> str:
    """Fold width, dashes and spaces, and keep the case."""
    spaced = tidy_question(text)
    # A line end inside a Japanese sentence is no gap between words.
    return spaced if spaced.isascii() else SPACES_INSIDE_JAPANESE.sub("", spaced)


def tidy_question(text: str) -> str:
    """As `tidy`, with the spaces that part Japanese words: whoever asks puts them on purpose."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(SAME)
        text = ACCENTED.sub(_without_marks, text)
    return SPACES.sub(" ", text).strip()


def lower(tidied: str) -> str:
    """Fold the case of text that was tidied."""
    if tidied.isascii():
        return tidied.lower()
    folded = tidied.casefold()
    if unicodedata.is_normalized("NFKC", folded):
        return folded
    return tidy(unicodedata.normalize("NFKC", folded).casefold())


def fold(text: str) -> str:
    """Fold everything that search does not tell apart."""
    return lower(tidy(text))


def _without_marks(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFD", match.group())[0]

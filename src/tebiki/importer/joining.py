"""How pieces of text are put together: Japanese without a space, words that were divided whole."""

from __future__ import annotations

import re

FIRST_CJK = "\u2e80"
"""From here on signs are set without spaces. Compared, not matched: so large a pattern takes
longer to compile than most files to read."""

BROKEN_CJK = re.compile(r"(?<=[^\x00-\u2e7f])[ \t]*\r?\n[ \t]*(?=[^\x00-\u2e7f])")
DIVIDED = re.compile(r"(?<=[a-z])[\u00ad\u0002\ufffe]$")
HYPHEN_AT_END = re.compile(r"[\u0002\ufffe]$")
"""A hyphen at the end of a line, as pdfium tells it: part of the word, or put in to divide it."""

HYPHENATED = re.compile(r"\w[-\u2010]$")
SOFT_HYPHENS = re.compile("[\u00ad\u0002\ufffe]")
UNUSED = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff\ue000-\uf8ff\ud800-\udfff]"
)
"""Control characters, halves of characters, and those that mean something in one font alone."""

SPACES = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u205f]+")


def with_reading(base: str, reading: str) -> str:
    """Words with their reading behind them: 漢字（かんじ）."""
    return f"{base}（{reading}）" if reading.strip() else base


def join_lines(first: str, second: str) -> str:
    """Put two lines of one paragraph together."""
    if not first or not second:
        return first + second
    if DIVIDED.search(first) and second[0].islower():
        return first[:-1] + second
    first = hyphenate(first)
    if HYPHENATED.search(first) and second[0].isalnum():
        return first + second
    if first[-1] >= FIRST_CJK or second[0] >= FIRST_CJK:
        return first + second
    return f"{first} {second}"


def hyphenate(text: str) -> str:
    """A line with the hyphen at its end as one writes it."""
    return HYPHEN_AT_END.sub("-", text)


def join_all(lines: list[str]) -> str:
    """Put the lines of one paragraph together."""
    joined = ""
    for line in lines:
        joined = join_lines(joined, line)
    return hyphenate(joined)


def clean(text: str) -> str:
    """Text without what nobody sees, its spaces of one kind."""
    if text.isprintable():
        # Most is: no sign in it is one of those below, but for spaces that follow each other.
        return (SPACES.sub(" ", text) if "  " in text else text).strip()
    return SPACES.sub(" ", SOFT_HYPHENS.sub("", UNUSED.sub("", text))).strip()

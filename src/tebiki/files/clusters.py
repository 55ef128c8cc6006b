"""Where a text may be cut without taking a written character apart: extended grapheme clusters.

The subset of UAX #29 that `unicodedata` can tell: CRLF, combining and spacing marks, variation
selectors, joiners and emoji joined by them, emoji modifiers and tags, flags (pairs of regional
indicators), Hangul jamo. Left out: prepended marks and Indic conjuncts, which are cut as two.
"""

from __future__ import annotations

import unicodedata

ZERO_WIDTH_JOINER = "\u200d"
MARKS = frozenset(["Mn", "Mc", "Me"])
ALSO_EXTENDING = frozenset("\u200c\u200d\u0e33\u0eb3\uff9e\uff9f")
"""Joiners, Thai and Lao AM, half-width voicing marks: not marks by category, but never alone."""

LEADING, VOWEL, TRAILING = range(0x1100, 0x1160), range(0x1160, 0x11A8), range(0x11A8, 0x1200)
MORE_LEADING, MORE_VOWEL = range(0xA960, 0xA97D), range(0xD7B0, 0xD7C7)
MORE_TRAILING = range(0xD7CB, 0xD7FC)
SYLLABLES = range(0xAC00, 0xD7A4)
TRAILING_COUNT = 28


def is_boundary(text: str, at: int) -> bool:
    """Tell whether a cluster may end before the character at that offset."""
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    if _is_control(before) or _is_control(after):
        return (before, after) != ("\r", "\n")
    if _extends(after) or _joins_hangul(ord(before), ord(after)):
        return False
    if before == ZERO_WIDTH_JOINER and _is_pictograph(after):
        return not _follows_pictograph(text, at - 1)
    if _is_flag_half(before) and _is_flag_half(after):
        return _flag_halves_before(text, at) % 2 == 0
    return True


def last_boundary(text: str, limit: int) -> int:
    """The last offset up to `limit` where a cluster ends; `limit` when one cluster fills it all."""
    for at in range(limit, 0, -1):
        if is_boundary(text, at):
            return at
    return limit


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Zl", "Zp"}


def _extends(character: str) -> bool:
    code = ord(character)
    if 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F:  # noqa: PLR2004 -- code charts
        return True
    return character in ALSO_EXTENDING or unicodedata.category(character) in MARKS


def _is_pictograph(character: str) -> bool:
    return unicodedata.category(character) == "So" or character in "\u203c\u2049\u2194\u3030"


def _follows_pictograph(text: str, joiner: int) -> bool:
    at = joiner - 1
    while at > 0 and _extends(text[at]) and text[at] != ZERO_WIDTH_JOINER:
        at -= 1
    return at >= 0 and _is_pictograph(text[at])


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_halves_before(text: str, at: int) -> int:
    start = at
    while start > 0 and _is_flag_half(text[start - 1]):
        start -= 1
    return at - start


def _joins_hangul(before: int, after: int) -> bool:
    vowel = after in VOWEL or after in MORE_VOWEL
    trailing = after in TRAILING or after in MORE_TRAILING
    if before in LEADING or before in MORE_LEADING:
        return vowel or after in LEADING or after in MORE_LEADING or after in SYLLABLES
    open_syllable = before in SYLLABLES and (before - SYLLABLES.start) % TRAILING_COUNT == 0
    if before in VOWEL or before in MORE_VOWEL or open_syllable:
        return vowel or trailing
    closed_syllable = before in SYLLABLES
    return trailing and (closed_syllable or before in TRAILING or before in MORE_TRAILING)

"""Whether a folded sentence states something, or is a line of code; what code it quotes.

Pure functions over folded text.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tebiki.manuals.text.folding import lazy_pattern
from tebiki.manuals.text.query import ENGLISH

ENGLISH_WORDS = re.compile("[a-z]+(?:'t)?")
FEWEST_OF_A_SENTENCE = 4
QUOTED = re.compile("`[^`]{1,80}`")
QUOTED_DIGITS = re.compile("[0-9][0-9.,]*")
OPENS_CODE = ("{", "(")
"""How a line ends that only begins something."""

CODE_MARKS = lazy_pattern(r"[{}<>=]|;$|\w\(|\):|^[\w-]+: \S+$")
_IN_CODE = "do for from i if in no not of s t this while with"
PROSE = ENGLISH - frozenset(_IN_CODE.split())
"""Words that stand in every sentence, and seldom in code."""

ROW = lazy_pattern(r"[a-z]+(?: [a-z]+)+ *\| *[^|]+")
"""A row of a table that says one thing of something: what has one name may be a line of code."""


@lru_cache(maxsize=1024)
def is_prose(folded: str) -> bool:
    """Tell a sentence from a line of code, which states nothing."""
    if not folded.isascii():
        return True
    if folded.endswith(OPENS_CODE):
        return False
    words = ENGLISH_WORDS.findall(folded)
    if CODE_MARKS().search(folded):
        return not PROSE.isdisjoint(words)
    is_whole = folded.endswith(".") and len(words) >= FEWEST_OF_A_SENTENCE
    return is_whole or not ENGLISH.isdisjoint(words) or ROW().fullmatch(folded) is not None


@lru_cache(maxsize=1024)
def code_in(folded: str) -> frozenset[str]:
    """What a sentence quotes as code, whatever its numbers."""
    return frozenset(QUOTED_DIGITS.sub("#", code) for code in QUOTED.findall(folded))

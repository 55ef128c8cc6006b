"""Whether two sentences are said of two cases: before and after, if it rains and if it does not.

By words of grammar alone. Pure functions over folded text.
"""

from __future__ import annotations

from functools import lru_cache

from tebiki.manuals.report.prose import ENGLISH_WORDS
from tebiki.manuals.text.folding import lazy_pattern

OPPOSITES = (
    *(("before", "after"), ("within", "after"), ("until", "after"), ("with", "without")),
    *(("above", "below"), ("under", "over")),
)
"""Of which a sentence can be said in the same words, and otherwise."""

DENIED = lazy_pattern(
    r"なければ(?!な[らり]|いけ)|なかったら|ない(?:場合|とき|時(?!間)|なら(?!な)|と(?=、))"
    r"|(?:ません|ない)でしたら"
)
"""A case in which something is not so. In English denials are counted, and two cancel out."""


def are_of_two_cases(one: str, other: str) -> bool:
    """Tell whether one is said of a case that is not so, or of what is before; the other is not."""
    if _is_of_denied_case(one) != _is_of_denied_case(other):
        return True
    if not (one.isascii() and other.isascii()):
        return False
    mine, yours = frozenset(ENGLISH_WORDS.findall(one)), frozenset(ENGLISH_WORDS.findall(other))
    mine, yours = mine - yours, yours - mine
    return any(
        (first in mine and second in yours) or (second in mine and first in yours)
        for first, second in OPPOSITES
    )


@lru_cache(maxsize=1024)
def _is_of_denied_case(folded: str) -> bool:
    return DENIED().search(folded) is not None

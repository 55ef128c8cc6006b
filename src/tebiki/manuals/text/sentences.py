"""The sentences of a folded text, which has no line ends.

By plain replacing: a pattern that looks back would try every place of the text.
"""

from __future__ import annotations

from tebiki.manuals.text.memo import Memo

ENDS = "。!?"
ENDS_BEFORE_A_SPACE = ".;"
MARK = "\0"
"""Between sentences; in a folded text it can only stand where somebody put it as a line's end."""

MOST_KEPT = 1024
LONGEST_KEPT = 4000


def split_sentences(folded: str) -> list[str]:
    """Part a folded text where sentences end, and at marks; some parts may be blank."""
    for end in ENDS:
        folded = folded.replace(end, end + MARK)
    for end in ENDS_BEFORE_A_SPACE:
        folded = folded.replace(f"{end} ", end + MARK)
    return folded.split(MARK)


def _sentences(folded: str) -> tuple[str, ...]:
    return tuple(filter(str.strip, split_sentences(folded))) or ("",)


SENTENCES = Memo(_sentences, most=MOST_KEPT, longest=LONGEST_KEPT)
"""The sentences of a folded text; there is always one."""

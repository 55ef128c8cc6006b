"""Large texts in pieces that have the same tokens apart as together.

So that a text of many megabytes can be left off in the middle. How a text is folded, and what its
tokens are, is told in `folding` and `tokenizer`; here is only where neither looks across.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.text.folding import KANJI, lazy_pattern
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PIECE_CHARS = 32_768
LONGEST_CHARS = 65_536
"""What has no place to cut it for so long is no word, and is cut anywhere."""


CUT = lazy_pattern(
    # A word, or the letters of another language, after a space: the space stays one.
    r"(?P<space>\s)(?=[!-~\u00c0-\u02ff\u0370-\u03ff\u0400-\u0482\u048a-\u052f])"
    # The end of a clause: nothing is put together across it.
    r"|[\u3001\u3002](?=[!-~\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff])"
    # Two hiragana, or the middle of four kanji: of these only pairs are taken.
    rf"|[\u3041-\u3096](?=[\u3041-\u3096])|[{KANJI}]{{2}}(?=[\u4e00-\u9fff]{{2}})"
)


class Piece(NamedTuple):
    """Part of a text, and whether a space parts it from the one before."""

    text: str
    has_space: bool


def pieces(
    text: str,
    check: Callable[[], None],
    size: int = PIECE_CHARS,
    longest: int = LONGEST_CHARS,
) -> Iterator[Piece]:
    """Part a text; `check` is called between any two steps."""
    start, has_space = 0, False
    at = size
    while at < len(text):
        check()
        cut = CUT().search(text, at, at + size)
        if cut is None and at - start < longest:
            at += size
            continue
        end = cut.end() if cut else at
        yield Piece(text[start:end], has_space)
        start, has_space = end, cut is not None and cut["space"] is not None
        at = start + size
    yield Piece(text[start:], has_space)

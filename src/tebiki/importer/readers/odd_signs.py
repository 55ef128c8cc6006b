"""Signs that show a font which does not say what its characters are: no text has them together.

Such a font gives the numbers of its drawings, which lie anywhere among the scripts of the world.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

BLOCKS = (
    (0x0530, 0x058F),
    (0x0700, 0x08FF),
    (0x0980, 0x0DFF),
    (0x0E80, 0x10FF),
    (0x1200, 0x1CFF),
    (0x3100, 0x312F),
    (0x31A0, 0x31BF),
    (0x3400, 0x4DBF),
    (0xA000, 0xABFF),
)
"""Scripts of which a text has one at most, besides Latin, Japanese or Chinese."""

SEVERAL = 3
SCRIPT = 0x80
"""Signs of a script, as they are laid out; blocks of Chinese signs are one each."""

FIRST_CJK_BLOCK = 0x3100


class OddSigns(NamedTuple):
    """How many signs of a page are of such scripts, and which scripts they are."""

    signs: int
    scripts: frozenset[int]


NO_ODD_SIGNS = OddSigns(0, frozenset())


def odd_signs(text: str) -> OddSigns:
    """Count the signs of a page that are of scripts which do not go together."""
    odd = {sign: _script(ord(sign)) for sign in set(text) if sign >= "\u0530"}
    scripts = frozenset(filter(None, odd.values()))
    if not scripts:
        return NO_ODD_SIGNS
    return OddSigns(sum(text.count(sign) for sign, script in odd.items() if script), scripts)


def are_odd(pages: Iterable[OddSigns]) -> bool:
    """Tell whether the signs of a document are of more such scripts than any text has."""
    scripts: set[int] = set()
    return len(scripts.union(*(page.scripts for page in pages))) >= SEVERAL


def _script(code: int) -> int:
    """A number that stands for the script of a sign, if that is one of those above."""
    for first, last in BLOCKS:
        if first <= code <= last:
            return first if first >= FIRST_CJK_BLOCK else code // SCRIPT
    return 0

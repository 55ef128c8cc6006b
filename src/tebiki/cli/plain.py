"""Text that came from elsewhere, made safe for a terminal, and how wide it is there; pure.

Text of the web and of files may hold sequences that move the cursor, rename the window or turn the
reading direction around. None of that is text.
"""

from __future__ import annotations

import json
import unicodedata
from typing import Any

from tebiki.values.unseen import SEQUENCE

TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Signs that turn the reading direction around: what is read is then not what is there."""

CONTROLS = tuple(code for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t")
HALVES = range(0xD800, 0xE000)
"""Of surrogate pairs: no output can encode one."""

SAFE: dict[int, str | None] = {
    **dict.fromkeys((*CONTROLS, *TURNING), None),
    **dict.fromkeys(HALVES, "\ufffd"),
}
ESCAPED = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *TURNING, *HALVES)}
"""What JSON lets stand in a string and a terminal would obey."""


def visible(text: str) -> str:
    """The text without anything that a terminal would obey; lines and tabs stay."""
    return SEQUENCE.sub("", text).translate(SAFE)


def one_line(text: str) -> str:
    """The same on one line."""
    return " ".join(visible(text).split())


def json_text(value: Any) -> str:
    """A value as JSON that is safe to look at."""
    return json.dumps(value, ensure_ascii=False, indent=2).translate(ESCAPED)


def cells(text: str) -> int:
    """How many columns a line takes."""
    return sum(_cells(sign) for sign in text)


def cut(text: str, width: int) -> str:
    """The text, shortened to so many columns."""
    if cells(text) <= width:
        return text
    kept, used = [], 1
    for sign in text:
        used += _cells(sign)
        if used > width:
            break
        kept.append(sign)
    return "".join(kept) + "…"


def _cells(sign: str) -> int:
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1

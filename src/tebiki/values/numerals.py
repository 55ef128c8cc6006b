"""Numbers in text: from elsewhere, with more digits than Python may read, and as we tell them.

Not here: which numbers are allowed.
"""

from __future__ import annotations

import math

LONGEST_INTEGER = 4_000
"""Digits up to which a number is read exactly; beyond, Python itself refuses (4,300)."""

HIGHEST_COUNT = 10**18
"""No count of bytes, lines or ports is higher."""

THOUSAND = 1_000
_MOST_DIGITS = 18


def count_in(digits: str | bytes) -> int:
    """The number that plain digits say, at most `HIGHEST_COUNT`."""
    if len(digits) > _MOST_DIGITS and len(_without_zeros(digits)) > _MOST_DIGITS:
        return HIGHEST_COUNT
    return int(_without_zeros(digits) or "0")


def plain_digits(text: str) -> str:
    """The same text; `int` and `float` would take underscores and other scripts' digits too.

    Raises:
        ValueError: there are some.
    """
    if not text.strip().isascii() or "_" in text:
        raise ValueError(text)
    return text


def is_finite(value: float) -> bool:
    """Tell whether a number is one that a float can hold."""
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond what a float can hold
        return False


def _without_zeros(digits: str | bytes) -> str | bytes:
    return digits.lstrip("0") if isinstance(digits, str) else digits.lstrip(b"0")


def in_bytes(count: int) -> str:
    """A size as people read it, such as 1.2 MB."""
    size, unit = float(count), "bytes"
    for larger in ("kB", "MB", "GB", "TB"):
        if size < THOUSAND:
            break
        size, unit = size / THOUSAND, larger
    return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"


def counted(count: int, thing: str, things: str = "") -> str:
    """So many of a thing; the plural is told where an s does not make it."""
    return f"{count} {thing if count == 1 else things or f'{thing}s'}"

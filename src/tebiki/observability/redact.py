"""The one scrubber: no key leaves through a log line, an error or a printed setting."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from tebiki.values.keys import KEY_LIKE, SHORTEST_SECRET

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MASK = "[redacted]"

TELLING_LENGTH = 8
"""Signs of the key that are not repeated in a row; fewer may well be a word of their own."""

BEARER = r"(?i)(\bbearer\s+)[^\s\"',;]+"
URL_USER = r"(?<=://)[^/\s\"'@]+(?=@)"


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Compile when first needed: most processes never log a line."""
    return re.compile(text)


class Redactor:
    """Removes the configured key, parts of it, and anything shaped like a key, from text."""

    def __init__(self, secret: str | None = None, others: Iterable[str] = ()) -> None:
        """`others` are masked as they stand: passwords, of which no part is likely to be told."""
        self._others = tuple(other for other in others if len(other) >= SHORTEST_SECRET)
        self._secret = secret if secret and len(secret) >= SHORTEST_SECRET else None
        self._pieces: tuple[str, ...] | None = None

    def clean(self, text: str) -> str:
        """Return the text without secrets."""
        for other in self._others:
            text = text.replace(other, MASK)
        if self._secret is not None:
            text = self._remove_parts(text.replace(self._secret, MASK), self._secret)
        if "sk-" in text:
            text = _pattern(KEY_LIKE).sub(MASK, text)
        if "bearer" in text.lower():
            text = _pattern(BEARER).sub(rf"\1{MASK}", text)
        return _pattern(URL_USER).sub(MASK, text) if "@" in text else text

    def _remove_parts(self, text: str, secret: str) -> str:
        """The text without any telling run of the secret: it may have been cut before it came."""
        if self._pieces is None:
            starts = range(len(secret) - TELLING_LENGTH + 1)
            pieces = {secret[at : at + TELLING_LENGTH] for at in starts}
            self._pieces = tuple(piece for piece in pieces if piece not in MASK)
        held = [piece for piece in self._pieces if piece in text]
        return _mask(text, held) if held else text


def _mask(text: str, pieces: list[str]) -> str:
    """The text with a mask in the place of each run that the pieces cover."""
    places = sorted(at for piece in pieces for at in _places(text, piece))
    kept: list[str] = []
    done = 0
    for at in places:
        if at > done or not kept:
            kept += [text[done:at], MASK]
        done = at + TELLING_LENGTH
    return "".join(kept) + text[done:]


def _places(text: str, piece: str) -> Iterator[int]:
    at = text.find(piece)
    while at >= 0:
        yield at
        at = text.find(piece, at + 1)

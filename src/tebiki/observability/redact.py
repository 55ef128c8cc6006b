"""The one scrubber: no key leaves through a log line, an error or a printed setting."""

from __future__ import annotations

import re
from functools import cache

from tebiki.values.keys import KEY_LIKE, SHORTEST_SECRET

MASK = "[redacted]"

BEARER = r"(?i)(\bbearer\s+)[^\s\"',;]+"
URL_USER = r"(?<=://)[^/\s\"'@]+(?=@)"


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Compile when first needed: most processes never log a line."""
    return re.compile(text)


class Redactor:
    """Removes the configured key, and anything shaped like a key, from text."""

    def __init__(self, secret: str | None = None) -> None:
        self._secret = secret if secret and len(secret) >= SHORTEST_SECRET else None

    def clean(self, text: str) -> str:
        """Return the text without secrets."""
        if self._secret is not None:
            text = text.replace(self._secret, MASK)
        if "sk-" in text:
            text = _pattern(KEY_LIKE).sub(MASK, text)
        if "bearer" in text.lower():
            text = _pattern(BEARER).sub(rf"\1{MASK}", text)
        return _pattern(URL_USER).sub(MASK, text) if "@" in text else text

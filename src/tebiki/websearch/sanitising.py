"""Text from the web as plain text: one line, no tags, no entities, nothing invisible; pure.

Knows nothing of results or replies. Decoding and stripping go on until neither changes anything, so
what comes out stays as it is when it is cleaned or decoded once more.
"""

from __future__ import annotations

import html
import re
from typing import Any

from tebiki.values.unseen import JOINERS, in_one_line

LONGEST = 500
"""Characters of a cleaned text."""

MOST_READ = 8 * LONGEST
"""Characters that are looked at once the plain tags are gone: enough to fill a cleaned text, and a
bound for text that is nested as deep as it is long."""

# Possessive, so that an endless tag that is never closed is read once and not again and again.
TAG = re.compile(
    r"<(?:/?([A-Za-z][A-Za-z0-9]*+)|[/!?])"
    r"(?:[^<>\"']|(?<==)\"[^\"]*+\"|(?<==)'[^']*+'|[\"'])*+"
    r"(?:>|(?<=[\s\"'=])$)",  # or the text's end inside a tag with attributes
    re.DOTALL,
)
BREAKING_TAGS = frozenset(
    ("br", "p", "div", "li", "tr", "td", "th", "hr", "h1", "h2", "h3", "h4", "h5", "h6")
)


def plain_text(value: Any, longest: int = LONGEST) -> str:
    """Clean a text; whatever is no text is empty.

    Decoded text that looks like a tag (`&lt;b&gt;`) is removed like a tag.
    """
    if not isinstance(value, str):
        return ""
    text = _without_tags(value)[:MOST_READ]
    # Each pass that changes anything makes the text shorter, or is the last but one.
    while (cleaner := _clean_once(text)) != text:
        text = cleaner
    return text if len(text) <= longest else text[: longest - 1].rstrip(f" {JOINERS}") + "…"


def _clean_once(text: str) -> str:
    spaced = " ".join(html.unescape(text).split())
    return " ".join(_without_tags(in_one_line(spaced)).split())


def _without_tags(text: str) -> str:
    return TAG.sub(_in_place_of, text)


def _in_place_of(tag: re.Match[str]) -> str:
    """A tag that breaks the line leaves a blank, any other nothing."""
    return " " if (tag[1] or "").lower() in BREAKING_TAGS else ""

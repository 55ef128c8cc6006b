"""Words of the API or of a gateway as they may be repeated: seen, on one line, and not too many.

What an API says of itself can be as hostile as what a page says: it is told to clients, people and
models. Pure functions.
"""

from __future__ import annotations

import textwrap

from tebiki.values.unseen import in_one_line

MOST_READ = 16_384
"""Characters of a foreign text that are looked at, and kept for the debug log."""

LONGEST_MESSAGE = 2_000
"""Characters of an error in the API's own form; the longest known have a few hundred."""

LONGEST_NAME = 200
"""Characters of what names something: a model, an id, a status, a code."""


def beginning_of(text: str) -> str:
    """As much of a text as is looked at, cut between words; a word without an end is left out."""
    if len(text) <= MOST_READ:
        return text
    words = text[:MOST_READ].rsplit(maxsplit=1)
    return words[0] if len(words) > 1 else ""


def in_few_words(text: str, longest: int = LONGEST_MESSAGE) -> str:
    """At most so many characters of it on one line."""
    line = in_one_line(beginning_of(text))
    if len(line) <= longest:
        return line
    # Cut between words, and not at a hyphen: half a key could pass the scrubber.
    wrapper = textwrap.TextWrapper(
        longest, max_lines=1, placeholder=" …", break_on_hyphens=False, break_long_words=False
    )
    return wrapper.fill(line)


def name_of(value: object) -> str:
    """A name, or nothing where there is none that can be one."""
    if not isinstance(value, str) or len(value) > LONGEST_NAME:
        return ""
    return in_one_line(value)

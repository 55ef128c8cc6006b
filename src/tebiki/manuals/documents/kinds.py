"""Files that a manual holds and search does not take: which kinds there are, and how many of each.

Pure functions over names. Not here: which files those are (`walking`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

OTHER = "other"
"""The kind of a file whose name has no ending, or one that no program gives."""

LONGEST_ENDING = 8
MOST_KINDS = 8
"""Told by their names; whatever else there is counts as other, so that an answer stays short."""


def kind_of_name(name: str) -> str:
    """Tell the kind of a file by its name: the ending, in small letters."""
    stem, _, ending = name.rpartition(".")
    is_usual = bool(stem) and ending.isascii() and ending.isalnum()
    return ending.lower() if is_usual and len(ending) <= LONGEST_ENDING else OTHER


def tally(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Add counts of kinds up: the most frequent first, the rare ones and the nameless together."""
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    nameless = total.pop(OTHER, 0)
    ordered = sorted(total.items(), key=lambda item: (-item[1], item[0]))
    rest = nameless + sum(count for _, count in ordered[MOST_KINDS:])
    return dict(ordered[:MOST_KINDS]) | ({OTHER: rest} if rest else {})


def in_words(kinds: Mapping[str, int]) -> str:
    """Tell a person what is not searched, as in `not searched: 2 pdf, 1 docx`."""
    return f"not searched: {', '.join(f'{count} {kind}' for kind, count in kinds.items())}"

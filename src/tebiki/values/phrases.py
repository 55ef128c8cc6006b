"""Sentences that remember what they were made of, so that another language can say them too.

A phrase is the English text it stands for; whoever has a table of translations finds there, by the
template, how the same is said elsewhere. Pure.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Phrase(str):
    """An English sentence with its template and what was filled in."""

    __slots__ = ("template", "values")

    template: str
    values: dict[str, str]

    def __new__(cls, template: str, values: dict[str, str]) -> Self:
        """Fill in."""
        made = super().__new__(cls, template.format_map(values))
        made.template = template
        made.values = values
        return made


def phrase(template: str, **values: object) -> Phrase:
    """A sentence whose `{names}` are filled in."""
    return Phrase(template, {name: _kept(value) for name, value in values.items()})


def counted_phrase(count: int, one: str, many: str) -> Phrase:
    """The one of two sentences that fits a number, which is `{n}` in both."""
    return phrase(one if count == 1 else many, n=count)


def as_is(words: object) -> Phrase:
    """Words that no table has: of an error, of another program, of a user."""
    return phrase("{words}", words=words)


def listed(parts: Iterable[str]) -> Phrase:
    """Several, with commas between them."""
    return reduce(
        lambda first, second: phrase("{first}, {second}", first=first, second=second),
        (part if isinstance(part, Phrase) else as_is(part) for part in parts),
    )


def translate(words: str, table: Mapping[str, str]) -> str:
    """The same in another language; what the table lacks or somebody filled in stays as it is."""
    if not isinstance(words, Phrase):
        return table.get(words, words)
    values = {
        name: translate(value, table) if isinstance(value, Phrase) else value
        for name, value in words.values.items()
    }
    return table.get(words.template, words.template).format_map(values)


def _kept(value: object) -> str:
    return value if isinstance(value, Phrase) else str(value)

"""What is known of the API's models: which parameters a family takes, and when a model ends.

Data with a date, and pure functions over it. The API's own list of models knows more and is asked
by the doctor; a call is never held up for it.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple
from tebiki.values.phrases import counted_phrase, phrase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tebiki.values.phrases import Phrase

AS_OF = "2026-11-17"
"""The day on which the tables below were compared with what the API's makers publish."""

NOTICE_DAYS = 60
"""How long before its end a model is warned about."""

DEPRECATIONS = "https://developers.openai.com/api/docs/deprecations"


class Family(NamedTuple):
    """One generation of a series (`gpt-5.2-pro` is of generation 5 of gpt), and what it takes."""

    series: str
    generation: int
    takes_effort: bool
    takes_verbosity: bool


FAMILIES = (
    Family("gpt", 4, takes_effort=False, takes_verbosity=False),
    Family("gpt", 5, takes_effort=True, takes_verbosity=True),
    Family("gpt", 6, takes_effort=True, takes_verbosity=True),
    Family("o", 1, takes_effort=False, takes_verbosity=False),
    Family("o", 3, takes_effort=True, takes_verbosity=False),
    Family("o", 4, takes_effort=True, takes_verbosity=False),
)
"""In the order of generations. One that is newer than the newest is taken for the newest."""

UNKNOWN = Family("", 0, takes_effort=False, takes_verbosity=False)
"""Other makers' models and older ones are sent nothing that they might refuse."""

# A digit that begins a version, as `gpt-5`; one with more digits is newer than all known.
NAME = re.compile(r"(gpt-|o)([0-9]{1,4})")


def family_of(model: str) -> Family:
    """The family of a model id."""
    found = NAME.match(model)
    if found is None:
        return UNKNOWN
    series, generation = found[1].rstrip("-"), int(found[2])
    known = [one for one in FAMILIES if one.series == series and one.generation <= generation]
    newest = max(one.generation for one in FAMILIES if one.series == series)
    if not known or (known[-1].generation != generation and generation < newest):
        return UNKNOWN
    return known[-1]


class ModelEnd(NamedTuple):
    """When a model shuts down, and what its maker names in its place."""

    day: date
    successor: str | None = None


ENDINGS: Mapping[str, ModelEnd] = {
    **dict.fromkeys(("o1", "o1-pro", "o3-mini"), ModelEnd(date(2026, 10, 23), "gpt-5.6-sol")),
    "o4-mini": ModelEnd(date(2026, 10, 23), "gpt-5.6-terra"),
    "gpt-4.1-nano": ModelEnd(date(2026, 10, 23)),
    **dict.fromkeys(
        ("gpt-5", "gpt-5-pro", "o3", "o3-pro"), ModelEnd(date(2026, 12, 11), "gpt-5.6-sol")
    ),
    "gpt-5-mini": ModelEnd(date(2026, 12, 11), "gpt-5.6-terra"),
    "gpt-5-nano": ModelEnd(date(2026, 12, 11), "gpt-5.6-luna"),
    **dict.fromkeys(
        ("gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini"),
        ModelEnd(date(2027, 1, 14), "gpt-6-luna"),
    ),
    **dict.fromkeys(("gpt-5.1", "gpt-5.4-nano"), ModelEnd(date(2027, 4, 1))),
}
"""Announced shutdowns by model; a dated snapshot ends with its model."""

SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}")


def ending_of(model: str) -> ModelEnd | None:
    """When a model ends as far as is known here; None when nothing is announced."""
    snapshot = SNAPSHOT.search(model)
    name = model[: snapshot.start()] if snapshot and snapshot.end() == len(model) else model
    return ENDINGS.get(name)


def ends_soon(ending: ModelEnd, today: date) -> bool:
    """Tell whether it is time to speak of an end: sixty days before, and ever after."""
    return (ending.day - today).days <= NOTICE_DAYS


def change_command(variable: str, ending: ModelEnd) -> str:
    """The one command that sets the model of a setting to its successor."""
    return f"export {variable}={ending.successor or 'MODEL'}"


def ending_words(model: str, ending: ModelEnd, today: date) -> Phrase:
    """Say when a model ends, or that it has."""
    days = (ending.day - today).days
    if days <= 0:
        return phrase("{model} was to shut down on {day}", model=model, day=ending.day)
    left = counted_phrase(days, "{n} day", "{n} days")
    return phrase("{model} shuts down on {day}, in {days}", model=model, day=ending.day, days=left)


def ending_notice(model: str, variable: str, today: date) -> str | None:
    """What to tell whoever chose a model that ends soon, and the command that helps."""
    ending = ending_of(model)
    if ending is None or not ends_soon(ending, today):
        return None
    successor = f"; its successor is {ending.successor}" if ending.successor else ""
    return (
        f"{ending_words(model, ending, today)}{successor}: {change_command(variable, ending)} "
        f"changes it ({DEPRECATIONS})"
    )

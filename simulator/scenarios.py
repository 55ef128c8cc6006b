"""Which scenario a request gets: the script in its first line, or else what it is about."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from simulator.answers import ANSWERS
from simulator.asked import Asked
from simulator.failures import FAILURES
from simulator.rows import ROWS
from simulator.shapes import Refused

_PREFIX = "simulate:"
_NEEDS_SEARCH = re.compile(r"天気|最新|本日|\b(?:weather|today|news)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_NUMBERS = frozenset(
    ("at", "each", "billed", "ms", "steps", "mb", "retry_after_ms", "retry_after_date")
)
_TRANSPORT = ("hang", "stalled", "dropped", "dropped_midway", "malformed", "html", "not_object")
_OPTIONS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys((*ANSWERS, *ROWS, *_TRANSPORT, "401", "leak"), frozenset[str]()),
    **dict.fromkeys(FAILURES, frozenset(("body",))),
    "429": frozenset(("body", "code", "retry_after", "retry_after_ms", "retry_after_date")),
    "503": frozenset(("body", "retry_after", "retry_after_ms", "retry_after_date")),
    "dropped_midway": frozenset(("at", "each")),
    "flood": frozenset(("mb", "shape")),
    "large": frozenset(("mb",)),
    "markdown_sources": frozenset(("style", "dates")),
    "searched": frozenset(("billed",)),
    "slow": frozenset(("ms", "steps", "then")),
    "stream_error": frozenset(("shape",)),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One scenario with its options."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict)

    def number(self, option: str, default: float) -> float:
        """Read an option that was checked to be a number."""
        return float(self.options.get(option, default))


def scenario_names() -> list[str]:
    """Name every scenario that a script may ask for."""
    return sorted(_OPTIONS)


def choose(asked: Asked, next_turn: Callable[[str], int]) -> Step:
    """Choose the step for this request."""
    line = asked.first_line
    if not line.lower().startswith(_PREFIX):
        return default_step(asked)
    steps = [_read_step(text) for text in line[len(_PREFIX) :].split(",")]
    return steps[min(next_turn(line), len(steps) - 1)]


def default_step(asked: Asked) -> Step:
    """Choose by what the question is about and how it is to be answered."""
    if asked.wants_schema:
        return Step("results")
    if asked.search_tool is None:
        return Step("plain")
    current = _NEEDS_SEARCH.search(asked.first_line)
    return Step("searched" if current or asked.must_search else "plain")


def _read_step(text: str) -> Step:
    name, *words = text.split() or [""]
    if name not in _OPTIONS:
        raise _misscripted(f"no scenario '{name}' among {', '.join(scenario_names())}")
    options = {}
    for word in words:
        option, _, value = word.partition("=")
        if option not in _OPTIONS[name] or not value:
            raise _misscripted(f"scenario '{name}' has no option '{word}'")
        if option in _NUMBERS and not _NUMBER.fullmatch(value):
            raise _misscripted(f"option '{word}' needs a number")
        options[option] = value
    if "then" in options:
        _read_step(options["then"])
    return Step(name, options)


def _misscripted(problem: str) -> Refused:
    return Refused(f"Simulator script: {problem}.", "input", "invalid_script")

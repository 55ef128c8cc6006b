"""The bar a search has to reach: read from flags and from the file beside a dataset, and held.

A measure that is better when it is more has to reach its bar; any other must not exceed it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tebiki.errors import InvalidArguments
from tebiki.evals.measures import BY_NAME
from tebiki.named_tuples import NamedTuple
from tebiki.values.shapes import NotOfShape, Number

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tebiki.evals.measures import Values

SHAPE = Number(least=0)
MOST_BYTES = 1024 * 1024


class BarResult(NamedTuple):
    """A measure beside its bar."""

    name: str
    bar: float
    value: float | None
    is_met: bool

    @property
    def sign(self) -> str:
        """How the value has to compare."""
        return "≥" if BY_NAME[self.name].more_is_better else "≤"

    @property
    def words(self) -> str:
        """The bar, and whether it was reached, in a cell of a table."""
        return f"{self.sign} {self.bar:g} {'ok' if self.is_met else 'missed'}"

    def as_json(self) -> dict[str, Any]:
        """Give the verdict for a program."""
        return {
            "measure": self.name,
            "must_be": self.sign,
            "bar": self.bar,
            "value": self.value,
            "met": self.is_met,
        }


def from_flag(text: str) -> tuple[str, float]:
    """Read `hit=0.9`.

    Raises:
        InvalidArguments: there is no such measure, or it is no number.
    """
    name, equals, number = text.partition("=")
    if not equals:
        raise InvalidArguments(f"--threshold {text}: write MEASURE=NUMBER, such as hit=0.9")
    try:
        return _check(name.strip(), SHAPE.from_text(number))
    except NotOfShape as refused:
        raise InvalidArguments(f"--threshold {name} {refused}") from refused


def sibling(dataset: Path) -> Path:
    """The file that belongs to a dataset: `questions.json` beside `questions.jsonl`."""
    return dataset.with_suffix(".json") if dataset.suffix != ".json" else dataset


def beside(dataset: Path) -> dict[str, float]:
    """The thresholds in the file beside a dataset; none when there is no such file.

    Raises:
        InvalidArguments: the file is not what it should be.
    """
    file = sibling(dataset)
    if file == dataset or not file.is_file():
        return {}
    try:
        with file.open("rb") as opened:
            # What is longer is cut, and so is no JSON.
            value = json.loads(opened.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError) as broken:
        raise InvalidArguments(f"{file.name} is not JSON: {broken}") from broken
    found = value.get("thresholds", {}) if isinstance(value, dict) else None
    if not isinstance(found, dict):
        raise InvalidArguments(f'{file.name} must be an object with "thresholds", an object')
    try:
        return dict(_check(name, SHAPE.read(number)) for name, number in found.items())
    except NotOfShape as refused:
        raise InvalidArguments(f"{file.name}: a threshold {refused}") from refused


def verdicts(values: Values, bars: Mapping[str, float]) -> list[BarResult]:
    """Hold measures against their bars; what could not be measured does not reach one."""
    return [
        BarResult(name, bar, values[name], _is_met(name, bar, values[name]))
        for name, bar in bars.items()
    ]


def _is_met(name: str, bar: float, value: float | None) -> bool:
    if value is None:
        return False
    return value >= bar if BY_NAME[name].more_is_better else value <= bar


def _check(name: str, number: float) -> tuple[str, float]:
    if name not in BY_NAME:
        raise InvalidArguments(f"{name} is no measure; choose from {', '.join(BY_NAME)}")
    return name, number

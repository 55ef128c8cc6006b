"""One configuration as it was measured, and two of them beside each other: values.

Also their form for programs. Not here: asking (`run`, `asking`) and pages (`page`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tebiki.evals.measures import (
    MEASURES,
    forbidden_shown,
    group_outcomes,
    measure_all,
    missed_files,
    rank_of,
)
from tebiki.evals.metrics import gain
from tebiki.evals.signals import SignalWorth

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tebiki.evals.cases import Dataset
    from tebiki.evals.measures import Measure, Values
    from tebiki.evals.run import Outcome
    from tebiki.evals.signals import Signal
    from tebiki.evals.thresholds import BarResult
    from tebiki.evals.troubles import Trouble

GROUPS = {"manual_id": "manual", "facet": "facet"}
"""What outcomes are grouped by, and what people call such a group."""


@dataclass(frozen=True, slots=True)
class Side:
    """A configuration: its name, the settings that differ from the defaults, what came of it."""

    name: str
    settings: Mapping[str, Any]
    outcomes: Sequence[Outcome]
    troubles: Sequence[Trouble]
    k: int

    def values(self) -> Values:
        """Every measure over all cases."""
        return measure_all(self.outcomes, self.k)

    def groups(self, by: str) -> dict[str, list[Outcome]]:
        """The outcomes by one of `GROUPS`."""
        return dict(group_outcomes(self.outcomes, lambda one: getattr(one.case, by)))

    def as_json(self) -> dict[str, Any]:
        """Give the side for a program."""
        return {
            **({"name": self.name} if self.name else {}),
            "settings": dict(self.settings),
            "measures": self.values(),
            **{f"by_{word}": _by(self, name) for name, word in GROUPS.items()},
            "cases": [_case(one, self.k) for one in self.outcomes],
            "troubles": [one.as_json() for one in self.troubles],
        }


@dataclass(frozen=True, slots=True)
class Changed:
    """A case whose expected files stand at other places: that of the first, and the nDCG gained."""

    case_id: str
    query: str
    before: int
    after: int
    gain: float

    def as_json(self) -> dict[str, Any]:
        """Give the change for a program."""
        return {
            "case_id": self.case_id,
            "rank_before": self.before,
            "rank_after": self.after,
            "ndcg_gain": self.gain,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All there is to tell: one side or two, and the bars that the last one was held against.

    `signals`, where they were asked for, are what each is worth, the best first.
    """

    dataset: Dataset
    k: int
    version: str
    made: str
    sides: Sequence[Side]
    verdicts: Sequence[BarResult]
    mode: str | None = None
    signals: Sequence[SignalWorth] = ()

    @property
    def is_met(self) -> bool:
        """Tell whether every bar was reached."""
        return all(one.is_met for one in self.verdicts)

    def measure_head(self, names: Sequence[str]) -> list[str]:
        """What stands above the rows of measures; the sides have these names."""
        values = [*names, "difference"] if self.mode else ["value"]
        return ["measure", *values, *(["bar"] if self.verdicts else [])]

    def measure_rows(self) -> Iterator[tuple[Measure, list[str], BarResult | None]]:
        """Each measure with its values as people read them, what changed last, and its bar."""
        bars = {one.name: one for one in self.verdicts}
        values = [side.values() for side in self.sides]
        for measure in MEASURES:
            found = [one[measure.name] for one in values]
            cells = [measure.show(value) for value in found]
            changed = [measure.difference(*found)] if self.mode else []
            yield measure, cells + changed, bars.get(measure.name)

    def as_json(self) -> dict[str, Any]:
        """Give everything for a program."""
        shown: dict[str, Any] = {
            "version": self.version,
            "made": self.made,
            "dataset": {
                "name": self.dataset.name,
                "sha256": self.dataset.sha256,
                "cases": len(self.dataset.cases),
            },
            "k": self.k,
            "thresholds": [one.as_json() for one in self.verdicts],
        }
        if self.signals:
            shown["signals"] = [one.as_json() for one in self.signals]
        if self.mode is None:
            return {**shown, **self.sides[0].as_json()}
        before, after = self.sides
        return {
            **shown,
            "mode": self.mode,
            "sides": [side.as_json() for side in self.sides],
            "differences": differences(before.values(), after.values()),
            "changed": [one.as_json() for one in find_changes(before, after)],
        }


def differences(before: Values, after: Values) -> Values:
    """What each measure gained."""
    return {measure.name: _less(after[measure.name], before[measure.name]) for measure in MEASURES}


def find_changes(before: Side, after: Side) -> list[Changed]:
    """The cases whose expected files moved, the worst loss first."""
    both = [
        Changed(
            one.case.case_id,
            one.case.query,
            rank_of(one),
            rank_of(other),
            gain(other.paths, one.case.paths) - gain(one.paths, one.case.paths),
        )
        for one, other in zip(before.outcomes, after.outcomes, strict=True)
    ]
    moved = [one for one in both if one.before != one.after or one.gain != 0]
    return sorted(moved, key=lambda one: one.gain)


def worth_of(signal: Signal, without: Side, usual: Side) -> SignalWorth:
    """Compare a set without a signal to the set as it is."""
    moved = find_changes(without, usual)
    return SignalWorth(
        signal,
        differences(without.values(), usual.values()),
        sum(one.gain > 0 for one in moved),
        sum(one.gain < 0 for one in moved),
    )


def _less(after: float | None, before: float | None) -> float | None:
    return None if after is None or before is None else after - before


def _by(side: Side, name: str) -> dict[str, Any]:
    return {
        group: {"cases": len(outcomes), **measure_all(outcomes, side.k)}
        for group, outcomes in side.groups(name).items()
    }


def _case(outcome: Outcome, k: int) -> dict[str, Any]:
    reply = outcome.reply
    return {
        "case_id": outcome.case.case_id,
        "manual_id": outcome.case.manual_id,
        "query": outcome.case.query,
        "required_terms": list(outcome.case.required_terms),
        "rank": rank_of(outcome),
        "missed": list(missed_files(outcome, k)),
        "forbidden": list(forbidden_shown(outcome, k)),
        "found": [{"path": path, "start_line": line} for path, line in reply.refs],
        "gaps": reply.gaps,
        "conflicts": reply.conflicts,
        "ms": round(outcome.seconds * 1000, 3),
        "tokens": reply.tokens,
        "tokens_to_right": reply.tokens_to_right,
        "error": outcome.error,
    }

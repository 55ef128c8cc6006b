"""Every measure by its name: what it is called, which way is better, and how it comes about.

A measure of files counts places of sections: a reader goes through those. One of pages counts each
file once, wherever its sections stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.evals import metrics
from tebiki.evals.metrics import mean, percentile
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tebiki.evals.run import Outcome

Values = dict[str, float | None]
"""Measures by name; None where no case could tell."""


class Measure(NamedTuple):
    """A measure; `title` may say where the ranking is cut."""

    name: str
    title: str
    doc: str
    more_is_better: bool = False
    digits: int = 4

    def label(self, k: int) -> str:
        """Its title for a cut."""
        return self.title.format(k=k)

    def show(self, value: float | None) -> str:
        """A value as people read it."""
        return "-" if value is None else f"{value:.{self.digits}f}"

    def difference(self, before: float | None, after: float | None) -> str:
        """What changed, with its sign."""
        return self.show_gain(None if before is None or after is None else after - before)

    def show_gain(self, gain: float | None) -> str:
        """A gain or a loss as people read it."""
        return "-" if gain is None else f"{gain:+.{self.digits}f}"


MEASURES = (
    Measure("hit", "hit@{k}", "an expected file is among the first", more_is_better=True),
    Measure("recall", "recall@{k}", "share of the expected files among the first", True),
    Measure("mrr", "MRR@{k}", "one over the place of the first right section", True),
    Measure("precision", "precision@{k}", "share of the first sections that are right", True),
    Measure("ndcg", "nDCG@10", "all expected files, the earlier the better", True),
    Measure("section_hit", "section hit@{k}", "an expected section is among the first", True),
    Measure("section_mrr", "section MRR@{k}", "one over the place of that section", True),
    Measure("page_hit", "page hit@{k}", "an expected file is among the first files", True),
    Measure("page_mrr", "page MRR@{k}", "one over the place of that file", True),
    Measure("forbidden", "forbidden@{k}", "a forbidden file is among the first"),
    Measure("gap", "gap rate", "the answer tells of a gap"),
    Measure("conflict", "conflict rate", "the answer tells of a conflict"),
    Measure("error", "error rate", "there was no answer"),
    Measure("p50_ms", "p50 ms", "half of the finds took no longer", digits=1),
    Measure("p95_ms", "p95 ms", "95 of 100 finds took no longer", digits=1),
    Measure("tokens", "tokens returned", "of the answer a model gets", digits=1),
    Measure("tokens_to_right", "tokens to right", "of all it gets until it read it", digits=1),
)
BY_NAME = {measure.name: measure for measure in MEASURES}


def measure_all(outcomes: Sequence[Outcome], k: int) -> Values:
    """Every measure over some outcomes."""
    forbidding = [one for one in outcomes if one.case.forbidden]
    milliseconds = [one.seconds * 1000 for one in outcomes]
    replies = [one.reply for one in outcomes]
    return {
        **_measure_ranking(outcomes, k),
        "forbidden": _share(forbidding, lambda one: forbidden_shown(one, k) != ()),
        "gap": _share(outcomes, lambda one: one.reply.gaps > 0),
        "conflict": _share(outcomes, lambda one: one.reply.conflicts > 0),
        "error": _share(outcomes, lambda one: one.error is not None),
        "p50_ms": percentile(milliseconds, 0.5),
        "p95_ms": percentile(milliseconds, 0.95),
        "tokens": mean([one.tokens for one in replies if one.tokens is not None]),
        "tokens_to_right": mean(
            [one.tokens_to_right for one in replies if one.tokens_to_right is not None]
        ),
    }


def rank_of(outcome: Outcome) -> int:
    """The place of the first section of an expected file; 0 when there is none."""
    return metrics.first_rank(outcome.paths, outcome.case.paths)


def rank_shown(rank: int) -> str:
    """A place as people read it."""
    return str(rank) if rank else "none"


def forbidden_shown(outcome: Outcome, k: int) -> tuple[str, ...]:
    """The forbidden files among the first k sections."""
    return tuple(sorted(outcome.case.forbidden & set(outcome.paths[:k])))


def missed_files(outcome: Outcome, k: int) -> tuple[str, ...]:
    """The expected files that are not among the first k sections."""
    return tuple(sorted(outcome.case.paths - set(outcome.paths[:k])))


def group_outcomes(
    outcomes: Sequence[Outcome], name: Callable[[Outcome], str | None]
) -> Mapping[str, list[Outcome]]:
    """Outcomes by the name of their group, those without one left out."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if (group := name(outcome)) is not None:
            groups.setdefault(group, []).append(outcome)
    return dict(sorted(groups.items()))


def _measure_ranking(outcomes: Sequence[Outcome], k: int) -> Values:
    known = [one for one in outcomes if one.case.refs]
    by_file = {
        "hit": metrics.hit,
        "recall": metrics.recall,
        "mrr": metrics.reciprocal_rank,
        "precision": metrics.precision,
    }
    pages = [(tuple(dict.fromkeys(one.paths)), one.case.paths) for one in outcomes]
    by_section = {"section_hit": metrics.hit, "section_mrr": metrics.reciprocal_rank}
    return {
        **{
            name: mean([score(one.paths, one.case.paths, k) for one in outcomes])
            for name, score in by_file.items()
        },
        "ndcg": mean([metrics.gain(one.paths, one.case.paths) for one in outcomes]),
        **{
            name: mean([score(one.reply.refs, one.case.refs, k) for one in known])
            for name, score in by_section.items()
        },
        "page_hit": mean([metrics.hit(found, wanted, k) for found, wanted in pages]),
        "page_mrr": mean([metrics.reciprocal_rank(found, wanted, k) for found, wanted in pages]),
    }


def _share(outcomes: Sequence[Outcome], holds: Callable[[Outcome], bool]) -> float | None:
    return mean([float(holds(one)) for one in outcomes])

"""An evaluation as lines for a terminal; pure. Not here: printing and measuring."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tebiki.cli.plain import cut, one_line
from tebiki.cli.render import Styled
from tebiki.cli.tables import BLOCKS, Bars, align
from tebiki.evals.measures import BY_NAME, measure_all, rank_of, rank_shown
from tebiki.evals.sides import GROUPS, find_changes
from tebiki.evals.signals import TOLD
from tebiki.values.numerals import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.evals.sides import Report, Side
    from tebiki.evals.troubles import Trouble

Line = tuple[str | Styled, ...]

MOST_TROUBLES = 10
MOST_CHANGED = 20
WIDEST_NAME = 18
OF_A_GROUP = ("hit", "mrr", "ndcg")


def lines(report: Report, width: int, shows: Callable[[str], bool]) -> Iterator[Line]:
    """Everything a person wants to see at once; the page has the rest."""
    dataset = report.dataset
    what = f"{counted(len(dataset.cases), 'question')} of {dataset.name}"
    yield (f"{what} (sha256 {dataset.sha256[:16]}), k = {report.k}",)
    for side in report.sides:
        yield (_settings(side),)
    yield ("",)
    yield from _measures(report)
    if report.mode is not None:
        yield from _show_changes(report, width)
    yield from _signals(report)
    last = report.sides[-1]
    for by, word in GROUPS.items():
        if groups := _groups(last, by, word):
            yield ("",)
            yield from groups.lines(width, blocks=shows(BLOCKS))
    yield from _troubles(last, width)
    yield from _verdict(report)


def _settings(side: Side) -> str:
    start = f"{side.name}: " if side.name else "settings: "
    set_ = [f"{key} = {json.dumps(value)}" for key, value in side.settings.items()]
    return one_line(start + (", ".join(set_) or "all defaults"))


def _measures(report: Report) -> Iterator[Line]:
    head = report.measure_head([cut(one_line(side.name), WIDEST_NAME) for side in report.sides])
    rows = []
    for measure, cells, bar in report.measure_rows():
        words = [bar.words if bar is not None else ""] if report.verdicts else []
        rows.append([measure.label(report.k), *cells, *words])
    table = align([head, *rows])
    yield (Styled(table[0], "bold"),)
    yield from ((line,) for line in table[1:])


def _show_changes(report: Report, width: int) -> Iterator[Line]:
    moved = find_changes(*report.sides)
    yield ("",)
    count = f"cases that changed: {len(moved)} of {len(report.dataset.cases)}"
    yield (Styled(count, "bold"), " (place of the first right section, nDCG gained)")
    for one in moved[:MOST_CHANGED]:
        style = "green" if one.gain > 0 else "red"
        move = f"{rank_shown(one.before)} -> {rank_shown(one.after)}"
        rest = cut(one_line(f"{one.case_id}  {one.query}"), max(width - 26, WIDEST_NAME))
        yield (Styled(f"{move:<13} {one.gain:+.4f}", style), "  ", rest)
    if len(moved) > MOST_CHANGED:
        yield (f"… and {len(moved) - MOST_CHANGED} more (--json, --report)",)


def _signals(report: Report) -> Iterator[Line]:
    if not report.signals:
        return
    yield ("",)
    yield (
        Styled("what each signal adds", "bold"),
        " (and how many questions it moves up and down)",
    )
    head = ["signal", *(BY_NAME[name].label(report.k) for name in TOLD), "up", "down", "setting"]
    rows = [
        [
            one.signal.name,
            *(BY_NAME[name].show_gain(one.gains[name]) for name in TOLD),
            str(one.better),
            str(one.worse),
            one.signal.key,
        ]
        for one in report.signals
    ]
    yield from ((line,) for line in align([head, *rows]))


def _groups(side: Side, by: str, word: str) -> Bars | None:
    groups = side.groups(by)
    values = {name: measure_all(outcomes, side.k) for name, outcomes in groups.items()}
    if not groups:
        return None
    return Bars(
        (word, "questions", *(BY_NAME[name].label(side.k) for name in OF_A_GROUP)),
        tuple(
            (
                one_line(name),
                str(len(outcomes)),
                *(BY_NAME[one].show(values[name][one]) for one in OF_A_GROUP),
            )
            for name, outcomes in groups.items()
        ),
        tuple(values[name]["mrr"] or 0.0 for name in groups),
    )


def _troubles(side: Side, width: int) -> Iterator[Line]:
    if not side.troubles:
        return
    yield ("",)
    count = (
        f"{len(side.troubles)} of {counted(len(side.outcomes), 'question')} with something wrong"
    )
    yield (Styled(count, "bold"),)
    for trouble in side.troubles[:MOST_TROUBLES]:
        yield from _trouble(trouble, width)
    if len(side.troubles) > MOST_TROUBLES:
        yield (f"… and {len(side.troubles) - MOST_TROUBLES} more (--json, --report)",)


def _trouble(trouble: Trouble, width: int) -> Iterator[Line]:
    outcome = trouble.outcome
    style = "red" if trouble.kind in {"error", "missed"} else "yellow"
    title = cut(one_line(f"{outcome.case.case_id}  {outcome.case.query}"), max(width - 12, 20))
    yield (Styled(f"{trouble.kind:<10}", style), "  ", title)
    yield (f"    first right section: {rank_shown(rank_of(outcome))}",)
    yield from ((f"    {one_line(f'{path}: {why}')}",) for path, why in trouble.whys)
    yield from ((f"    {one_line(path)}: forbidden, and shown",) for path in trouble.forbidden)
    if outcome.error is not None:
        yield (f"    {one_line(outcome.error)}",)


def _verdict(report: Report) -> Iterator[Line]:
    if not report.verdicts:
        return
    yield ("",)
    if report.is_met:
        yield (Styled("every bar was reached", "green"),)
        return
    for one in report.verdicts:
        if not one.is_met:
            measure = BY_NAME[one.name]
            words = f"{measure.label(report.k)} is {measure.show(one.value)}"
            yield (Styled("below the bar: ", "red"), f"{words}, not {one.sign} {one.bar:g}")

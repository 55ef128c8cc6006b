"""The report as one HTML page that asks for nothing: no script, no picture, no address.

Built of `markup` alone, so that no question, path or file name can break out of its place.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tebiki.evals.markup import Markup, escape, join, table, tag
from tebiki.evals.measures import BY_NAME, measure_all, rank_of, rank_shown
from tebiki.evals.metrics import GAIN_AT
from tebiki.evals.page_style import STYLE
from tebiki.evals.plots import Column, Group, bars, columns, latency_bins
from tebiki.evals.sides import GROUPS, find_changes
from tebiki.evals.signals import TOLD
from tebiki.evals.troubles import KINDS, MOST_EXPLAINED
from tebiki.values.numerals import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tebiki.evals.run import Outcome
    from tebiki.evals.sides import Report, Side
    from tebiki.evals.thresholds import BarResult
    from tebiki.evals.troubles import Trouble

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Whatever a page might want to load, it may not."""

MOST_CASES = 1000
MOST_GROUPS = 24
MOST_PLACES = 14
"""Of a plot that fits a phone."""

SHOWN_OF_A_GROUP = ("hit", "mrr", "recall", "ndcg", "tokens")


def page(report: Report) -> str:
    """The whole document."""
    title = f"tebiki eval: {report.dataset.name}"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        # The style is ours; escaping it would break its quotes.
        Markup(f"<style>{STYLE}</style>"),
    )
    parts = [_top(report, title), _measures(report)]
    if report.mode is not None:
        parts.append(_changes_table(report))
    if report.signals:
        parts.append(_signals_table(report))
    parts += [_side(side, named=report.mode is not None) for side in report.sides]
    return f"<!DOCTYPE html>\n{tag('html', head, tag('body', *parts), lang='en')}\n"


def _top(report: Report, title: str) -> Markup:
    dataset = report.dataset
    lines = [
        tag("h1", title),
        tag(
            "p",
            f"{counted(len(dataset.cases), 'question')}, sha256 ",
            tag("code", dataset.sha256[:16]),
            f", k = {report.k}, tebiki {report.version}, {report.made}",
            class_="soft",
        ),
    ]
    if report.verdicts:
        words = "Every bar was reached." if report.is_met else "Below the bar."
        lines.append(tag("p", words, class_="good" if report.is_met else "wrong"))
    lines += [_settings(side, named=report.mode is not None) for side in report.sides]
    return tag("header", *lines)


def _settings(side: Side, *, named: bool) -> Markup:
    """What was set otherwise than by default."""
    start = [tag("b", side.name), ": "] if named else ["Settings: "]
    if not side.settings:
        return tag("p", *start, "all defaults")
    parts: list[str] = []
    for at, (key, value) in enumerate(side.settings.items()):
        parts.append(", " if at else "")
        parts.append(tag("code", f"{key} = {json.dumps(value, ensure_ascii=False)}"))
    return tag("p", *start, *parts)


def _measures(report: Report) -> Markup:
    headings = report.measure_head([side.name for side in report.sides])
    rows: list[list[str]] = []
    for measure, cells, bar in report.measure_rows():
        name = join(measure.label(report.k), tag("span", measure.doc, class_="note soft"))
        rows.append([name, *cells, *([_bar_cell(bar)] if report.verdicts else [])])
    return join(tag("h2", "Measures"), table(headings, rows, len(headings) - 1))


def _bar_cell(verdict: BarResult | None) -> Markup:
    if verdict is None:
        return escape("")
    return tag("span", verdict.words, class_="good" if verdict.is_met else "wrong")


def _signals_table(report: Report) -> Markup:
    headings = ["signal", *(BY_NAME[name].label(report.k) for name in TOLD), "up", "down"]
    rows: list[list[str]] = [
        [
            join(one.signal.name, tag("span", one.signal.key, class_="note soft")),
            *(BY_NAME[name].show_gain(one.gains[name]) for name in TOLD),
            str(one.better),
            str(one.worse),
        ]
        for one in report.signals
    ]
    return join(tag("h2", "What each signal adds"), table(headings, rows, len(headings) - 1))


def _changes_table(report: Report) -> Markup:
    before, after = report.sides
    moved = find_changes(before, after)
    heading = tag("h2", f"Cases that changed: {len(moved)} of {len(before.outcomes)}")
    if not moved:
        return join(heading, tag("p", "Every expected file is at the same place."))
    rows: list[list[str]] = [
        [one.case_id, one.query, rank_shown(one.before), rank_shown(one.after), f"{one.gain:+.4f}"]
        for one in moved[:MOST_CASES]
    ]
    headings = ["case", "question", before.name, after.name, BY_NAME["ndcg"].title]
    note = tag("p", "Place of the first right section, and what was gained.", class_="soft")
    return join(heading, note, table(headings, rows, 3), _left_off(len(moved) - MOST_CASES))


def _side(side: Side, *, named: bool) -> Markup:
    start = f"{side.name}: " if named else ""
    figures = [_rank_plot(side), _latency_plot(side)]
    tables: list[Markup] = []
    for by, word in GROUPS.items():
        if groups := side.groups(by):
            figures.append(_group_plot(side, word, groups))
            tables.append(_group_table(side, word, groups))
    return join(
        tag("h2", f"{start}How it went"),
        tag("div", *figures, class_="plots"),
        *tables,
        tag("h2", f"{start}What went wrong: {len(side.troubles)} of {len(side.outcomes)}"),
        *(_trouble(one, side.k) for one in side.troubles[:MOST_EXPLAINED]),
        _left_off(len(side.troubles) - MOST_EXPLAINED),
        _cases(side),
    )


def _figure(title: str, note: str | Markup, drawing: Markup) -> Markup:
    return tag("figure", tag("h3", title), tag("p", note, class_="soft"), drawing)


def _rank_plot(side: Side) -> Markup:
    ranks = [rank_of(one) for one in side.outcomes]
    deepest = max(side.k, GAIN_AT)
    shown = min(deepest, MOST_PLACES)
    rows = [Column(str(at), ranks.count(at), at > side.k) for at in range(1, shown + 1)]
    if deepest > shown:
        rows.append(Column(f"{shown + 1}+", sum(rank > shown for rank in ranks)))
    rows.append(Column("none", ranks.count(0), is_bad=True))
    title = "Place of the first right section"
    return _figure(title, f"questions; beyond {side.k} is no hit", columns(title, rows))


def _latency_plot(side: Side) -> Markup:
    values = side.values()
    found = latency_bins([one.seconds * 1000 for one in side.outcomes])
    note = ", ".join(
        f"{name} {BY_NAME[key].show(values[key])} ms"
        for name, key in (("p50", "p50_ms"), ("p95", "p95_ms"))
    )
    title = "Time of a find"
    return _figure(title, f"questions by milliseconds, at most; {note}", columns(title, found))


def _group_plot(side: Side, word: str, groups: Mapping[str, Sequence[Outcome]]) -> Markup:
    rows = []
    for name, outcomes in list(groups.items())[:MOST_GROUPS]:
        values = measure_all(outcomes, side.k)
        shares = (values["hit"] or 0.0, values["mrr"] or 0.0)
        rows.append(Group(f"{name} ({len(outcomes)})", shares))
    note = join(
        tag("span", BY_NAME["hit"].label(side.k), class_="key"),
        tag("span", BY_NAME["mrr"].label(side.k), class_="key two"),
    )
    title = f"By {word}"
    return _figure(title, note, bars(title, rows))


def _group_table(side: Side, word: str, groups: Mapping[str, Sequence[Outcome]]) -> Markup:
    headings = [word, "questions", *(BY_NAME[name].label(side.k) for name in SHOWN_OF_A_GROUP)]
    rows: list[list[str]] = []
    for name, outcomes in groups.items():
        values = measure_all(outcomes, side.k)
        cells = [BY_NAME[one].show(values[one]) for one in SHOWN_OF_A_GROUP]
        rows.append([name, str(len(outcomes)), *cells])
    return join(tag("h2", f"By {word}"), table(headings, rows, len(headings) - 1))


def _trouble(trouble: Trouble, k: int) -> Markup:
    outcome = trouble.outcome
    lines = [tag("li", tag("code", path), f": {why}") for path, why in trouble.whys]
    lines += [tag("li", tag("code", path), ": forbidden, and shown") for path in trouble.forbidden]
    if outcome.error is not None:
        lines.append(tag("li", outcome.error))
    place = f"{outcome.case.manual_id}, first right section: {rank_shown(rank_of(outcome))}"
    kind = KINDS[trouble.kind] + ("" if trouble.kind == "error" else f" {k}")
    return tag(
        "article",
        tag("p", tag("b", outcome.case.query)),
        tag("p", f"{outcome.case.case_id} · {place} · {kind}", class_="soft"),
        tag("ul", *lines),
        class_="case",
    )


def _cases(side: Side) -> Markup:
    headings = ["case", "question", "terms", "place", "ms", "tokens", "to right"]
    rows: list[list[str]] = [
        [
            one.case.case_id,
            one.case.query,
            ", ".join(one.case.required_terms),
            rank_shown(rank_of(one)),
            f"{one.seconds * 1000:.1f}",
            _count(one.reply.tokens),
            _count(one.reply.tokens_to_right),
        ]
        for one in side.outcomes[:MOST_CASES]
    ]
    return tag(
        "details",
        tag("summary", f"All {counted(len(side.outcomes), 'question')}"),
        table(headings, rows, 4),
        _left_off(len(side.outcomes) - MOST_CASES),
    )


def _left_off(count: int) -> Markup:
    if count <= 0:
        return Markup()
    return tag("p", f"{count} more are left off here; --json has them all.")


def _count(number: int | None) -> str:
    return "-" if number is None else str(number)

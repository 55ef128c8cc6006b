"""Results as one HTML page that asks for nothing: no script, no picture, no address.

Built of the evaluation's `markup`, so that no text can break out of its place.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from bench.curves import Curve, classes, drawn
from bench.names import GROUPS
from bench.page_style import STYLE
from bench.plots import PLOTS, curves_of
from bench.summary import conditions, standing
from tebiki.evals.markup import Markup, join, tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bench.plots import Plot
    from bench.report import Row, Table
    from bench.results import Result

TITLE = "tebiki benchmarks"
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Whatever a page might want to load, it may not."""

COLUMNS = ("median", "ratio", "target", "p5..p95", "n")


def page(results: Sequence[Result]) -> str:
    """The whole document."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", TITLE),
        # The style is ours; escaping it would break its quotes.
        Markup(f"<style>{STYLE}</style>"),
    )
    body = tag("body", _top(results), _plots(results), *_groups(results))
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _top(results: Sequence[Result]) -> Markup:
    facts = [
        tag(kind, words)
        for fact in conditions(results).items()
        for kind, words in zip(("dt", "dd"), fact, strict=True)
    ]
    seen = standing(results)
    is_good = not seen.missed and not seen.failed
    verdict = tag("p", seen.words, class_="good" if is_good else "wrong")
    parts = [tag("h1", TITLE), tag("dl", *facts, class_="facts"), verdict]
    if not is_good:
        lines = [*(f"failed: {name}" for name in seen.failed), *seen.missed]
        parts.append(tag("ul", *(tag("li", line) for line in lines), class_="misses soft"))
    return tag("header", *parts)


def _plots(results: Sequence[Result]) -> Markup:
    rows = [row for result in results if result.table for row in result.table.rows]
    figures = [_figure(plot, curves) for plot in PLOTS if (curves := curves_of(plot, rows))]
    return join(
        tag("h2", "Cost against size"),
        tag("p", "Medians; both axes are logarithmic. Yardsticks are dashed.", class_="soft"),
        tag("div", *figures, class_="plots"),
    )


def _figure(plot: Plot, curves: list[Curve]) -> Markup:
    legend = [
        tag("li", _key(kind), curve.name)
        for curve, kind in zip(curves, classes(curves), strict=True)
    ]
    return tag(
        "figure",
        tag("h3", plot.title),
        tag("p", plot.note, class_="soft"),
        drawn(plot.title, curves),
        tag("ul", *legend, class_="legend"),
    )


def _key(kind: str) -> Markup:
    line = tag("line", x1=0, x2=26, y1=4, y2=4, class_=f"curve {kind}")
    return tag("svg", line, viewBox="0 0 26 8", aria_hidden="true")


def _groups(results: Sequence[Result]) -> Iterable[Markup]:
    by_name = {result.name: result for result in results}
    for title, names in GROUPS.items():
        if present := [by_name[name] for name in names if name in by_name]:
            yield tag("section", tag("h2", title), *map(_measurement, present))


def _measurement(result: Result) -> Markup:
    took = f"took {result.seconds:g} s{', quick' if result.quick else ''}"
    if result.table is None:
        reason = (result.failure or "").strip().splitlines()[-1:]
        words = tag("p", "Failed: ", *reason, class_="wrong")
        return join(tag("h3", result.name), tag("p", took, class_="soft"), words)
    note = tag("p", *_with_code(result.table.title), f"; {took}", class_="soft")
    return join(tag("h3", result.name), note, _table(result.table))


def _with_code(words: str) -> list[str]:
    """Words of which those between backticks are code."""
    parts = words.split("`")
    return [tag("code", part) if at % 2 else part for at, part in enumerate(parts)]


def _table(table: Table) -> Markup:
    """The rows; those that begin alike, up to a colon, stand below that beginning."""
    heads = [tag("th", ""), *(tag("th", name, class_="number") for name in COLUMNS)]
    bodies = []
    for start, rows in groupby(table.rows, key=lambda row: row.what.rpartition(": ")[0]):
        lines = [_line(row, start) for row in rows]
        if start:
            named = tag("th", start, scope="rowgroup", colspan=len(heads))
            lines.insert(0, tag("tr", named))
        bodies.append(tag("tbody", *lines))
    inner = tag("table", tag("thead", tag("tr", *heads)), *bodies, class_="rows")
    return tag("div", inner, class_="scroll", tabindex="0")


def _line(row: Row, start: str) -> Markup:
    what, median, width, count, ratio, target, met = row.cells()
    goal = _goal(target, is_met=met == "yes") if met else ""
    cells = [tag("td", what.removeprefix(f"{start}: "))]
    cells += [tag("td", cell, class_="number") for cell in (median, ratio, goal, width, count)]
    return tag("tr", *cells, class_="of-group" if start else "alone")


def _goal(target: str, *, is_met: bool) -> Markup:
    sign = target.replace("<=", "≤").replace(">=", "≥")
    words = f"{sign} met" if is_met else f"{sign} missed"
    return tag("span", words, class_="good" if is_met else "wrong")

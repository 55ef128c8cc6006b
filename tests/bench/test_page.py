"""The page of plots: complete in itself, and right about where a point stands."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.curves import HEIGHT, WIDTH, Curve, drawn, short
from bench.page import page
from bench.plots import PLOTS, curves_of
from bench.report import Point, Row, Table, below, spread_of
from bench.results import Result

POSITIVE = st.floats(min_value=1e-3, max_value=1e9)


def result(*rows: Row, failure: str | None = None) -> Result:
    """A result of `manual_find` with these rows."""
    table = None if failure else Table("manual_find", "finds <by> `size`", rows)
    facts = {"system": "Linux", "machine": "x", "processor": "P", "cpus": 2}
    return Result("manual_find", "2026-11-16T05:28:32+00:00", 1, False, facts, {}, table, failure)


def found(size: int, value: float) -> Row:
    """One point of the first plot."""
    point = Point("find", "find, median", size)
    goal = below(value, 10, " ms")
    return Row(f"{size} sections: find", "ms", spread_of([value]), goal=goal, point=point)


class Reader(HTMLParser):
    """Notes what is opened and closed, and every address."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what has to be closed."""
        if tag != "meta":
            self.open.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href"}]

    def handle_endtag(self, tag: str) -> None:
        """Close what was opened last."""
        assert self.open.pop() == tag


def test_the_page_is_whole_and_asks_for_nothing() -> None:
    """No script, no address; whatever stands in a title is text."""
    shown = page([result(found(1000, 5.0), found(12_000, 50.0))])
    reader = Reader()
    reader.feed(shown)

    assert reader.open == []
    assert reader.addresses == []
    assert "<script" not in shown
    assert "url(" not in shown
    assert "finds &lt;by&gt; <code>size</code>" in shown
    assert '<th scope="rowgroup" colspan="6">1000 sections</th>' in shown
    assert '<span class="good">&lt; 10 ms met</span>' in shown
    assert '<span class="wrong">&lt; 10 ms missed</span>' in shown


def test_a_failed_measurement_is_on_the_page() -> None:
    """With the last line of its reason."""
    shown = page([result(failure="Traceback\nProcessGone: exit code -9")])

    assert "Failed: ProcessGone: exit code -9" in shown
    assert "failed: manual_find" in shown


def test_ten_times_the_value_is_always_as_far_up() -> None:
    """Both axes are logarithmic."""
    shown = drawn("t", [Curve("a", ((10, 1), (100, 10), (1000, 100)))])
    places = [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', shown)]

    (x1, y1), (x2, y2), (x3, y3) = places
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.02)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.02)
    assert x1 < x2
    assert y1 > y2


@given(st.lists(st.tuples(POSITIVE, POSITIVE), min_size=1, max_size=6))
def test_every_point_is_inside(points: list[tuple[float, float]]) -> None:
    """Of any figures."""
    shown = drawn("t", [Curve("a", tuple(points)), Curve("b", tuple(points), True)])
    places = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', shown)

    assert len(places) == 2 * len(points)
    assert all(0 <= float(x) <= WIDTH and 0 <= float(y) <= HEIGHT for x, y in places)


def test_curves_take_their_points_from_all_measurements() -> None:
    """Sorted by size, ours before the yardsticks; what has no place on the axis is left out."""
    bare = Row("bare", "ms", spread_of([1.0]), point=Point("find", "bare query", 1000))
    lost = Row("lost", "ms", spread_of([-0.1]), point=Point("find", "find, p95", 1000))

    curves = curves_of(PLOTS[0], [bare, lost, found(12_000, 50.0), found(1000, 5.0)])

    assert curves == [
        Curve("find, median", ((1000, 5.0), (12_000, 50.0))),
        Curve("bare query", ((1000, 1.0),), is_yardstick=True),
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.0567, "0.0567"), (12_000, "12k"), (1_000_000, "1M"), (999.6, "1k"), (999_499, "999k")],
)
def test_numbers_are_short(value: float, words: str) -> None:
    """Three digits that matter."""
    assert short(value) == words

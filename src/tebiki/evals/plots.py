"""Plots as SVG inside the page, drawn with its colours. Pure functions over numbers.

Drawn as wide as a phone, so that the words in them stay readable there; the page limits the width.
"""

from __future__ import annotations

import math
import unicodedata
from typing import TYPE_CHECKING

from tebiki.evals.markup import Markup, tag
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 360
HEIGHT = 190
TOP, FOOT = 22, 24
ROW, THICK = 46, 10
STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
"""Between two powers of ten; a latency is told by the first of these that it does not exceed."""

MOST_BINS = 14
LONGEST_LABEL = 44


class Column(NamedTuple):
    """How often something was so; a bad one is drawn as such."""

    label: str
    height: int
    is_bad: bool = False


class Group(NamedTuple):
    """A name and its shares of 0 to 1."""

    label: str
    shares: tuple[float, ...]


def columns(title: str, rows: Sequence[Column]) -> Markup:
    """Upright bars, each with its number above and its label below."""
    most = max((row.height for row in rows), default=0) or 1
    step = WIDTH / max(len(rows), 1)
    wide = min(step * 0.72, 44)
    room = HEIGHT - TOP - FOOT
    drawn: list[Markup] = []
    for at, row in enumerate(rows):
        middle = step * (at + 0.5)
        tall = max(room * row.height / most, 1 if row.height else 0)
        bottom = HEIGHT - FOOT
        drawn.append(
            tag(
                "rect",
                x=middle - wide / 2,
                y=bottom - tall,
                width=wide,
                height=tall,
                rx=2,
                class_="bad" if row.is_bad else "bar",
            )
        )
        if row.height:
            drawn.append(_text(str(row.height), middle, bottom - tall - 5, "middle"))
        drawn.append(_text(row.label, middle, HEIGHT - 8, "middle", "label"))
    floor = HEIGHT - FOOT + 0.5
    drawn.append(tag("line", x1=0, x2=WIDTH, y1=floor, y2=floor, class_="axis"))
    return _svg(title, HEIGHT, drawn)


def bars(title: str, groups: Sequence[Group]) -> Markup:
    """Lying bars, one below the other for each share of a group, its name above them."""
    drawn: list[Markup] = []
    length = WIDTH - 46
    for at, group in enumerate(groups):
        top = at * ROW
        drawn.append(_text(_short(group.label), 0, top + 13, "start", "label"))
        for series, share in enumerate(group.shares):
            y = top + 19 + series * (THICK + 2)
            width = max(length * share, 1)
            drawn.append(tag("rect", x=0, y=y, width=length, height=THICK, rx=2, class_="rail"))
            kind = "bar" if series == 0 else "second"
            drawn.append(tag("rect", x=0, y=y, width=width, height=THICK, rx=2, class_=kind))
            drawn.append(_text(f"{share:.3f}", WIDTH, y + 9, "end"))
    return _svg(title, ROW * max(len(groups), 1), drawn)


def latency_bins(milliseconds: Sequence[float]) -> list[Column]:
    """How many finds took how long, in steps that grow with the time."""
    if not milliseconds:
        return []
    places = [_step_of(value) for value in milliseconds]
    first = min(places)
    last = max(places)
    cut = max(first, last - MOST_BINS + 1)
    return [
        Column(_bound(place), sum(max(one, cut) == place for one in places))
        for place in range(cut, last + 1)
    ]


def _step_of(value: float) -> int:
    """The number of the first step that a value does not exceed."""
    place = math.floor(math.log10(max(value, 1e-3))) * len(STEPS)
    while _value_of(place) < value:
        place += 1
    return place


def _value_of(place: int) -> float:
    power, at = divmod(place, len(STEPS))
    return float(STEPS[at] * 10**power)


def _bound(place: int) -> str:
    return f"{_value_of(place):.3g}"


def _short(label: str) -> str:
    """A label that fits; SVG does not break lines, and a wide sign takes two places."""
    room = LONGEST_LABEL
    for at, sign in enumerate(label):
        room -= 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        if room < 0:
            return f"{label[:at]}…"
    return label


def _text(words: str, x: float, y: float, anchor: str, kind: str = "value") -> Markup:
    return tag("text", words, x=x, y=y, text_anchor=anchor, class_=kind)


def _svg(title: str, height: float, drawn: Sequence[Markup]) -> Markup:
    return tag(
        "svg",
        tag("title", title),
        *drawn,
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
        xmlns="http://www.w3.org/2000/svg",
    )

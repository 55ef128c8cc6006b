"""Which plots there are: what each shows, in which unit, and the order of its curves.

The points come from the rows that name them (`report.Point`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bench.curves import Curve

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.report import Row


class Plot(NamedTuple):
    """A plot; of two curves of ours the upper one is named first."""

    name: str
    title: str
    note: str
    ours: tuple[str, ...]
    yardsticks: tuple[str, ...] = ()


PLOTS = (
    Plot(
        "find",
        "A warm find",
        "milliseconds, by sections of the manual",
        ("find, p95", "find, median"),
        ("SQLite FTS5", "bare query"),
    ),
    Plot(
        "start",
        "A fresh process, until its first find is answered",
        "milliseconds, by sections of the manual",
        ("first find",),
        ("python -c pass",),
    ),
    Plot(
        "build",
        "Building an index",
        "MB of text a second, by sections of the manual",
        ("cold build",),
        ("engine alone",),
    ),
    Plot(
        "memory",
        "Memory of the process",
        "MB, by sections of the manual",
        ("building, at most", "serving"),
    ),
    Plot(
        "edit",
        "One edited file, until it can be found",
        "milliseconds, by files of the manual",
        ("walk and one edit", "beyond the walk"),
        ("walk",),
    ),
    Plot(
        "http",
        "A call over HTTP",
        "milliseconds, by clients that call at once",
        ("manual_find", "vault_read"),
        ("bare SDK, trivial tool",),
    ),
    Plot(
        "framing",
        "Taking messages apart",
        "MB a second, by bytes of a message",
        ("Decoder, line", "Decoder, framed"),
        ("split",),
    ),
)


def curves_of(plot: Plot, rows: Iterable[Row]) -> list[Curve]:
    """The curves of a plot that have a point, ours first."""
    found: dict[str, dict[float, float]] = {}
    for row in rows:
        point, value = row.point, row.spread.median
        # A logarithmic axis has no place for a difference that was lost in the noise.
        if point is not None and point.plot == plot.name and value > 0:
            found.setdefault(point.curve, {})[point.size] = value
    return [
        Curve(name, tuple(sorted(found[name].items())), is_yardstick=name in plot.yardsticks)
        for name in (*plot.ours, *plot.yardsticks)
        if name in found
    ]

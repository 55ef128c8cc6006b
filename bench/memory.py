"""`memory`: what the server holds after many calls, beside what the plain script holds."""

from __future__ import annotations

from bench.calls import body_the_server_sends, timed_calls
from bench.overhead import script_block
from bench.processes import can_see_memory, plain_script, server, simulator
from bench.report import Row, Table, below, spread_of

CALLS, QUICK_CALLS = 5000, 1000
SETTLED_AFTER = 500
"""Calls after which imports, connections and caches are all there."""

AT_ONCE = 16
MOST_GROWTH_MB = 5


def measure(*, quick: bool) -> Table:
    """Weigh both after the first calls and at the end."""
    title = f"VmRSS after {SETTLED_AFTER} calls and at the end, {AT_ONCE} in flight"
    if not can_see_memory():
        return Table("memory", f"{title} (not on this system)", ())
    blocks = (QUICK_CALLS if quick else CALLS) // SETTLED_AFTER
    body = body_the_server_sends()
    script_mb: list[float] = []
    served_mb: list[float] = []
    with (
        simulator(0) as base_url,
        server(base_url) as served,
        plain_script(base_url, body) as script,
    ):
        for _ in range(blocks):
            script_block(script, SETTLED_AFTER, AT_ONCE)
            script_mb.append(script.resident_mb())
            timed_calls(served, SETTLED_AFTER, AT_ONCE)
            served_mb.append(served.resident_mb())
    rows = _rows("plain script", script_mb, None) + _rows("server", served_mb, script_mb)
    return Table("memory", title, tuple(rows))


def _rows(who: str, weights: list[float], yardstick: list[float] | None) -> list[Row]:
    first, last = weights[0], weights[-1]
    growth = last - first
    ratio = None if yardstick is None else last / yardstick[-1]
    goal = None if yardstick is None else below(growth, MOST_GROWTH_MB, " MB")
    calls = len(weights) * SETTLED_AFTER
    return [
        Row(f"{who}, after {SETTLED_AFTER} calls", "MB", spread_of([first])),
        Row(f"{who}, after {calls} calls", "MB", spread_of([last]), ratio),
        Row(f"{who}, growth", "MB", spread_of([growth]), goal=goal),
    ]

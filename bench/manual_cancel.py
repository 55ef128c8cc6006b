"""`manual_cancel`: from the message that cancels a running find to the end of its work.

A cancelled find is not answered, so its work is watched from outside: of the thread that worked
the most since the find began, the last moment at which it ran or had used more CPU time. The find
is the longest there is: the first of a manual, which builds the index. The yardstick is a ping.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.corpus import Corpus, questions
from bench.manuals_server import environment_of, find_call, manuals_server
from bench.processes import Activity, activity_of, can_see_memory, line_of
from bench.report import Row, Table, at_most, spread_of
from bench.startup import compile_package

if TYPE_CHECKING:
    from bench.corpus import Asked
    from bench.processes import Piped

SECTIONS = 12_000
ROUNDS, QUICK_ROUNDS = 20, 6
SOONEST_CANCEL, LATEST_CANCEL = 0.1, 1.1
"""Seconds; the rounds cancel at even steps between, so that they meet every phase of a build."""

LOOK_EVERY = 0.002
STILL_SECONDS = 0.3
"""A thread that used nothing for so long has stopped."""

RUNNING = "R"
MOST_SECONDS = 30
MOST_MS = 100


class NothingCancelled(Exception):
    """The find was over before, or did not stop; its figure would mean nothing."""


def measure(*, quick: bool) -> Table:
    """Cancel finds at several moments, each in a server of its own without an index."""
    title = f"first find of {SECTIONS:,} sections, from its cancel message to its last work"
    if not can_see_memory():
        return Table("manual_cancel", f"{title} (not on this system)", ())
    compile_package()
    rounds = QUICK_ROUNDS if quick else ROUNDS
    pings: list[float] = []
    stops: list[float] = []
    (asked,) = questions(1)
    with tempfile.TemporaryDirectory() as folder, environment_of(Path(folder)) as environment:
        Corpus(SECTIONS).write(Path(folder, "manuals"))
        for number in range(rounds):
            shutil.rmtree(Path(folder, "cache"), ignore_errors=True)
            with manuals_server(environment) as process:
                before = _threads(process.pid)
                until = SOONEST_CANCEL + (LATEST_CANCEL - SOONEST_CANCEL) * number / rounds
                pings.append(_ping_beside_find_ms(process, asked, until))
                stops.append(_stop_ms(process, _busiest(before, _threads(process.pid))))
    ping, stop = spread_of(pings), spread_of(stops)
    goal = at_most(stop.p95, MOST_MS, " ms p95")
    rows = (
        Row("ping while it runs", "ms", ping),
        Row("cancelled find stopped", "ms", stop, stop.median / ping.median, goal),
    )
    return Table("manual_cancel", title, rows)


def _ping_beside_find_ms(process: Piped, asked: Asked, seconds: float) -> float:
    """Begin a find, let it run, and time a ping beside it."""
    find = find_call(asked)
    find["id"] = "find"
    find["params"]["_meta"] = {"progressToken": "find"}
    process.send(line_of(find))
    # The first word of its progress: the build has begun.
    process.next()
    time.sleep(seconds)
    begun = time.perf_counter()
    process.send(line_of({"jsonrpc": "2.0", "id": "ping", "method": "ping"}))
    while process.next().get("id") != "ping":
        pass
    return (time.perf_counter() - begun) * 1000


def _stop_ms(process: Piped, thread: str) -> float:
    """Cancel the find; the time until the thread worked for the last time."""
    _, ticks = _threads(process.pid)[thread]
    cancel = {"method": "notifications/cancelled", "params": {"requestId": "find"}}
    begun = last = time.perf_counter()
    process.send(line_of({"jsonrpc": "2.0"} | cancel))
    while (now := time.perf_counter()) - last < STILL_SECONDS:
        if now - begun > MOST_SECONDS:
            raise NothingCancelled(f"the find works on after {MOST_SECONDS} s")
        seen = _threads(process.pid).get(thread, Activity("gone", ticks))
        if seen.state == RUNNING or seen.ticks != ticks:
            last, ticks = now, seen.ticks
        time.sleep(LOOK_EVERY)
    said = itertools.chain.from_iterable(iter(lambda: process.lines(0), []))
    if any(json.loads(line).get("id") == "find" for line in said):
        raise NothingCancelled("the find was answered")
    return (last - begun) * 1000


def _busiest(before: dict[str, Activity], after: dict[str, Activity]) -> str:
    """The thread that used the most CPU time between two looks."""
    idle = Activity("", 0)
    return max(after, key=lambda name: after[name].ticks - before.get(name, idle).ticks)


def _threads(pid: int) -> dict[str, Activity]:
    """Every thread of a process."""
    found: dict[str, Activity] = {}
    for name in os.listdir(f"/proc/{pid}/task"):
        try:
            found[name] = activity_of(f"/proc/{pid}/task/{name}")
        except (FileNotFoundError, ProcessLookupError):
            # It has ended since it was listed.
            continue
    return found

"""Mixed calls of every tool over stdio and HTTP, and what the servers hold before and after.

After a warm-up, in which caches fill, memory may not climb, and there may be no more descriptors
and threads than there were. Without Linux's /proc only the answers are judged.
"""

from __future__ import annotations

import statistics
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator import Simulator
from tests.soak.messages import CALLS
from tests.soak.outcome import Outcome
from tests.soak.stage import CAN_SEE_PROCESSES, Held, environment, furnished, held
from tests.support.http_process import HttpProcess
from tests.support.server_process import ServerProcess
from tests.support.talk import MODERN_META

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

WARM_UP_ROUNDS = 8
ROUNDS_A_SAMPLE = 5
NOTES = 4
EDITS = 3
CROWD = 60
QUERIES = ("switch", "plug")
MOST_CLIMB_KB = 6144
"""By which memory may climb from the first samples to the last: an allocator and a collector of
cycles take their time, and take it in steps. A long run is judged by its second half alone."""

A_LONG_RUN = 40
"""Samples from which on a run is long."""

SETTINGS = """
http: {calls_per_minute: 0, access_log: false}
manuals: {cache: {max_keep: 2}, traces: {max_keep: 2}}
"""
"""No limit of calls; and what is kept is soon as much as it may be, or its filling is no leak."""

ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}
"""Else the allocator keeps room for every thread there ever was, which is no leak either."""


class Client(NamedTuple):
    """One conversation, and the process it is with."""

    name: str
    talk: Any
    pid: int
    meta: dict[str, Any]


def mixed_calls(home: Path, chance: random.Random, go_on: Callable[[int], bool]) -> Outcome:
    """Rounds of all tools in an order by chance, from every client; samples in between."""
    outcome = Outcome("leaks")
    with ExitStack() as running:
        clients = _clients(home, running)
        for client in clients:
            _crowd(client)
        before = _sampled(clients, home, chance, WARM_UP_ROUNDS, outcome)
        after: list[dict[str, Held]] = []
        while go_on(outcome.done["rounds"] - WARM_UP_ROUNDS):
            after += _sampled(clients, home, chance, ROUNDS_A_SAMPLE, outcome)
        if CAN_SEE_PROCESSES and after:
            for name in after[-1]:
                _judge(name, [row[name] for row in before], [row[name] for row in after], outcome)
    return outcome


def _clients(home: Path, running: ExitStack) -> list[Client]:
    simulator = running.enter_context(Simulator())
    env = environment(furnished(home), simulator.base_url, **ONE_ARENA)
    config = home / "config.yaml"
    config.write_text(SETTINGS, encoding="utf-8")
    flags = ("--config", str(config))
    web = running.enter_context(HttpProcess(home, *flags, env=env))
    clients = []
    for dialect in ("line", "framed"):
        pipe = ServerProcess(home, *flags, face="tebiki", dialect=dialect, env=env)
        running.enter_context(pipe)
        clients.append(Client(f"stdio, {dialect}", pipe, pipe.process.pid, {}))
    for modern in (False, True):
        meta = {"_meta": MODERN_META} if modern else {}
        clients.append(Client("http", web.talk(modern=modern), web.process.pid, meta))
    return clients


def _crowd(client: Client) -> None:
    """So many calls at once that every pool of threads is as large as it gets."""
    for number in range(CROWD):
        tool, arguments = CALLS[number % len(CALLS)]
        client.talk.begin_call(f"crowd {number}", tool, arguments, **client.meta)
    for number in range(CROWD):
        client.talk.answer_to(f"crowd {number}")


def _sampled(
    clients: list[Client], home: Path, chance: random.Random, rounds: int, outcome: Outcome
) -> list[dict[str, Held]]:
    """Some rounds, and what each process holds after each of the last few."""
    samples = []
    for _ in range(rounds):
        _round(clients, home, chance, outcome)
        if CAN_SEE_PROCESSES:
            samples.append({client.name: held(client.pid) for client in clients})
    return samples[-ROUNDS_A_SAMPLE:]


def _round(clients: list[Client], home: Path, chance: random.Random, outcome: Outcome) -> None:
    number = outcome.done["rounds"] = outcome.done["rounds"] + 1
    manual = home / "manuals" / "lamp" / "edited.md"
    edit = number % EDITS
    manual.write_text(f"# Lamp {edit}\n\nThe red plug number {edit}.\n", encoding="utf-8")
    for place, client in enumerate(clients):
        trace = "none"
        for tool, usual in chance.sample(CALLS, len(CALLS)):
            identifier = f"{number} {place} {tool}"
            arguments = _arguments(tool, usual, chance, trace)
            answer = client.talk.call(identifier, tool, arguments, **client.meta)
            outcome.done["calls"] += 1
            outcome.expect("result" in answer, f"{client.name}, {tool} {arguments}: {answer}")
            found = answer.get("result", {}).get("structuredContent") or {}
            trace = found.get("trace_id", trace)
        client.talk.raw.clear()  # what was heard is not what is measured


def _arguments(
    tool: str, usual: dict[str, Any], chance: random.Random, trace: str
) -> dict[str, Any]:
    """What is asked of a tool: always from the same few, so that what is kept has an end."""
    if tool.startswith("vault_") and tool != "vault_ls":
        own: dict[str, Any] = {"path": f"ideas/{chance.randrange(NOTES)}.md"}
        if tool == "vault_replace" and chance.random() < 0.5:
            own |= {"find": "Zeile", "replace": "line"}
        return usual | own
    if tool == "manual_find":
        return usual | {"query": chance.choice(QUERIES), "use_cache": chance.random() < 0.5}
    return usual | ({"trace_id": trace} if tool == "manual_hits" else {})


def _judge(name: str, before: list[Held], after: list[Held], outcome: Outcome) -> None:
    """Compare the samples after the warm-up, or from the middle of a long run, with the last."""
    last = after[-ROUNDS_A_SAMPLE:]
    middle = len(after) // 2
    first = after[middle : middle + ROUNDS_A_SAMPLE] if len(after) >= A_LONG_RUN else before
    climb = int(
        statistics.median(sample.resident_kb for sample in last)
        - statistics.median(sample.resident_kb for sample in first)
    )
    outcome.done[f"kB more, {name}"] = climb
    outcome.expect(climb <= MOST_CLIMB_KB, f"{name}: memory grew by {climb} kB")
    for what in ("descriptors", "threads"):
        had = max(getattr(sample, what) for sample in before)
        has = min(getattr(sample, what) for sample in last)
        outcome.done[f"{what} more, {name}"] = max(0, has - had)
        outcome.expect(has <= had, f"{name}: {has} {what}, {had} before")

"""`walk`: how far a reader has to go to follow one request through the package.

`python -m bench.walk` lists the files, and from where to where it goes, for each of the four.

Four warm requests through the real server, each traced alone after others of its kind: files of
the package that are entered, calls, calls into another folder than the last one, and how deeply
they nest. Counts, not times; they differ a little between versions of Python.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.calls import QUERY
from bench.http_servers import SAMPLES, Caller, started
from bench.manuals_server import FindFailed, settle, tool_call
from bench.processes import Piped, clean_environment, simulator
from bench.report import Table, at_most, count_row
from bench.startup import HELLO

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.report import Row


MANUAL = "kaede-fukugouki"
FINDS = (
    ("紙詰まりを直すには?", "紙"),
    ("トナーはいつ交換しますか", "トナー"),
    ("スキャンした文書を送る方法", "スキャン"),
)
"""The last one is traced: its manual is known by then, the question is new."""

MOST_FILES, MOST_CHANGES = 40, 200
"""What the walk of a find may have."""

NOTE = "notes/walk.md"
WORDS = {
    "files": "files",
    "calls": "calls",
    "changes": "changes of folder",
    "deepest": "deepest stack",
}
PATIENCE_SECONDS = 30
QUIET_SECONDS = 0.2
"""After an answer, for what the server does behind it."""


def measure(*, quick: bool) -> Table:
    """Trace the four; there is nothing to repeat."""
    del quick
    rows = [row for name, counted in _walks().items() for row in _rows(name, counted)]
    return Table("walk", "one warm request each, inside the package", tuple(rows))


def _walks() -> dict[str, dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder, simulator(0) as base_url:
        top = Path(folder)
        traced = _Traced(top / "walk.json")
        roots = {
            "MANUALS_ROOT": str(SAMPLES),
            "VAULT_ROOT": str(top / "vault"),
            "XDG_CACHE_HOME": str(top / "cache"),
        }
        walks = _over_stdio(traced, base_url, roots)
        walks["HTTP vault_read"] = _over_http(traced, roots)
        return walks


def _over_stdio(traced: _Traced, base_url: str, roots: dict[str, str]) -> dict[str, dict[str, Any]]:
    command = traced.command("--stdio")
    with clean_environment(base_url) as environment, Piped(command, environment | roots) as process:
        process.ask(HELLO)

        def ask(tool: str, arguments: dict[str, Any]) -> Any:
            return _sound(process.ask(tool_call(tool, **arguments)))

        ask("manual_ls", {})
        ask("manual_find", _find(*FINDS[0]))
        settle()
        ask("manual_find", _find(*FINDS[1]))
        ask("vault_create", {"path": NOTE, "content": "one two three\n"})
        ask("vault_replace", {"path": NOTE, "find": "one", "replace": "four"})
        ask("answer", {"query": QUERY})
        settle()  # its cost is noted beside what comes next
        return {
            "manual_find": traced.walk(process.pid, lambda: ask("manual_find", _find(*FINDS[-1]))),
            "answer": traced.walk(process.pid, lambda: ask("answer", {"query": QUERY})),
            "vault_replace": traced.walk(
                process.pid,
                lambda: ask("vault_replace", {"path": NOTE, "find": "two", "replace": "five"}),
            ),
        }


def _over_http(traced: _Traced, roots: dict[str, str]) -> dict[str, Any]:
    command = traced.command("--http", "127.0.0.1:0")
    with started(command, roots) as running, asyncio.Runner() as runner:
        caller = Caller(running.port)

        def read() -> Any:
            return _sound(runner.run(caller.call("vault_read", {"path": NOTE, "full": True})))

        for _ in range(3):
            read()
        settle()  # what the server warms up beside the first calls is no part of any
        walk = traced.walk(running.pid, read)
        runner.run(caller.close())
        return walk


class _Traced:
    """A server that is traced, and the file by which it tells what it counted."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def command(self, *flags: str) -> tuple[str, ...]:
        """How the server is started."""
        return (sys.executable, "-m", "bench.traced", str(self._file), *flags)

    def walk(self, pid: int, ask: Callable[[], Any]) -> dict[str, Any]:
        """Count what one request does."""
        self._file.unlink(missing_ok=True)
        os.kill(pid, signal.SIGUSR1)
        self._wait_for(self._file.exists)
        ask()
        time.sleep(QUIET_SECONDS)
        os.kill(pid, signal.SIGUSR1)
        self._wait_for(lambda: self._file.stat().st_size > 0)
        counted: dict[str, Any] = json.loads(self._file.read_bytes())
        return counted

    def _wait_for(self, is_there: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while not is_there():
            if time.monotonic() > until:
                raise TimeoutError("the traced server does not tell what it counted")
            time.sleep(0.01)


def _find(query: str, term: str) -> dict[str, Any]:
    return {"query": query, "manual_id": MANUAL, "required_terms": [term]}


def _sound(answer: dict[str, Any]) -> dict[str, Any]:
    if "error" in answer or answer["result"].get("isError"):
        raise FindFailed(json.dumps(answer, ensure_ascii=False)[:300])
    return answer


def _rows(name: str, counted: dict[str, Any]) -> list[Row]:
    goals = {"files": MOST_FILES, "changes": MOST_CHANGES} if name == "manual_find" else {}
    return [
        count_row(
            f"{name}: {words}",
            counted[what],
            at_most(counted[what], goals[what], "") if what in goals else None,
        )
        for what, words in WORDS.items()
    ]


def main() -> None:
    """Print where each walk goes, most often entered first."""
    for name, counted in _walks().items():
        print(f"== {name}:", ", ".join(f"{counted[what]} {words}" for what, words in WORDS.items()))
        for entered in ("entries", "crossings"):
            ways = sorted(counted[entered].items(), key=lambda way: (-way[1], way[0]))
            print(f"-- {entered}", *(f"{count:5} {way}" for way, count in ways), sep="\n")


if __name__ == "__main__":
    main()

"""Processes that share, build and are killed over one index: for the tests and the bench.

`python -m tests.manuals.index_faults FOLDER` is the child: it answers a query a line.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.manuals.searchable import Searchable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REPOSITORY = Path(__file__).parents[2]
LIMIT = "limit"
"""A line that takes the space for files away, instead of a query."""

UNLIMITED = "unlimited"


def word(what: object) -> str:
    """A word for something that is like no other: letters only, so that it has no parts."""
    digest = hashlib.sha256(str(what).encode()).digest()[:12]
    return "".join(chr(ord("a") + byte % 26) for byte in digest) + "q"


class Finder:
    """A process that searches the manual below a folder; one question at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lock = threading.Lock()

    def begin(self, query: str) -> None:
        """Ask, and do not wait."""
        if self._process.stdin is None:
            raise ValueError(query)
        self._process.stdin.write(f"{query}\n")
        self._process.stdin.flush()

    def ask(self, query: str) -> dict[str, Any]:
        """Ask, and give the answer."""
        with self._lock:
            self.begin(query)
            if self._process.stdout is None or not (line := self._process.stdout.readline()):
                return {"error": f"ended with {self._process.poll()}"}
            answer: dict[str, Any] = json.loads(line)
            return answer

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()


@contextmanager
def finder(folder: Path) -> Iterator[Finder]:
    """A process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.manuals.index_faults", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    with process:
        try:
            yield Finder(process)
        finally:
            process.kill()


@dataclass(slots=True)
class Shared:
    """What was seen while processes shared an index."""

    edits: int = 0
    finds: int = 0
    wrong: list[str] = field(default_factory=list)


def shared(folder: Path, go_on: Callable[[int], bool], processes: int = 2) -> Shared:
    """Edit files at once, each followed by a find in every process, which must see it.

    `go_on` is told how many edits a thread has made.
    """
    seen = Shared()
    root = folder / "manuals" / "m"
    root.mkdir(parents=True)
    for number in range(40):
        (root / f"other{number}.md").write_text(f"# t\nfiller {number}\n")
    with ExitStack() as running:
        finders = [running.enter_context(finder(folder)) for _ in range(processes)]
        threads = [
            threading.Thread(target=_edits, args=(root, who, finders, go_on, seen))
            for who in range(processes)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return seen


def _edits(
    root: Path, who: int, finders: list[Finder], go_on: Callable[[int], bool], seen: Shared
) -> None:
    names = [f"edited{who}.md", f"moved{who}.md"]
    number = 0
    while go_on(number):
        number += 1
        name, other = names if number % 5 else names[::-1]
        token = word((who, number))
        with suppress(FileNotFoundError):
            (root / other).unlink()
        (root / name).write_text(f"# t\nedited {token}\n")
        seen.edits += 1
        for one in finders[who:] + finders[:who]:
            _expect(seen, one.ask(token), token, [name])
        _expect(seen, finders[who].ask(word((who, number - 1))), "the old text", [])


def _expect(seen: Shared, answer: dict[str, Any], what: str, paths: list[str]) -> None:
    seen.finds += 1
    if answer.get("paths") != paths or not answer.get("complete"):
        seen.wrong.append(f"{what}: {answer}")


@dataclass(slots=True)
class Kills:
    """What was found after builders were killed."""

    kills: int = 0
    wrong: list[str] = field(default_factory=list)
    said: set[str] = field(default_factory=set)


def killed_builds(folder: Path, kills: int, files: int, seed: int) -> Kills:
    """Kill a process that builds, again and again at random moments; another must then answer."""
    seen = Kills()
    chance = random.Random(seed)  # noqa: S311 -- repeatable, not secret
    manual = Searchable(folder, folder / "cache")
    for number in range(files):
        manual.write(
            f"{number}.md", f"# 題{number}\n" + f"申請の期限 alpha{number} 本文です。" * 40
        )
    for number in range(kills):
        manual.write(f"{number % files}.md", f"# 題\n改めた {word(number)} 申請\n")
        with finder(folder) as builder:
            builder.begin("alpha")
            time.sleep(chance.uniform(0.05, 1.2))
            builder.kill()
        seen.kills += 1
        if chance.random() < 1 / 3:
            found = manual.paths(word(number), index=manual.another())
            if found != [f"{number % files}.md"]:
                seen.wrong.append(f"after kill {number}: {found}")
    whole = Searchable(folder, None)
    if manual.ask("申請の期限").lists != whole.ask("申請の期限").lists:
        seen.wrong.append("the answers differ from those of a fresh build")
    seen.said.update(manual.said)
    return seen


def main() -> None:
    """Answer queries until the input ends."""
    folder = Path(sys.argv[1])
    manual = Searchable(folder, folder / "cache")
    for line in sys.stdin:
        query = line.strip()
        if query in {LIMIT, UNLIMITED}:
            _limit(query == LIMIT)
            answer: dict[str, Any] = {}
        else:
            found = manual.ask(query)
            answer = {
                "paths": [row["ref"]["path"] for row in found.lists["candidates"]],
                "complete": found.complete,
                "unscanned": found.lists["unscanned"],
                "said": manual.said,
            }
        print(json.dumps(answer), flush=True)  # noqa: T201 -- this is the child's answer


def _limit(is_full: bool) -> None:
    """Make every further byte of a file fail, as on a full disk; or not any more."""
    import resource  # not on Windows

    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0 if is_full else hard, hard))


if __name__ == "__main__":
    main()

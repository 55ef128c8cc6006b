"""What a part of the soak did and what went wrong, and the table of all parts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

REPOSITORY = Path(__file__).parents[2]
LONGEST_RUN_SECONDS = 600
MOST_SHOWN = 10


@dataclass(slots=True)
class Outcome:
    """One part: counts of what was done, and a line for each thing that was wrong."""

    name: str
    done: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def expect(self, is_right: bool, words: str) -> None:
        """Note something that is not as it should be."""
        if not is_right:
            self.wrong.append(words[:500])

    def tell(self) -> None:
        """Write it down for the process that started this one."""
        sys.stdout.write(json.dumps({"done": self.done, "wrong": self.wrong}))


def told_by_child(name: str, *command: str) -> Outcome:
    """Run a command to its end, and give the outcome that it tells."""
    done = subprocess.run(
        command,
        capture_output=True,
        check=False,
        timeout=LONGEST_RUN_SECONDS,
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if done.returncode != 0:
        return Outcome(name, wrong=[done.stderr.decode()[-2000:]])
    told = json.loads(done.stdout)
    return Outcome(name, Counter(told["done"]), told["wrong"])


def table(outcomes: Iterable[Outcome]) -> str:
    """All parts for a person: what was done, how much of it, and what went wrong."""
    lines = []
    for outcome in outcomes:
        lines.append(f"{outcome.name:<10} {'FAILED' if outcome.wrong else 'ok'}")
        lines += [f"{'':<10} {count:>9} {what}" for what, count in outcome.done.items()]
        lines += [f"{'':<10} wrong: {words}" for words in outcome.wrong[:MOST_SHOWN]]
        if len(outcome.wrong) > MOST_SHOWN:
            lines.append(f"{'':<10} and {len(outcome.wrong) - MOST_SHOWN} more")
    return "\n".join(lines) + "\n"

"""Watched manuals under fire: edits by chance held against a walk, and writers beside finders.

A find that does not show an edit that was complete when it began is stale.
"""

from __future__ import annotations

import json
import os
import re
import threading
from typing import TYPE_CHECKING

from tebiki.errors import TebikiError
from tests.manuals.random_edits import WORDS, RandomEdits
from tests.manuals.watched_libraries import Watched, difference
from tests.soak.outcome import Outcome

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from tebiki.manuals.library import Library

STEPS_BETWEEN_FINDS = 10
WRITERS = ("apple", "berry", "cherry", "damson")
FINDERS = 2
FILES_BESIDE = 200
VERSION = re.compile(r"version (\d{8})")


def watched_edits(folder: Path, chance: random.Random, go_on: Callable[[int], bool]) -> Outcome:
    """Edit by chance; after each step the watched manual is what a walk finds."""
    outcome = Outcome("watched")
    watched = Watched(folder)
    edits = RandomEdits(watched.folder, watched.outside, chance)
    watching, walking = watched.library(lasts=True), watched.library(lasts=False)
    while go_on(edits.steps):
        done = edits.step()
        outcome.done["edits"] += 1
        outcome.expect(not (words := difference(watched)), f"{done}: {words}")
        if not edits.steps % STEPS_BETWEEN_FINDS:
            word = chance.choice(WORDS)
            is_same = watched.find(watching, word) == watched.find(walking, word)
            outcome.expect(is_same, f"{done}: a find for {word} differs")
            outcome.done["finds compared"] += 1
    outcome.expect(not watched.said, f"said: {watched.said}")
    return outcome


def writers_beside_finders(
    folder: Path, _chance: random.Random, go_on: Callable[[int], bool]
) -> Outcome:
    """Four writers and two finders at once: no find is stale, and none fails."""
    outcome = Outcome("writers")
    watched = Watched(folder)
    for number in range(FILES_BESIDE):
        watched.write(f"{number % 10}/{number}.md", f"# Other\n\nsome text {number}\n")
    for name in WRITERS:
        watched.write(f"{name}.md", _text(name, 0))
    library = watched.library(lasts=True)
    library.index("m")
    written = dict.fromkeys(WRITERS, 0)
    is_over = threading.Event()
    threads = [
        threading.Thread(target=_write, args=(watched, name, written, is_over)) for name in WRITERS
    ]
    threads += [
        threading.Thread(target=_find, args=(library, number, written, is_over, outcome))
        for number in range(FINDERS)
    ]
    for thread in threads:
        thread.start()
    while go_on(outcome.done["finds"]) and not outcome.wrong:
        is_over.wait(0.05)
    is_over.set()
    for thread in threads:
        thread.join()
    outcome.done["edits"] = sum(written.values())
    return outcome


def _text(name: str, version: int) -> str:
    return f"# {name}\n\n{name} has version {version:08} of its text\n"


def _write(watched: Watched, name: str, written: dict[str, int], is_over: threading.Event) -> None:
    """Write one file again and again, replaced or in place; what is written is told after."""
    path = watched.folder / f"{name}.md"
    while not is_over.wait(0.002):
        version = written[name] + 1
        text = _text(name, version).encode()
        if version % 2:
            new = path.with_name(f".{name}")
            new.write_bytes(text)
            new.replace(path)
        else:
            descriptor = os.open(path, os.O_WRONLY)
            os.pwrite(descriptor, text, 0)
            os.close(descriptor)
        written[name] = version


def _find(
    library: Library,
    number: int,
    written: dict[str, int],
    is_over: threading.Event,
    outcome: Outcome,
) -> None:
    while not is_over.is_set():
        number += 1
        name = WRITERS[number % len(WRITERS)]
        least = written[name]
        try:
            found = json.dumps(Watched.find(library, name))
        except TebikiError as error:
            outcome.wrong.append(f"a find failed: {error}")
            return
        newest = max(map(int, VERSION.findall(found)), default=-1)
        outcome.expect(newest >= least, f"{name}: version {newest}, {least} was complete")
        outcome.done["finds"] += 1

"""Children that write, are killed, or swap files for links: shared by the tests and the bench.

`python -m tests.vault.faults replace|grow|swap …` is the child; the functions run and judge them.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tebiki.errors import Conflict, TebikiError
from tebiki.files.reading import Cursor
from tebiki.vault.vault import Vault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REPOSITORY = Path(__file__).parents[2]
LONGEST_RUN_SECONDS = 300
CANARY = "CANARY"
EVERY_HIT = 1_000_000
STEPS = frozenset(["open", "os.link", "os.mkdir", "os.remove", "os.rename", "os.utime"])
"""What Python announces before it asks the system for it, and what may leave something behind."""


@dataclass(frozen=True, slots=True)
class Kills:
    """What was found after children were killed while they wrote."""

    kills: int
    torn: int
    visible_strays: int
    writes: int
    unexplained: int


@dataclass(frozen=True, slots=True)
class Swaps:
    """What calls against swapped folders and files came to."""

    answered: int
    refused: int
    swaps: int
    leaks: int
    changed_outside: bool


@contextmanager
def child(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A child of this module; killed if it is still there."""
    command = [sys.executable, "-m", "tests.vault.faults", *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=REPOSITORY
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def concurrent_replaces(root: Path, processes: int, each: int) -> int:
    """Let processes replace different markers of one file; the number of effects."""
    markers = [f"{who}-{number}: open" for who in range(processes) for number in range(each)]
    Vault(root, time.time).create("shared.md", "\n".join(markers) + "\n")
    with ExitStack() as running:
        children = [
            running.enter_context(child("replace", str(root), str(who), str(each)))
            for who in range(processes)
        ]
        for process in children:
            if process.wait(LONGEST_RUN_SECONDS) != 0:
                raise ChildProcessError(process.returncode)
    return (root / "shared.md").read_text().count("done")


def killed_replaces(root: Path, kills: int, size: int, seed: int, longest: float) -> Kills:
    """Kill a child at random moments of its replaces, and look at what it left each time."""
    moments = random.Random(seed)  # noqa: S311 -- moments, not secrets
    vault = Vault(root, time.time)
    # Few hits in long lines: the time is spent in writing, and there the kills shall fall.
    line = "<0000000>" + "x" * (size // 100) + "\n"
    vault.create("big.md", line * (size // len(line)))
    expected = size // len(line) * len(line)
    torn = strays = 0
    for _ in range(kills):
        with child("grow", str(root)) as process:
            if process.stdout is None or not process.stdout.readline():
                raise ChildProcessError("the child did not start")
            with suppress(subprocess.TimeoutExpired):
                process.wait(moments.uniform(0, longest))
        data = (root / "big.md").read_bytes()
        torn += len(data) != expected or len(set(re.findall(rb"<\d+>", data))) != 1
        strays += [item.name for item in vault.ls().items] != [".system", "big.md"]
    entries = vault.log("big.md")
    done = [entry for entry in entries if entry.done]
    # Whatever happened, the entries that took effect lead from one to the next.
    breaks = sum(one.after != two.before for one, two in itertools.pairwise(done))
    return Kills(kills, torn, strays, len(done), breaks)


def killed_moves(root: Path) -> int:
    """Move a note again and again, each time killed one step later; the number of kills.

    After each kill the folder `kill-<number>` is as it was left.
    """
    with child("move", str(root)) as process:
        said, _ = process.communicate(timeout=LONGEST_RUN_SECONDS)
    if process.returncode != 0:
        raise ChildProcessError(process.returncode)
    return int(said)


@dataclass(frozen=True, slots=True)
class Sweeps:
    """What became of temporary files while processes wrote in one folder and some were killed."""

    failed: int
    written: int
    torn: int
    left_by_the_killed: int
    left_in_the_end: int
    foreign: int


def swept_folder(root: Path, processes: int, kills: int, seconds: float) -> Sweeps:
    """Let processes write in one folder, kill some of them again and again, and sweep all along."""
    (root / "d").mkdir()
    (root / "d" / ".tebiki-tmp-mine").write_text("not yours")
    (root / "d" / f".tebiki-tmp-00-{'1' * 24}").symlink_to("a.md")
    (root / "d" / f".tebiki-tmp-00-{'2' * 24}").mkdir()
    moments = random.Random(9)  # noqa: S311 -- moments, not secrets
    left, failed, written = set[str](), 0, 0
    with ExitStack() as running:
        steady = [
            running.enter_context(child("scribble", str(root), str(who)))
            for who in range(processes // 2)
        ]
        for _ in range(kills):
            with ExitStack() as dying:
                doomed = [
                    dying.enter_context(child("scribble", str(root), f"x{who}"))
                    for who in range(processes - len(steady))
                ]
                for process in doomed:
                    if process.stdout is None or not process.stdout.readline():
                        raise ChildProcessError("the child did not start")
                with suppress(subprocess.TimeoutExpired):
                    doomed[0].wait(moments.uniform(0, seconds))
            left |= {path.name for path in (root / "d").glob(".tebiki-tmp-*")}
        for process in steady:
            said, _ = process.communicate(b"\n", timeout=LONGEST_RUN_SECONDS)
            failed += process.returncode != 0
            written += int(said.split()[-1])
    # The last to come sweeps what is left; nobody else is there any more.
    vault = Vault(root, time.time)
    vault.create("d/last.md", "last")
    torn = sum(
        len(set(path.read_text().split())) > 1 for path in (root / "d").glob("scribble-*.md")
    )
    names = {path.name for path in (root / "d").glob(".tebiki-tmp-*")}
    foreign = {".tebiki-tmp-mine", f".tebiki-tmp-00-{'1' * 24}", f".tebiki-tmp-00-{'2' * 24}"}
    return Sweeps(
        failed, written, torn, len(left - foreign), len(names - foreign), len(names & foreign)
    )


def swapped_calls(top: Path, seconds: float) -> Swaps:
    """Call every tool while a child swaps a folder and a file for links to the outside."""
    root, outside = top / "vault", top / "vault-outside"
    for folder, word in ((root / "d", "inside"), (outside, CANARY)):
        folder.mkdir(parents=True)
        (folder / "note.md").write_text(f"{word} 0\n")
    (root / "f.md").write_text("inside 0\n")
    before = _snapshot(outside)
    vault = Vault(root, time.time)
    answered = refused = leaks = rounds = 0
    with child("swap", str(root), str(outside)) as process:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            rounds += 1
            for call in _calls(vault, rounds):
                try:
                    leaks += CANARY in str(call())
                except TebikiError as error:
                    refused += 1
                    leaks += CANARY in str(error)
                else:
                    answered += 1
        swaps, _ = process.communicate(b"\n", timeout=LONGEST_RUN_SECONDS)
    return Swaps(answered, refused, int(swaps), leaks, _snapshot(outside) != before)


def _calls(vault: Vault, number: int) -> Iterator[Callable[[], object]]:
    for path in ("d/note.md", "f.md"):
        yield partial(vault.read, path, full=True)
        yield partial(vault.scan, path, cursor=Cursor(char_offset=0))
        yield partial(vault.replace, path, " ", f" {number} ")
    yield partial(vault.create, f"d/new-{number}.md", "inside\n")
    yield partial(vault.ls, "d")


def _snapshot(folder: Path) -> list[tuple[str, bytes]]:
    return sorted((str(path), path.read_bytes()) for path in folder.rglob("*"))


def _replace(root: str, who: str, each: str) -> None:
    vault = Vault(Path(root), time.time)
    for number in range(int(each)):
        marker = f"{who}-{number}: "
        if vault.replace("shared.md", f"{marker}open", f"{marker}done").replacements != 1:
            sys.exit(f"{marker} was not there")


def _grow(root: str) -> None:
    """Count up in every line of the file, for ever."""
    vault = Vault(Path(root), time.time)
    found = re.search(r"<\d+>", vault.read("big.md", start_line=1, end_line=1).page.text)
    number = int(found[0][1:-1]) if found else 0
    print("ready", flush=True)  # noqa: T201 -- tells the parent
    while True:
        vault.replace("big.md", f"<{number:07}>", f"<{number + 1:07}>", EVERY_HIT)
        number += 1


def _scribble(root: str, who: str) -> None:
    """Replace a note of one's own until the parent says a word, sweeping all along; tell how often.

    Any write of a live process that another one harmed would fail here.
    """
    os.set_blocking(0, False)
    ticks = itertools.count(time.time(), 1000)
    # By this clock each write is long after the last: every one of them sweeps.
    vault = Vault(Path(root), lambda: next(ticks))
    path, count = f"d/scribble-{who}.md", 0
    with suppress(Conflict):
        vault.create(path, "word0 " * 20_000)
    word = Path(root, path).read_text().split()[0]
    print("ready", flush=True)  # noqa: T201 -- tells the parent
    while _is_silent():
        count += 1
        new = f"word{count % 10}"
        vault.replace(path, word, new, EVERY_HIT)
        word = new
    print(count)  # noqa: T201 -- the parent reads it


def _move(root: str) -> None:
    """Move a note in a vault of its own, killed before each step of that until none is left."""
    for kills in itertools.count():
        top = Path(root, f"kill-{kills}")
        (top / "old").mkdir(parents=True)
        (top / "old" / "a.md").write_bytes(b"text\n")
        os.utime(top / "old" / "a.md", (1_000_000_000, 1_000_000_000))
        pid = os.fork()
        if pid == 0:
            sys.addaudithook(partial(_die_at, itertools.count(), kills))
            Vault(top, time.time).move("old/a.md", "new/b.md")
            os._exit(0)
        if os.waitpid(pid, 0)[1] == 0:
            print(kills)  # noqa: T201 -- the parent reads it
            return


def _die_at(steps: Iterator[int], last: int, event: str, _: object) -> None:
    """Kill this process before the system call that is its turn."""
    if event in STEPS and next(steps) == last:
        os.kill(os.getpid(), signal.SIGKILL)


def _swap(root: str, outside: str) -> None:
    """Swap until the parent says a word; tell how often."""
    os.set_blocking(0, False)
    targets = ((Path(root, "d"), Path(outside)), (Path(root, "f.md"), Path(outside, "note.md")))
    swaps = 0
    while _is_silent():
        for place, target in targets:
            aside = place.with_name(f"{place.name}.aside")
            with suppress(OSError):
                place.rename(aside)
                place.symlink_to(target)
                swaps += 1
            with suppress(OSError):
                if not place.is_symlink() and place.is_dir() and aside.exists():
                    shutil.rmtree(place)  # a create was quicker than the link
                else:
                    place.unlink()
            with suppress(OSError):
                aside.rename(place)
    print(swaps)  # noqa: T201 -- the parent reads it


def _is_silent() -> bool:
    try:
        os.read(0, 1)
    except BlockingIOError:
        return True
    return False


if __name__ == "__main__":
    CHILDREN: dict[str, Callable[..., None]] = {
        "replace": _replace,
        "grow": _grow,
        "swap": _swap,
        "scribble": _scribble,
        "move": _move,
    }
    CHILDREN[sys.argv[1]](*sys.argv[2:])

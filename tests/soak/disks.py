"""Disks that are full or read-only: a small real file system, and every tool and command on it.

`python -m tests.soak.disks MODE FOLDER` runs inside a mount namespace of its own, so that nothing
is left mounted whatever happens; where the system allows no such thing, `Unavailable` says so.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from simulator import Simulator
from tests.soak.messages import CALLS
from tests.soak.outcome import Outcome, told_by_child
from tests.soak.stage import environment, furnished
from tests.support.command import run_command
from tests.support.http_process import HttpProcess
from tests.support.server_process import ServerProcess

FULL, READ_ONLY = "full", "read-only"
MODES = (FULL, READ_ONLY)
SIZE = "8m"
NEW_NAMESPACE = ("unshare", "--map-root-user", "--mount")
WRITES = {"vault_create", "vault_replace"}
WRITING_COMMANDS = (
    ("vault", "create", "b.md", "--content", "text"),
    ("token", "new", "x"),
    ("setup", "cursor", "--write", "--command", "tebiki"),
)
READING_COMMANDS = (("manuals", "find", "lamp", "switch", "--require", "button"), ("usage",))


class Unavailable(Exception):
    """Nothing can be mounted here."""


def on_disk(mode: str, folder: Path) -> Outcome:
    """Use everything on a disk of that kind.

    Raises:
        Unavailable: there can be no such disk here.
    """
    if shutil.which(NEW_NAMESPACE[0]) is None:
        raise Unavailable("there is no unshare")
    probe = [*NEW_NAMESPACE, "mount", "-t", "tmpfs", "none", str(folder)]
    if subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        raise Unavailable("mounting is not allowed")
    command = (*NEW_NAMESPACE, sys.executable, "-m", "tests.soak.disks", mode, str(folder))
    return told_by_child(f"{mode} disk", *command)


class Disk:
    """A small file system with a home on it."""

    def __init__(self, place: Path, mode: str) -> None:
        self.home = place
        self.mode = mode
        _mount("-t", "tmpfs", "-o", f"size={SIZE}", "none", str(place))

    def spoil(self) -> None:
        """Leave no room for a byte, or let nothing be written."""
        if self.mode == READ_ONLY:
            _mount("-o", "remount,ro", str(self.home))
            return
        with suppress(OSError), (self.home / "filler").open("wb", buffering=0) as filler:
            for size in (65_536, 512, 1):
                with suppress(OSError):
                    while filler.write(b"x" * size):
                        pass

    def kept_open(self) -> dict[str, str]:
        """What a server keeps open all the time; then nobody can make the disk read-only."""
        here = {"DEBUG": str(self.home / "debug.log"), "TMPDIR": str(self.home)}
        return here if self.mode == FULL else {}

    def mend(self) -> None:
        """Make it a disk as any other."""
        if self.mode == READ_ONLY:
            _mount("-o", "remount,rw", str(self.home))
        else:
            (self.home / "filler").unlink()


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True)  # noqa: S607 -- by its name


def _use(disk: Disk, outcome: Outcome) -> None:
    with ExitStack() as running:
        simulator = running.enter_context(Simulator())
        env = environment(furnished(disk.home), simulator.base_url, TEBIKI_BUDGET_DAILY_USD="100")
        env |= disk.kept_open()
        create = ("vault", "create", "a.md", "--content", "old")
        run_command(disk.home, *create, face="tebiki", env=env)
        pipe = running.enter_context(ServerProcess(disk.home, face="tebiki", env=env))
        talks: list[Any] = [pipe]
        if disk.mode == FULL:  # whatever workers share would keep it from becoming read-only
            web = running.enter_context(HttpProcess(disk.home, "--workers", "2", env=env))
            talks.append(web.talk())
        _call_all(talks, outcome, "before", can_write=True)
        disk.spoil()
        _call_all(talks, outcome, "spoilt", can_write=False)
        _commands(disk.home, env, outcome, can_write=False)
        disk.mend()
        _call_all(talks, outcome, "mended", can_write=True)
        _commands(disk.home, env, outcome, can_write=True)
        pipe.finish()
        outcome.expect("incident" not in pipe.stderr, f"in the log: {pipe.stderr[-1500:]}")


def _call_all(talks: list[Any], outcome: Outcome, when: str, *, can_write: bool) -> None:
    """Every tool over every transport; what writes is refused in words while it cannot."""
    for who, talk in enumerate(talks):
        trace = "none"
        for tool, usual in CALLS:
            paths = {"vault_create": f"{when}{who}.md", "vault_ls": None}
            own = {"path": paths.get(tool, "a.md")} if tool.startswith("vault_") else {}
            own |= {"trace_id": trace} if tool == "manual_hits" else {}
            own |= {"find": "l", "replace": "ll"} if tool == "vault_replace" else {}
            own |= {"cursor": None} if tool == "vault_scan" else {}
            answer = talk.call(f"{when} {tool}", tool, usual | own)
            outcome.done["calls"] += 1
            result = answer.get("result", {"isError": None})
            is_refused = tool in WRITES and not can_write
            is_right = result.get("isError", False) is is_refused
            # Workers that cannot write what they share do not know each other's traces.
            is_right |= tool == "manual_hits" and not can_write
            outcome.expect(is_right, f"{when}, {who}, {tool}: {answer}")
            trace = (result.get("structuredContent") or {}).get("trace_id", trace)


def _commands(home: Path, env: dict[str, str], outcome: Outcome, *, can_write: bool) -> None:
    for words in (*WRITING_COMMANDS, *READING_COMMANDS):
        done = run_command(home, *words, face="tebiki", env=env)
        outcome.done["commands"] += 1
        fails = words in WRITING_COMMANDS and not can_write
        told = f"{words}: {done}"
        outcome.expect(done.code == (2 if fails else 0), told)
        outcome.expect("internal error" not in done.stderr, told)


def main() -> None:
    """Run in the namespace that `on_disk` made."""
    outcome = Outcome(sys.argv[1])
    _use(Disk(Path(sys.argv[2]), sys.argv[1]), outcome)
    outcome.tell()


if __name__ == "__main__":
    main()

"""Faults in the middle of one writing operation: a kill or a full disk at each step it takes.

`python -m tests.soak.faults NAME FOLDER` runs one operation of `writers` again and again in forks
of itself, each of which meets the fault one step later, until one gets through without. A step is a
call of the operating system that changes a file; a write that is hit has written half. A disk that
is full stays full until the operation has ended.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tebiki.errors import TebikiError
from tests.soak.outcome import Outcome, told_by_child

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.soak.writers import Writer

MOST_STEPS = 200
KILL, FULL = "kill", "full disk"
NEED_SPACE = ("open", "write", "rename", "replace", "link", "mkdir", "fsync")
NEED_NONE = ("unlink", "rmdir", "chmod", "fchmod")
DONE, REFUSED, BUG = 0, 1, 2
HIT = 4
"""Added to how an operation ended when it met the fault."""


def every_fault(name: str, folder: Path) -> Outcome:
    """Run one operation with every fault, in a process of its own."""
    return told_by_child(name, sys.executable, "-m", "tests.soak.faults", name, str(folder))


def _meet(writer: Writer, top: Path, kind: str, outcome: Outcome) -> None:
    prepared = Path(tempfile.mkdtemp(dir=top))
    if writer.can_be_copied:
        writer.prepare(prepared)
    for step in range(1, MOST_STEPS):
        with tempfile.TemporaryDirectory(dir=top) as name:
            folder = Path(name)
            if writer.can_be_copied:
                shutil.copytree(prepared, folder, dirs_exist_ok=True)
            else:
                writer.prepare(folder)
            status = _forked(writer.act, folder, step, kind)
            where = f"{kind} at step {step}"
            was_killed = os.WIFSIGNALED(status)
            code = 0 if was_killed else os.waitstatus_to_exitcode(status)
            outcome.expect(not code & BUG, f"{where}: an error that is not ours")
            outcome.wrong.extend(f"{where}: {words}" for words in writer.judge(folder))
        if not was_killed and not code & HIT:
            return
        outcome.done[f"{kind}s"] += 1
    outcome.wrong.append(f"not done after {MOST_STEPS} steps")


def _forked(act: Callable[[Path], None], folder: Path, step: int, kind: str) -> int:
    """Run something in a fork that meets the fault; gives how it ended, as the system tells it."""
    child = os.fork()
    if child != 0:
        return os.waitpid(child, 0)[1]
    code = BUG
    fault = Fault(step, kind)
    try:
        fault.arm()
        act(folder)
        code = DONE
    except TebikiError:
        code = REFUSED
    except BaseException:  # noqa: BLE001 -- told by the exit code
        traceback.print_exc()
    finally:
        os._exit(code + (HIT if fault.was_met else 0))


class Fault:
    """Waits at a step of this process."""

    def __init__(self, step: int, kind: str) -> None:
        self._left = step
        self._kind = kind
        self.was_met = False

    def arm(self) -> None:
        """Stand between this process and the system, for good."""
        for name in NEED_SPACE if self._kind == FULL else (*NEED_SPACE, *NEED_NONE):
            setattr(os, name, self._guarded(name, getattr(os, name)))

    def _guarded(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*args: Any, **more: Any) -> Any:
            if not _changes(name, args, more):
                return call(*args, **more)
            self._left -= 1
            if self._left <= 0:
                if name == "write" and not self.was_met:
                    call(args[0], bytes(args[1])[: len(args[1]) // 2])
                self._strike()
            return call(*args, **more)

        return guarded

    def _strike(self) -> None:
        self.was_met = True
        if self._kind == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _changes(name: str, args: tuple[Any, ...], more: dict[str, Any]) -> bool:
    """Whether a call changes a file; opening does if it makes one, writing to stderr does not."""
    if name == "write":
        return bool(args[0] > sys.stderr.fileno())
    if name != "open":
        return True
    flags = args[1] if len(args) > 1 else more["flags"]
    if not flags & os.O_CREAT:
        return False
    with suppress(FileNotFoundError):
        os.lstat(args[0], dir_fd=more.get("dir_fd"))
        return False
    return True


def main() -> None:
    """Run the operation that the command line names."""
    from tests.soak.writers import WRITERS

    outcome = Outcome(sys.argv[1])
    for kind in (KILL, FULL):
        _meet(WRITERS[sys.argv[1]], Path(sys.argv[2]), kind, outcome)
    outcome.tell()


if __name__ == "__main__":
    main()

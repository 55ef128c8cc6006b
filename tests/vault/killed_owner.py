"""A server that owns notes and is killed at one point after another of a forwarded write.

Run as a program with a folder and a kind of write: for each point it starts a process that is
killed there, sends the same request again to a new one, and prints what was wrong.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tebiki.errors import TebikiError
from tebiki.vault.forwarded import ForwardedWrites
from tebiki.vault.vault import Vault

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

WATCHED = tuple(
    os.path.join("tebiki", *parts)
    for parts in (
        ("vault", "forwarded.py"),
        ("vault", "writer.py"),
        ("vault", "journal.py"),
        ("files", "writing.py"),
    )
)
BEFORE = "one\n"
AFTER = {"create": "new\n", "append": "one\nnew\n", "replace": "new\n"}


def write(folder: Path, kind: str, request: str) -> dict[str, Any]:
    """Do a forwarded write, as a server that has just been started would."""
    vault = Vault(folder / "vault", time.time)
    note = f"{request}.md"
    works: dict[str, Callable[[], Any]] = {
        "create": lambda: vault.create(note, "new\n"),
        "append": lambda: vault.append(note, "new\n"),
        "replace": lambda: vault.replace(note, "one", "new"),
    }
    call = {"tool": kind, "arguments": {"content": "new\n"}, "client": ""}
    writes = ForwardedWrites(str(folder / "record"), lambda: vault, time.time)

    def work() -> dict[str, Any]:
        try:
            return {"result": works[kind]()._asdict()}
        except TebikiError as failure:
            return {"failure": str(failure)}

    return writes.once(request, call, work)


def kill_at(point: int) -> None:
    """Die when so many lines of what writes have been run."""
    left = [point]

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        if not frame.f_code.co_filename.endswith(WATCHED):
            return None
        if event == "line":
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)


def is_killed(folder: Path, kind: str, request: str, point: int) -> bool:
    """Start a process that does a write; tell whether it died on the way."""
    process = os.fork()
    if process == 0:
        kill_at(point)
        write(folder, kind, request)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(process, 0)[1])


def main(folder: Path, kind: str, step: int) -> None:
    """Kill at every so many lines, until a write comes to its end."""
    wrong: list[str] = []
    points = 0
    for point in range(1, 100_000, step):
        request = f"{point:032x}"
        note = folder / "vault" / f"{request}.md"
        note.parent.mkdir(exist_ok=True)
        if kind != "create":
            note.write_text(BEFORE)
        was_killed = is_killed(folder, kind, request, point)
        first, second = (write(folder, kind, request) for _ in range(2))
        if first != second or "result" not in first or note.read_text() != AFTER[kind]:
            wrong.append(f"{kind} at {point}: {first} {second} {note.read_text()!r}")
        if not was_killed:
            break
        points += 1
    sys.stdout.write(json.dumps({"points": points, "wrong": wrong}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))

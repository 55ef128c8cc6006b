"""Starting a server or a command: forked from the nursery where that is possible, else spawned."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tests.support.overheard import PATIENCE_SECONDS, Overheard

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

READ_AT_START = frozenset(
    {
        *("PYTHONPATH", "PYTHONIOENCODING", "PYTHONPROFILEIMPORTTIME"),
        *("OPENAI_LOG", "MALLOC_ARENA_MAX", "TZ"),
    }
)
"""Variables that an interpreter or a library reads while it is loaded: a fork comes too late."""


class Running:
    """A forked process, with the verbs of `subprocess.Popen` that the tests use."""

    def __init__(
        self, pid: int, status: IO[bytes], pipes: tuple[IO[bytes] | None, IO[bytes], IO[bytes]]
    ) -> None:
        self.pid = pid
        self.stdin, self.stdout, self.stderr = pipes
        self.returncode: int | None = None
        self._status = status

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        return self._look(0)

    def wait(self, timeout: float) -> int:
        """Wait for the exit code."""
        code = self._look(timeout)
        assert code is not None, f"still running after {timeout} s"
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has ended, and its exit code is on the way
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, given: bytes, timeout: float) -> tuple[bytes, bytes]:
        """Give it its whole input, wait for its end, return what it wrote to stdout and stderr."""
        assert self.stdin is not None
        heard = Overheard(self.stdout), Overheard(self.stderr)
        with suppress(BrokenPipeError), self.stdin as stdin:
            stdin.write(given)
        self.wait(timeout)
        for pipe in heard:
            pipe.close()
        return heard[0].data, heard[1].data

    def _look(self, timeout: float) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], timeout)[0]:
            self.returncode = int(self._status.readline())
            self._status.close()
        return self.returncode


Process = Running | subprocess.Popen[bytes]


def launch(
    face: str,
    flags: Sequence[str],
    env: Mapping[str, str],
    *,
    listens: bool = True,
    cwd: Path | None = None,
    own_group: bool = False,
    fresh: bool = False,
) -> Process:
    """Start a process at a face's entry point, with pipes to it; `listens`: to its stdin too.

    `fresh` asks for an interpreter of its own, for whoever measures one.
    """
    if sys.platform == "linux" and not fresh and not READ_AT_START & env.keys():
        return _forked(face, flags, env, listens=listens, cwd=cwd, own_group=own_group)
    return subprocess.Popen(
        fresh_command(face, *flags),
        stdin=subprocess.PIPE if listens else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        cwd=cwd,
        start_new_session=own_group,
    )


def fresh_command(face: str, *flags: str) -> list[str]:
    """The words that start an interpreter of its own at a face's entry point."""
    return [sys.executable, "-c", f"from tebiki.__main__ import {face}; {face}()", *flags]


def _forked(
    face: str,
    flags: Sequence[str],
    env: Mapping[str, str],
    *,
    listens: bool,
    cwd: Path | None,
    own_group: bool,
) -> Running:
    order = {"face": face, "flags": list(flags), "env": dict(env), "own_group": own_group}
    order["cwd"] = str(cwd or Path.cwd())
    given, stdin = os.pipe()
    stdout, out = os.pipe()
    stderr, err = os.pipe()
    status, told = os.pipe()
    theirs = [given, out, err, told]
    nursery().order(json.dumps(order).encode(), theirs)
    for descriptor in theirs:
        os.close(descriptor)
    if not listens:
        os.close(stdin)
    status_pipe = os.fdopen(status, "rb", buffering=0)
    assert select.select([status_pipe], [], [], PATIENCE_SECONDS)[0], "the nursery does not answer"
    pipes = (
        os.fdopen(stdin, "wb") if listens else None,
        os.fdopen(stdout, "rb"),
        os.fdopen(stderr, "rb"),
    )
    return Running(int(status_pipe.readline()), status_pipe, pipes)


class Nursery:
    """The nursery of one test process, and what is left to tell of it when it has died."""

    def __init__(self) -> None:
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # The stderr of a test is thrown away with the test; the nursery outlives many.
        self._words = tempfile.TemporaryFile()  # noqa: SIM115  (open as long as the nursery lives)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.nursery", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stderr=self._words,
            pass_fds=[theirs.fileno()],
            cwd=Path(__file__).parents[2],
            env={name: value for name, value in os.environ.items() if name != "OPENAI_LOG"},
        )
        theirs.close()
        atexit.register(self._close)

    def order(self, words: bytes, descriptors: list[int]) -> None:
        """Have a server forked."""
        try:
            socket.send_fds(self._door, [words], descriptors)
        except BrokenPipeError as error:
            code = self._process.wait(PATIENCE_SECONDS)
            self._words.seek(0)
            raise RuntimeError(
                f"the nursery has died, exit code {code}: {self._words.read()[-4_000:]!r}"
            ) from error

    def _close(self) -> None:
        self._door.close()
        self._process.wait(PATIENCE_SECONDS)


@cache
def nursery() -> Nursery:
    """The nursery of this test process, which is started with the first use."""
    return Nursery()


def clean_environment(home: Path) -> dict[str, str]:
    """The environment of a machine on which nothing of ours is configured."""
    kept = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "PYTHONDONTWRITEBYTECODE", "LANG")
    inherited = {name: os.environ[name] for name in kept if name in os.environ}
    return inherited | {"HOME": str(home), "USERPROFILE": str(home), "PYTHONWARNINGS": "error"}

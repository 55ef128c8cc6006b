"""Running a command at a pseudo-terminal, as a person does, and what is left on the screen."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
from typing import TYPE_CHECKING, NamedTuple

from tests.support.launching import clean_environment, fresh_command
from tests.support.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class AtTerminal(NamedTuple):
    """What a command left behind: everything the terminal got, and what went elsewhere."""

    code: int
    raw: str
    stdout: str
    stderr: str

    @property
    def screen(self) -> list[str]:
        """The lines that a person sees in the end, without colours."""
        lines = self.raw.replace("\r\n", "\n").split("\n")
        return [ESCAPES.sub("", line.rpartition("\r\x1b[K")[2]) for line in lines]


def run_at_terminal(
    home: Path,
    *words: str,
    env: Mapping[str, str] | None = None,
    width: int = 80,
    out: bool = True,
    err: bool = True,
    typed: bytes | None = None,
) -> AtTerminal:
    """Run `tebiki` with standard output, standard error or both at a terminal.

    Where something is typed, standard input is at the terminal too.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    process = subprocess.Popen(
        fresh_command("tebiki", *words),
        stdin=subprocess.DEVNULL if typed is None else slave,
        stdout=slave if out else subprocess.PIPE,
        stderr=slave if err else subprocess.PIPE,
        env={**clean_environment(home), "TERM": "xterm-256color", **(env or {})},
        cwd=home,
    )
    os.close(slave)
    os.write(master, typed or b"")
    taken: list[bytes] = []
    reader = threading.Thread(target=_read_all, args=(master, taken), daemon=True)
    reader.start()
    stdout, stderr = process.communicate(timeout=PATIENCE_SECONDS)
    reader.join(PATIENCE_SECONDS)
    os.close(master)
    raw = b"".join(taken).decode()
    return AtTerminal(process.returncode, raw, (stdout or b"").decode(), (stderr or b"").decode())


def _read_all(master: int, taken: list[bytes]) -> None:
    while True:
        try:
            chunk = os.read(master, 65_536)
        except OSError:
            # Linux says so when the last process at the terminal has ended.
            return
        if not chunk:
            return
        taken.append(chunk)
